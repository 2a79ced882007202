/** Followers whose worker answers what the test says. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStoredZones, record } from '../../spec/support/stored-zones.ts';
import { limits } from '../base/limits.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import { type Advance, type EventLine, EventTailJob, type Position } from './event-tail-job.ts';
import { EventTail } from './event-tail.ts';

let stored: ReturnType<typeof openStoredZones>;
/** What rounds bring, in their order; nothing further behind them. */
let rounds: (readonly EventLine[] | Error)[];
let asked: string[];
let cut: number;
let rights: Rights | undefined;
let now: number;
let tail: EventTail;

/** Answers rounds by `rounds`, each number once. */
const pool = {
  open: () => ({
    async call(method: string, input: unknown) {
      asked.push(method);
      if (method !== 'advance') return undefined;
      const next = rounds.shift() ?? [];
      if (next instanceof Error) throw next;
      return (input as Position[]).map(({ id, after }): Advance => {
        return { id, after: next.at(-1)?.[0] ?? after, lines: next, isAtEnd: rounds.length === 0 };
      });
    },
    release: () => void asked.push('release'),
  }),
} as unknown as WorkerPool;

beforeEach(() => {
  stored = openStoredZones();
  rounds = [];
  asked = [];
  cut = 0;
  now = 0;
  rights = fullRights;
  tail = new EventTail(pool, stored.connection);
});
afterEach(async () => {
  vi.useRealTimers();
  await stored.close();
});

const follow = (after = 0, until?: number) =>
  tail.follow({
    filter: { until },
    after,
    rights: () => rights,
    now: () => now,
    owner: 'me',
    cut: () => void cut++,
  });
/** Lets a round that was asked for come to its end. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('gives what comes, nothing while nothing does, and releases the worker with the last', async () => {
  rounds = [[[1, 'one']]];
  const feed = follow();
  expect(await feed.next(1000)).toEqual([[1, 'one']]);
  expect(await feed.next(5)).toEqual([]);
  rounds = [[[2, 'two']]];
  tail.committed();
  expect(await feed.next(1000)).toEqual([[2, 'two']]);
  expect(tail.size).toBe(1);
  feed.end();
  expect(await feed.next(1000)).toBeUndefined();
  expect([tail.size, asked.at(-1)]).toEqual([0, 'release']);
  asked = [];
  tail.committed();
  expect(asked).toEqual([]);
});

it('a follower far behind is read for when it has taken what it got', async () => {
  rounds = [[[1, 'one']], [[2, 'two']], [[3, 'three']]];
  const feed = follow();
  await turn();
  expect(rounds).toHaveLength(2);
  for (const [seq] of [[1], [2], [3]]) {
    expect((await feed.next(1000))?.map(([each]) => each)).toEqual([seq]);
  }
  feed.end();
});

it('reads again what was not taken when rights change, and ends without rights', async () => {
  rounds = [[[1, 'by the first']]];
  const feed = follow();
  await turn();
  rights = noRights;
  rounds = [[[1, 'by the second']]];
  tail.committed();
  await turn();
  expect(await feed.next(1000)).toEqual([[1, 'by the second']]);
  expect(asked.filter((method) => method === 'watch')).toHaveLength(2);
  rights = undefined;
  tail.committed();
  expect(await feed.next(1000)).toBeUndefined();
});

it('waits behind its last time for what was decided before that and is committed later', async () => {
  now = 1001;
  const feed = follow(0, 1000);
  await turn();
  rounds = [[[1, 'decided at 1000']]];
  tail.committed();
  expect(await feed.next(1000)).toEqual([[1, 'decided at 1000']]);
  now = 6001;
  tail.committed();
  expect(await feed.next(1000)).toBeUndefined();
});

it('cuts off whoever leaves more than may wait, or takes nothing for long', async () => {
  const text = 'x'.repeat(limits.eventStreamBytes);
  follow();
  for (const seq of [1, 2, 3]) {
    rounds = [[[seq, text]]];
    tail.committed();
    await turn();
  }
  expect([cut, tail.size]).toEqual([1, 0]);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  rounds = [[[4, 'four']]];
  follow();
  await turn();
  await vi.advanceTimersByTimeAsync(limits.eventStreamStallMs - 1);
  expect(cut).toBe(1);
  await vi.advanceTimersByTimeAsync(limits.eventStreamIdleMs + 1);
  expect([cut, tail.size]).toEqual([2, 0]);
});

it('a worker that is lost breaks all of them off, and the next follower has another', async () => {
  rounds = [new Error('the worker has ended')];
  const feed = follow();
  await expect(feed.next(1000)).rejects.toThrow('the worker has ended');
  rounds = [[[1, 'one']]];
  const next = follow();
  expect(await next.next(1000)).toEqual([[1, 'one']]);
  next.end();
});

it('takes no place for a follower whose rights can not be read', () => {
  const request = { filter: {}, after: 0, now: () => 0, owner: 'me', cut: () => {} };
  const fails = () => {
    throw new Error('can not be read');
  };
  expect(() => tail.follow({ ...request, rights: fails })).toThrow('can not be read');
  expect(tail.size).toBe(0);
});

/** Has events followed as they are stored. */
function followStored(job: EventTailJob) {
  const call = async (method: 'watch' | 'advance', input: never) => job[method](input);
  const workers = { open: () => ({ call, release() {} }) } as unknown as WorkerPool;
  tail = new EventTail(workers, stored.connection);
}

/** Damages what an event has changed. */
function damage(seq: number): void {
  stored.connection.exec(`DROP TRIGGER event_delta_no_update;
    UPDATE event_delta SET checksum = checksum + 1 WHERE place / 65536 = ${seq}`);
}

it('gives all that stands before a damaged event to who follows the newest ones', async () => {
  await stored.zone('example.com');
  using job = new EventTailJob(stored.file);
  followStored(job);
  const last = stored.journal.newest().seq;
  const feed = follow(last);
  for (let at = 0; at < 5; at++) await turn();
  for (const name of ['a', 'b', 'c']) {
    await stored.add('example.com', record(name, 'A', '192.0.2.1'));
  }
  damage(last + 3);
  tail.committed();
  for (let at = 0; at < 20; at++) await turn();
  expect((await feed.next(1000))?.map(([seq]) => seq)).toEqual([last + 1, last + 2]);
  await expect(feed.next(1000)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('breaks off who comes to an event that is damaged, and no other', async () => {
  await stored.zone('example.com');
  await stored.add('example.com', record('a', 'A', '192.0.2.1'));
  await stored.add('example.com', record('b', 'A', '192.0.2.2'));
  const last = stored.journal.newest().seq;
  damage(last - 1);
  using job = new EventTailJob(stored.file);
  followStored(job);
  const [broken, whole] = [last - 2, last - 1].map((after) => follow(after));
  expect(await whole!.next(1000)).toMatchObject([[last, expect.stringContaining('192.0.2.2')]]);
  await expect(broken!.next(1000)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await stored.add('example.com', record('c', 'A', '192.0.2.3'));
  tail.committed();
  expect(await whole!.next(1000)).toMatchObject([[last + 1, expect.stringContaining('192.0.2.3')]]);
  whole!.end();
});
