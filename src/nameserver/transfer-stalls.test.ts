import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nameserverLimits } from './limits.ts';
import { StalledTransfers } from './transfer-stalls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { stalledMs } = nameserverLimits;

it('makes no room while every client reads', () => {
  const stalled = new StalledTransfers();
  const left: string[] = [];
  for (const name of ['first', 'second']) {
    const end = stalled.begin(async () => void left.push(name));
    vi.advanceTimersByTime(stalledMs - 1);
    stalled.makeRoom();
    end();
    vi.advanceTimersByTime(stalledMs);
    stalled.makeRoom();
  }
  expect(left).toEqual([]);
});

it('lets the one leave that waits longest, and one at a time', async () => {
  const stalled = new StalledTransfers();
  const left: string[] = [];
  let release = () => {};
  const leaving = (name: string) => () => {
    left.push(name);
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  const end = stalled.begin(leaving('over'));
  stalled.begin(leaving('longest'));
  vi.advanceTimersByTime(10);
  stalled.begin(leaving('next'));
  end();
  vi.advanceTimersByTime(stalledMs);
  stalled.makeRoom();
  stalled.makeRoom();
  expect(left).toEqual(['longest']);
  release();
  await Promise.resolve();
  stalled.makeRoom();
  expect(left).toEqual(['longest', 'next']);
});
