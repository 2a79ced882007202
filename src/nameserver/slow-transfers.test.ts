import { readdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { nameserverLimits } from './limits.ts';
import { SlowTransfers } from './slow-transfers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { stalledMs } = nameserverLimits;

it('a spool gives back what was written, in its order, and makes room for another when it is closed', () => {
  const folder = temporaryFolder();
  const slow = new SlowTransfers(folder);
  const spools = Array.from({ length: nameserverLimits.spools }, () => slow.openSpool()!);
  expect(slow.openSpool()).toBeUndefined();
  const messages = [1, 2, 65_535].map((length, index) => Buffer.alloc(length, index));
  const [first] = spools;
  first!.write(messages[0]!);
  first!.write(messages[1]!);
  expect(first!.next()).toEqual(messages[0]);
  first!.write(messages[2]!);
  expect([first!.next(), first!.next(), first!.next()]).toEqual([...messages.slice(1), undefined]);
  first!.close();
  first!.close();
  const another = slow.openSpool();
  expect([another?.next(), slow.openSpool()]).toEqual([undefined, undefined]);
  for (const spool of [another!, ...spools]) spool.close();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

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
