import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Parts } from '../base/jobs.ts';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { ReadingJob } from './reading-job.ts';

let stored: StoredZones;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com');
  const records = Array.from({ length: 2000 }, (_, index) =>
    record(`h${index}`, 'TXT', 'x'.repeat(200)),
  );
  await stored.add('example.com', ...records);
});
afterEach(() => stored.close());

/** A stream whose client takes as many parts as the test says. */
function begin(job: ReadingJob, name = 'exportText', ...args: readonly unknown[]) {
  const zone = stored.zones.byName('example.com')!;
  const given = name === 'exportText' ? [undefined, false] : args;
  const asked = { name, rights: undefined, args: [zone, ...given] };
  const sent: unknown[] = [];
  let wanted = 0;
  let wake = () => {};
  const parts: Pick<Parts<unknown>, 'send'> = {
    async send(part) {
      sent.push(part);
      while (sent.length > wanted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  const ended = job.stream(asked, parts as Parts<unknown>);
  ended.catch(() => {});
  const take = (count = Number.POSITIVE_INFINITY) => {
    wanted = count;
    wake();
  };
  return { sent, ended, take };
}

/** Longer than `openMs` of these tests, and then turns enough for all parts. */
async function untilBuffered() {
  await setTimeout(20);
  for (let turn = 0; turn < 200; turn++) await setImmediate();
}

it('buffers what is left of streams that take long, and breaks off those that have more left', async () => {
  const whole = begin(new ReadingJob(stored.file));
  whole.take();
  await whole.ended;
  expect(whole.sent.length).toBeGreaterThan(1);
  const bytes = whole.sent.slice(1).join('').length;
  using job = new ReadingJob(stored.file, { openMs: 1, bufferedBytes: bytes + 100 });
  const first = begin(job);
  await untilBuffered();
  const second = begin(job);
  await untilBuffered();
  // Each has its own state, which has ended: nothing of this is in either.
  await stored.add('example.com', record('new', 'A', '192.0.2.1'));
  first.take();
  await first.ended;
  expect(first.sent).toEqual(whole.sent);
  second.take();
  await expect(second.ended).rejects.toMatchObject({ code: 'OVERLOADED' });
  const third = begin(job);
  await untilBuffered();
  third.take();
  await third.ended;
  expect(third.sent.join('')).toContain('192.0.2.1');
});

it.each([
  ['as many parts as fit', 0, 'too much'],
  ['one part that takes long', 10, 'all sent'],
])('buffers %s in one turn', async (_, partMs, expected) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let now = 0;
  using _clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += partMs));
  using job = new ReadingJob(stored.file, { openMs: 1, bufferedBytes: 100_000 });
  const { ended, take } = begin(job);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  // Still in that turn: what it has not buffered is taken as it is read.
  take();
  const outcome = await ended.then(
    () => 'all sent',
    () => 'too much',
  );
  expect(outcome).toBe(expected);
});

it('gives back what it has buffered as it is taken', async () => {
  using job = new ReadingJob(stored.file, { openMs: 1, bufferedBytes: 430_000 });
  const first = begin(job);
  await untilBuffered();
  first.take(5);
  await untilBuffered();
  const second = begin(job);
  await untilBuffered();
  second.take();
  await second.ended;
  first.take();
  await first.ended;
  expect(first.sent).toEqual(second.sent);
});

it('counts the objects that it buffers, not only what is in them', async () => {
  using job = new ReadingJob(stored.file, { openMs: 1, bufferedBytes: 600_000 });
  const nodes = begin(job, 'changedNodes', 1, 2);
  await untilBuffered();
  nodes.take();
  await expect(nodes.ended).rejects.toMatchObject({ code: 'OVERLOADED' });
});

it('keeps no state of a stream that can not begin', async () => {
  using job = new ReadingJob(stored.file);
  await expect(begin(job, 'changedNodes', 99, 2).ended).rejects.toThrow(/no version/);
  await stored.add('example.com', record('new', 'A', '192.0.2.1'));
  expect(stored.connection.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
});
