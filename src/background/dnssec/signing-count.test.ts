import { setImmediate as turnOfLoop } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeStatus } from '../../../spec/support/fake-dnssec.ts';
import { fakePolicy, fakeZone } from '../../../spec/support/fake-services.ts';
import { SigningCount } from './signing-count.ts';

const { at, ...status } = fakeStatus(fakeZone, fakePolicy);
const signing = { ...status.signing, foreignDsSince: at };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Two zones are signed; the second can not be read the first time. */
function countOf(error: Error) {
  let reads = 0;
  const signedZones = vi.fn(function* () {
    yield { zoneId: 1, signing };
    if (reads++ === 0) throw error;
    yield { zoneId: 2, signing };
  });
  const count = new SigningCount({ onEvents: () => {} }, { of: () => signing, signedZones });
  return { count, signedZones };
}

it('counts all zones once the disk can be read again, which is tried twice a minute', async () => {
  const error = new Sqlite.SqliteError('said by SQLite', 'SQLITE_IOERR_READ');
  const { count, signedZones } = countOf(error);
  await turnOfLoop();
  vi.advanceTimersByTime(29_999);
  expect(count.totals().zones).toBe(1);
  expect(signedZones).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1);
  expect(count.totals().zones).toBe(2);
});

it('has the zones of a state once the disk can be read again', async () => {
  const { count } = countOf(new Sqlite.SqliteError('said by SQLite', 'SQLITE_BUSY'));
  await turnOfLoop();
  vi.advanceTimersByTime(30_000);
  expect(count.withForeignDs()).toEqual([1, 2]);
});

it.each([
  ['is damaged', new Sqlite.SqliteError('said by SQLite', 'SQLITE_CORRUPT')],
  ['was closed', new TypeError('The database connection is not open')],
])('reads a database no more that %s', async (_, error) => {
  const { count, signedZones } = countOf(error);
  await turnOfLoop();
  vi.advanceTimersByTime(30_000);
  expect(count.totals().zones).toBe(1);
  expect(signedZones).toHaveBeenCalledOnce();
});
