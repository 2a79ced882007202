import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hourMs } from '../../base/clock.ts';
import { NetChanges, type NetChangeServices } from './net-changes.ts';

const minuteMs = 60_000;

let netChanges: NetChanges;
/** What the worker was asked: for all zones, or for what is due of one. */
let asked: ('all' | number)[];
/** Zones that can not be read. */
let unreadable: Set<number>;
let failures: number;
/** A commit of a zone, at a serial of the next span. */
let pass: (id: number) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  asked = [];
  unreadable = new Set();
  failures = 0;
  const call = async (name: string, given: { readonly zoneId: number }) => {
    asked.push(name === 'zones' ? 'all' : given.zoneId);
    if (name === 'zones') return [1, 2];
    if (unreadable.has(given.zoneId)) throw new Error('can not be read');
    return undefined;
  };
  let spans = 0;
  const services = {
    writer: {
      onCommit: (hear: (changes: object[]) => void) => {
        pass = (id) => hear([{ zone: { id, serial: 4 * spans++ } }]);
      },
    },
    workers: { open: () => ({ call, release: () => {}, end: () => {} }) },
    log: { error: () => void failures++ },
  } as unknown as NetChangeServices;
  netChanges = new NetChanges(services, [4]);
  // Which serial a zone was at before is known from its first change on.
  for (const id of [1, 2]) pass(id);
});

afterEach(async () => {
  await netChanges.stop();
  vi.useRealTimers();
});

it('comes to the zones of a run that failed with the next one, last to that which failed', async () => {
  unreadable.add(1);
  await netChanges.run();
  expect([asked, failures]).toEqual([['all', 1], 1]);
  netChanges.resume();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.splice(0)).toEqual(['all', 1, 2, 1]);
  unreadable.clear();
  netChanges.resume();
  await vi.advanceTimersByTimeAsync(0);
  netChanges.resume();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([1]);
});

it('looks at all zones in time, however often one of them passes a span', async () => {
  netChanges.start();
  await vi.advanceTimersByTimeAsync(minuteMs / 2);
  pass(2);
  await vi.advanceTimersByTimeAsync(minuteMs / 2);
  expect(asked.splice(0)).toEqual([2, 'all', 1, 2]);
  for (let hour = 0; hour < 6; hour++) {
    pass(2);
    await vi.advanceTimersByTimeAsync(hourMs);
  }
  expect(asked).toEqual([...Array(6).fill(2), 'all', 1, 2]);
});
