import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '../base/problem.ts';
import { nameserverLimits } from './limits.ts';
import { MustNotWait } from './request.ts';
import { SnapshotQueue } from './snapshot-queue.ts';
import type { TransferSource } from './transfer-source.ts';

const { busyWaitMs, busyRetryMs } = nameserverLimits;

let free: number;
let yielded: number;
let opened: string[];
let queue: SnapshotQueue;

beforeEach(() => {
  vi.useFakeTimers();
  [free, yielded, opened] = [0, 0, []];
  queue = new SnapshotQueue({ yieldLongest: () => void yielded++ });
});
afterEach(() => {
  vi.useRealTimers();
});

const source = {} as TransferSource;

function claim(name: string, address: string, begun = 1, more: object = {}) {
  return queue.open({
    client: { address, transport: 'tcp' },
    begunOnConnection: () => begun,
    open: () => {
      if (free === 0) throw new Problem('OVERLOADED', 'too many transfers are in flight', 1);
      free--;
      opened.push(name);
      return source;
    },
    ...more,
  });
}

/** Releases one snapshot after the other. */
async function release(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    free++;
    await vi.advanceTimersByTimeAsync(busyRetryMs);
  }
}

it('opens at once while a snapshot is free', async () => {
  free = 1;
  expect(await claim('a', '192.0.2.1')).toBe(source);
  expect([opened, yielded]).toEqual([['a'], 0]);
});

it('serves the network with the fewest transfers first, then the connection, then who came first', async () => {
  for (let count = 0; count < 3; count++) queue.begin({ address: '192.0.2.1', transport: 'tcp' });
  queue.begin({ address: '192.0.2.2', transport: 'tcp' });
  const all = [
    claim('many, second of its connection', '192.0.2.1', 2),
    claim('many, first of its connection', '192.0.2.1', 1),
    claim('many, first of another connection', '192.0.2.1', 1),
    claim('one', '192.0.2.2'),
    claim('none', '2001:db8::1'),
  ];
  await release(5);
  await Promise.all(all);
  expect(opened).toEqual([
    'none',
    'one',
    'many, first of its connection',
    'many, first of another connection',
    'many, second of its connection',
  ]);
  expect(yielded).toBeGreaterThan(0);
});

it('goes by what has begun by then, and an address of a /64 by its network', async () => {
  const end = queue.begin({ address: '2001:db8::1', transport: 'tcp' });
  const all = [claim('six', '2001:db8::2'), claim('four', '192.0.2.1')];
  end();
  await release(2);
  await Promise.all(all);
  expect(opened).toEqual(['six', 'four']);
});

it('says OVERLOADED when the time is over, and forgets who waited', async () => {
  const late = expect(claim('late', '192.0.2.1')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await vi.advanceTimersByTimeAsync(busyWaitMs + busyRetryMs);
  await late;
  expect(vi.getTimerCount()).toBe(0);
  free = 1;
  await claim('next', '192.0.2.1');
  expect(opened).toEqual(['next']);
});

it('never waits for a datagram that must not, whoever else waits', async () => {
  const client = { address: '192.0.2.9', transport: 'udp', mustNotWait: true };
  await expect(claim('udp', '192.0.2.9', 0, { client })).rejects.toThrow(MustNotWait);
  const waiting = claim('tcp', '192.0.2.1');
  free = 1;
  await claim('udp', '192.0.2.9', 0, { client });
  await release(1);
  await waiting;
  expect(opened).toEqual(['udp', 'tcp']);
});

it('passes other failures on, and goes on to the next', async () => {
  const broken = claim('broken', '192.0.2.1', 1, {
    open: () => {
      throw new Error('it is broken');
    },
  });
  await expect(broken).rejects.toThrow('it is broken');
  free = 1;
  await claim('next', '192.0.2.1');
  expect(opened).toEqual(['next']);
});
