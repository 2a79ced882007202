import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JournalledEvent } from '../../writer/submission.ts';
import { Webhooks, type WebhookServices } from './webhooks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reads webhooks again until that succeeds, and none after a stop', async () => {
  const webhook = { id: 1, turn: 1, state: 'suspended', fromSeq: 1 };
  const all = vi.fn().mockReturnValueOnce([]);
  let tell = (_: readonly JournalledEvent[]) => {};
  const webhooks = new Webhooks({
    webhooks: { all, cursors: () => [] },
    writer: {
      onEvents(listener: typeof tell) {
        tell = listener;
      },
    },
  } as unknown as WebhookServices);
  webhooks.start();
  const fails = () => {
    throw new Error('can not be read');
  };
  all.mockImplementationOnce(fails).mockReturnValueOnce([webhook]).mockImplementation(fails);
  const events = [{ event: { kind: 'webhook.created' } }] as unknown as JournalledEvent[];
  expect(() => tell(events)).toThrow('can not be read');
  vi.advanceTimersByTime(1000);
  expect(webhooks.gauges()).toMatchObject({ webhooksSuspended: 1 });
  expect(() => tell(events)).toThrow('can not be read');
  await webhooks.stop();
  vi.advanceTimersByTime(60_000);
  expect(all).toHaveBeenCalledTimes(4);
});
