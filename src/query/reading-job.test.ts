import { afterEach, beforeEach, expect, it } from 'vitest';
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

/** A stream of an export whose client takes its first part when the test says so. */
function begin(job: ReadingJob) {
  const zone = stored.zones.byName('example.com')!;
  const taken: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const asked = { name: 'exportText', rights: undefined, args: [zone, undefined, false] };
  const parts: Pick<Parts<unknown>, 'send'> = {
    async send(part) {
      taken.push(part);
      if (taken.length === 1) await gate.promise;
    },
  };
  const ended = job.stream(asked, parts as Parts<unknown>);
  ended.catch(() => {});
  return { taken, ended, take: gate.resolve };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

it('buffers what is left of streams that take long, and breaks off those that have more left', async () => {
  const whole = begin(new ReadingJob(stored.file));
  whole.take();
  await whole.ended;
  expect(whole.taken.length).toBeGreaterThan(1);
  const bytes = whole.taken.slice(1).join('').length;
  using job = new ReadingJob(stored.file, { openMs: 1, bufferedBytes: bytes + 100 });
  const first = begin(job);
  await pause();
  const second = begin(job);
  await pause();
  // Each has its own state, which has ended: nothing of this is in either.
  await stored.add('example.com', record('new', 'A', '192.0.2.1'));
  first.take();
  await first.ended;
  expect(first.taken).toEqual(whole.taken);
  second.take();
  await expect(second.ended).rejects.toMatchObject({ code: 'OVERLOADED' });
  const third = begin(job);
  await pause();
  third.take();
  await third.ended;
  expect(third.taken.join('')).toContain('192.0.2.1');
});
