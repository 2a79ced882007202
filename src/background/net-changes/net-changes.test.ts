import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hourMs } from '../../base/clock.ts';
import { tooManyWait } from '../../base/problem.ts';
import { StorageProblem } from '../../base/storage-problem.ts';
import { NetChanges, type NetChangeServices } from './net-changes.ts';

const minuteMs = 60_000;

let netChanges: NetChanges;
/** What the worker was asked: for all zones, or for what is due of one. */
let asked: ('all' | number)[];
/** Why zones can not be read, or all of them. */
let unreadable: Map<number | 'all', Error>;
/** What is done when the worker is asked. */
let whenAsked: (what: number | 'all') => void;
/** Whether the worker is there. */
let isThere: boolean;
let failures: number;
/** A commit of a zone, at a serial of the next span. */
let pass: (id: number) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  asked = [];
  unreadable = new Map();
  whenAsked = () => {};
  isThere = true;
  failures = 0;
  const call = async (name: string, given: { readonly zoneId: number }) => {
    const what = name === 'zones' ? 'all' : given.zoneId;
    asked.push(what);
    whenAsked(what);
    const error = unreadable.get(what);
    if (error !== undefined) throw error;
    return what === 'all' ? [1, 2] : undefined;
  };
  let spans = 0;
  const services = {
    writer: {
      onCommit: (hear: (changes: object[]) => void) => {
        pass = (id) => hear([{ zone: { id, serial: 4 * spans++ } }]);
      },
    },
    workers: { open: () => ({ call, isThere, release: () => {}, end: () => {} }) },
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

/** What the worker was asked since it was last looked at. */
async function nextAsked() {
  await vi.advanceTimersByTimeAsync(0);
  return asked.splice(0);
}

it('goes on with the others after a zone that fails, and comes to it again when a disk returned', async () => {
  unreadable.set(1, new Error('can not be read'));
  await netChanges.run();
  expect([await nextAsked(), failures]).toEqual([['all', 1, 2], 1]);
  unreadable.clear();
  netChanges.resume();
  expect(await nextAsked()).toEqual([1]);
  netChanges.resume();
  expect(await nextAsked()).toEqual([]);
});

it('leaves a zone that failed to the look at all zones, whichever pass spans', async () => {
  netChanges.start();
  unreadable.set(1, new StorageProblem('damaged'));
  await netChanges.run();
  expect([await nextAsked(), failures]).toEqual([['all', 1, 2], 1]);
  pass(1);
  pass(2);
  expect(await nextAsked()).toEqual([2]);
  // What fails after a run that went well is told again.
  await vi.advanceTimersByTimeAsync(6 * hourMs);
  expect([asked, failures]).toEqual([['all', 1, 2], 2]);
});

it.each([
  ['no disk', () => new StorageProblem('full')],
  ['no place with the writer', tooManyWait],
])('tries no other zone where there is %s, and keeps them waiting', async (_, error) => {
  unreadable.set(1, error());
  await netChanges.run();
  expect([await nextAsked(), failures]).toEqual([['all', 1], 1]);
  unreadable.clear();
  netChanges.resume();
  expect(await nextAsked()).toEqual([2, 1]);
});

it('looks at all zones in time after a failure, and at those that wait in a minute', async () => {
  netChanges.start();
  unreadable.set(1, new Error('can not be read'));
  await vi.advanceTimersByTimeAsync(minuteMs / 2);
  pass(1);
  expect(await nextAsked()).toEqual([1]);
  unreadable.set(1, tooManyWait());
  await vi.advanceTimersByTimeAsync(minuteMs / 2);
  expect(await nextAsked()).toEqual(['all', 1]);
  unreadable.clear();
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(await nextAsked()).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(6 * hourMs - minuteMs);
  expect(await nextAsked()).toEqual(['all', 1, 2]);
});

it('keeps the other zones waiting where the worker was lost', async () => {
  unreadable.set(1, new Error('a worker ended'));
  isThere = false;
  await netChanges.run();
  expect(await nextAsked()).toEqual(['all', 1]);
  isThere = true;
  pass(2);
  expect(await nextAsked()).toEqual([2]);
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

it('looks at all zones as often as it is asked to, and for no span that is passed meanwhile', async () => {
  await netChanges.run();
  expect(await nextAsked()).toEqual(['all', 1, 2]);
  whenAsked = (what) => {
    if (what !== 1) return;
    whenAsked = () => {};
    pass(2);
  };
  await netChanges.run();
  expect(await nextAsked()).toEqual(['all', 1, 2]);
});

it('looks at all zones again when a disk returned, where that failed', async () => {
  unreadable.set('all', new StorageProblem('io'));
  await netChanges.run();
  pass(2);
  expect(await nextAsked()).toEqual(['all', 2]);
  unreadable.clear();
  netChanges.resume();
  expect(await nextAsked()).toEqual(['all', 1, 2]);
});
