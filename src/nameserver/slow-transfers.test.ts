import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nameserverLimits } from './limits.ts';
import { SlowTransfers } from './slow-transfers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { stalledMs } = nameserverLimits;

it('makes no room while every client reads', () => {
  const slow = new SlowTransfers('/nonexistent');
  const left: string[] = [];
  for (const name of ['first', 'second']) {
    const end = slow.beginWait(async () => void left.push(name));
    vi.advanceTimersByTime(stalledMs - 1);
    slow.yieldLongest();
    end();
    vi.advanceTimersByTime(stalledMs);
    slow.yieldLongest();
  }
  expect(left).toEqual([]);
});

it('lets the one leave that waits longest, and one at a time', async () => {
  const slow = new SlowTransfers('/nonexistent');
  const left: string[] = [];
  let release = () => {};
  const leaving = (name: string) => () => {
    left.push(name);
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  const end = slow.beginWait(leaving('over'));
  slow.beginWait(leaving('longest'));
  vi.advanceTimersByTime(10);
  slow.beginWait(leaving('next'));
  end();
  vi.advanceTimersByTime(stalledMs);
  slow.yieldLongest();
  slow.yieldLongest();
  expect(left).toEqual(['longest']);
  release();
  await Promise.resolve();
  slow.yieldLongest();
  expect(left).toEqual(['longest', 'next']);
});
