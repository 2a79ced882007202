import { expect, it } from 'vitest';
import { limits } from '../../base/limits.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { type Progress, type SenderServices, WebhookSender } from './sender.ts';

const webhook = { id: 1, name: 'chat', url: 'http://127.0.0.1:1/', filter: '{}' } as Webhook;
const event = { seq: 2, hash: 'c2a1', kind: 'zone.created', at: '', zone: null };

it('asks to be suspended again when that fails, and ends once it went well', async () => {
  let now = 0;
  const reports: string[] = [];
  const services = {
    clock: () => now,
    log: { warn: () => {}, error: (name: string) => reports.push(name) },
    keystore: { webhookSecret: () => undefined },
    outbound: { destinationsOf: async () => [] },
    events: {
      last: () => 2,
      follow: () => ({
        position: 2,
        end: () => {},
        next: async () => [[2, JSON.stringify(event)]],
      }),
    },
    // Time passes between two tries alone.
    async pause() {
      now += limits.webhookSuspendMs / 2;
    },
  } as unknown as SenderServices;
  const progress: Progress = {
    seq: 1,
    failingSince: null,
    error: null,
    deliveries: 0,
    failures: 0,
  };
  let asked = 0;
  await new WebhookSender(webhook, progress, services, () => {}).run(async () => {
    if (asked++ < 2) throw new Error('the disk is full');
  });
  expect([asked, reports]).toEqual([3, ['webhook.not-suspended', 'webhook.not-suspended']]);
  expect(progress).toMatchObject({ seq: 1, failingSince: 0, failures: 5, deliveries: 0 });
});
