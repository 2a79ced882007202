import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStoredZones, type StoredZones } from '../../../spec/support/stored-zones.ts';
import { dayMs, hourMs } from '../../base/clock.ts';
import { ZoneHistory } from '../../query/zone-history.ts';
import { Retention } from './retention.ts';

const minuteMs = 60_000;

let stored: StoredZones;
let retention: Retention;
let retentionEvery: (intervalSecs: number) => Retention;
/** Milliseconds by which the clock is ahead. */
let aheadMs: number;

/** Moments before which deleted zones are looked for, each in milliseconds after the start. */
let moments: number[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const startedMs = performance.now();
  const clock = () => performance.now() - startedMs + aheadMs;
  aheadMs = 0;
  moments = [];
  vi.spyOn(ZoneHistory.prototype, 'deletedBefore').mockImplementation((momentMs) => {
    moments.push(momentMs + dayMs);
    return [];
  });
  stored = openStoredZones({ durable: false });
  const { writer, connection, file } = stored;
  const services = { writer, connection, file, clock, log: { info: () => {}, error: () => {} } };
  retentionEvery = (intervalSecs) =>
    new Retention(services, { days: 1, signerDays: 0, intervalSecs });
  retention = retentionEvery(hourMs / 1000);
});

afterEach(async () => {
  await retention.stop();
  await stored.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('deletes nothing for ten minutes after a start, also where a disk can be written again', async () => {
  retention.start();
  await vi.advanceTimersByTimeAsync(9 * minuteMs);
  retention.resume();
  await vi.advanceTimersByTimeAsync(minuteMs - 1);
  expect(moments).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(moments).toEqual([10 * minuteMs]);
});

it('deletes nothing by a clock that was wrong at the start and is set right', async () => {
  aheadMs = 1000 * dayMs;
  retention.start();
  await vi.advanceTimersByTimeAsync(5 * minuteMs);
  aheadMs = 0;
  await vi.advanceTimersByTimeAsync(20 * minuteMs);
  expect(moments).toEqual([20 * minuteMs]);
});

it('deletes nothing by a clock that is set forth for a while', async () => {
  retention.start();
  await vi.advanceTimersByTimeAsync(hourMs);
  aheadMs = 1000 * dayMs;
  await vi.advanceTimersByTimeAsync(15 * minuteMs);
  aheadMs = 0;
  await vi.advanceTimersByTimeAsync(15 * minuteMs);
  expect(moments).toEqual([10 * minuteMs, 90 * minuteMs]);
});

it('deletes nothing by itself where it is off', async () => {
  retention = retentionEvery(0);
  retention.start();
  retention.resume();
  await vi.advanceTimersByTimeAsync(20 * minuteMs);
  expect(moments).toEqual([]);
});
