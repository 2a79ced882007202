/** Rounds over a journal of which something can not be read. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { copyOf, pageBytes, pagesOf, tamper, zeroPage } from '../../spec/support/damaged-files.ts';
import { openStoredZones, record } from '../../spec/support/stored-zones.ts';
import { fullRights } from '../domain/access/rights.ts';
import { openSqlite, type Connection } from '../journal/sqlite.ts';
import { EventReader } from './event-reader.ts';
import { EventRows } from './event-rows.ts';
import { type Advance, EventTailJob } from './event-tail-job.ts';

const last = 250;
let stored: ReturnType<typeof openStoredZones>;
let file: string;

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com');
  for (let seq = stored.journal.newest().seq; seq < last; seq++) {
    await stored.add('example.com', record(`a${seq}`, 'A', '192.0.2.1'));
  }
  file = join(stored.folder, 'damaged.db');
});
afterAll(() => stored.close());

/** What one round gives followers that have come to some numbers: what each gets, and where it is then. */
function roundOf(...from: number[]) {
  using job = new EventTailJob(file);
  const rights = fullRights.message();
  for (const id of from.keys()) job.watch({ id, rights, filter: {} });
  // A round ends with its time, which does not go on here.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    return job.advance(from.map((after, id) => ({ id, after }))).map(told);
  } finally {
    clock.mockRestore();
  }
}
const told = ({ lines, after, failure }: Advance) => ({
  got: lines.length === 0 ? [] : [lines[0]![0], lines.at(-1)![0]],
  after,
  storage: failure?.storage ?? failure?.code,
});
/** As far as a page of 100 goes. */
const whole = (from: number) => {
  const to = Math.min(last, from + 100);
  return { got: [from + 1, to], after: to, storage: undefined };
};

/** Loses a page of headers, by its place among all; gives the first and the last that stood there. */
function loseHeaders(place: number): [first: number, last: number] {
  const pages = pagesOf(file, 'event');
  zeroPage(file, pages[Math.floor(pages.length * place)]!.start / pageBytes);
  const connection = openSqlite(file, { readonly: true });
  const rows = new EventRows(connection);
  const lost = Array.from({ length: last }, (_, index) => index + 1).filter((seq) => {
    try {
      return rows.at(seq) === undefined;
    } catch {
      return true;
    }
  });
  connection.close();
  return [lost[0]!, lost.at(-1)!];
}

it('ends who comes to an event that is damaged, behind those before it', () => {
  for (const damaged of [last - 50, 50]) {
    copyOf(stored.file, file);
    tamper(file, `UPDATE event_delta SET checksum = checksum + 1 WHERE place / 65536 = ${damaged}`);
    expect(roundOf(damaged - 6, damaged - 1, last - 2)).toEqual([
      { got: [damaged - 5, damaged - 1], after: damaged - 1, storage: undefined },
      { got: [], after: damaged - 1, storage: 'STORAGE_UNAVAILABLE' },
      whole(last - 2),
    ]);
  }
});

it.each([
  ['far behind', 0.4],
  ['near the end', 0.75],
])('ends who comes to a page that is lost, %s, and no other', (where, place) => {
  copyOf(stored.file, file);
  const [first, end] = loseHeaders(place);
  expect([first > last - 100, end < last - 2]).toEqual([where === 'near the end', true]);
  expect(roundOf(first - 2, end + 1, last - 2, 1)).toEqual([
    { got: [], after: first - 2, storage: 'damaged' },
    whole(end + 1),
    whole(last - 2),
    { got: [], after: 1, storage: 'damaged' },
  ]);
});

it('tells of a disk that can not be read, where SQLite ends the transaction by itself', () => {
  copyOf(stored.file, file);
  const prepare = vi.spyOn(stored.connection.constructor.prototype as Connection, 'prepare');
  const see = vi.spyOn(EventReader.prototype, 'see').mockImplementationOnce(() => {
    (prepare.mock.contexts[0] as Connection).exec('ROLLBACK');
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
  });
  try {
    const broken = { got: [], after: last - 3, storage: 'io' };
    expect(roundOf(last - 3, last - 2)).toEqual([broken, whole(last - 2)]);
  } finally {
    see.mockRestore();
    prepare.mockRestore();
  }
});
