import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JournalledEvent } from '../../writer/submission.ts';
import { Webhooks, type WebhookServices } from './webhooks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Webhooks that were started, and how one hears that another was made. */
function started(all: () => unknown, events: object = {}) {
  const made = [{ event: { kind: 'webhook.created' } }] as unknown as JournalledEvent[];
  let hear = (_: readonly JournalledEvent[]) => {};
  const onEvents = (listener: typeof hear) => {
    hear = listener;
  };
  const services = { events, webhooks: { all, cursors: () => [] }, writer: { onEvents } };
  const webhooks = new Webhooks(services as unknown as WebhookServices);
  webhooks.start();
  return { webhooks, make: () => hear(made) };
}

it('reads webhooks again until that succeeds, and none after a stop', async () => {
  const webhook = { id: 1, turn: 1, state: 'suspended', fromSeq: 1 };
  const all = vi.fn().mockReturnValueOnce([]);
  const { webhooks, make } = started(all);
  const fails = () => {
    throw new Error('can not be read');
  };
  all.mockImplementationOnce(fails).mockReturnValueOnce([webhook]).mockImplementation(fails);
  expect(make).toThrow('can not be read');
  vi.advanceTimersByTime(1000);
  expect(webhooks.gauges()).toMatchObject({ webhooksSuspended: 1 });
  expect(make).toThrow('can not be read');
  await webhooks.stop();
  vi.advanceTimersByTime(60_000);
  expect(all).toHaveBeenCalledTimes(4);
});

it('begins no sender while those that were begun take long to end', async () => {
  const first = { id: 1, turn: 1, state: 'active', fromSeq: 1, filter: '{}' };
  const all = vi.fn().mockReturnValueOnce([first]);
  const waits = Promise.withResolvers<undefined>();
  const feed = { position: 0, next: () => waits.promise, end: () => {} };
  const follow = vi.fn(() => ({ ...feed, next: () => new Promise(() => {}) }));
  follow.mockReturnValueOnce(feed);
  const { webhooks, make } = started(all, { last: () => 0, follow });
  all.mockImplementationOnce(() => {
    throw new Error('can not be read');
  });
  all.mockReturnValue([first, { ...first, id: 2 }]);
  expect(make).toThrow('can not be read');
  await vi.advanceTimersByTimeAsync(0);
  const stopped = webhooks.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  waits.resolve(undefined);
  await stopped;
  expect([all.mock.calls.length, follow.mock.calls.length]).toEqual([2, 1]);
});
