import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dayMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { type Progress, type SenderServices, WebhookSender } from './sender.ts';

const webhook = { id: 1, name: 'chat', url: 'http://127.0.0.1:1/', filter: '{}' } as Webhook;
const event = { seq: 2, hash: 'c2a1', kind: 'zone.created', at: '', zone: null };

/** Milliseconds since 1970, and those of the monotonic clock. */
let now: number;
let elapsed: number;
let reports: string[];

beforeEach(() => {
  now = 0;
  elapsed = 0;
  reports = [];
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
});

afterEach(() => void vi.restoreAllMocks());

/** Sends an event that is never accepted. Time passes, and the clock is set forth, between two tries alone. */
function senderOf(progress: Progress, setMs = 0): WebhookSender {
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
    async pause() {
      now += limits.webhookSuspendMs / 2 + setMs;
      elapsed += limits.webhookSuspendMs / 2;
    },
  } as unknown as SenderServices;
  return new WebhookSender(webhook, progress, services, () => {});
}

const progressSince = (failingSince: number | null): Progress => {
  return { seq: 1, failingSince, error: null, deliveries: 0, failures: 0 };
};

it('asks to be suspended again when that fails, and ends once it went well', async () => {
  const progress = progressSince(null);
  let asked = 0;
  await senderOf(progress).run(async () => {
    if (asked++ < 2) throw new Error('the disk is full');
  });
  expect([asked, reports]).toEqual([3, ['webhook.not-suspended', 'webhook.not-suspended']]);
  expect(progress).toMatchObject({ seq: 1, failingSince: 0, failures: 5, deliveries: 0 });
});

it('has its 24 hours from the first failure after a start', async () => {
  const progress = progressSince(-2 * dayMs);
  await senderOf(progress).run(async () => {});
  expect(progress).toMatchObject({ failingSince: -2 * dayMs, failures: 3 });
});

it('has its 24 hours also where the clock is set', async () => {
  const progress = progressSince(null);
  await senderOf(progress, 365 * dayMs).run(async () => {});
  expect(progress).toMatchObject({ failingSince: 0, failures: 3 });
});
