import { setImmediate as turnOfLoop } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { fakeStatus } from '../../../spec/support/fake-dnssec.ts';
import { fakePolicy, fakeZone } from '../../../spec/support/fake-services.ts';
import { SigningCount } from './signing-count.ts';

const { at, ...status } = fakeStatus(fakeZone, fakePolicy);
const signing = { ...status.signing, foreignDsSince: at };

/** Two zones are signed; the second can not be read the first time. */
function countOf(error: Error) {
  let reads = 0;
  function* signedZones() {
    yield { zoneId: 1, signing };
    if (reads++ === 0) throw error;
    yield { zoneId: 2, signing };
  }
  return new SigningCount({ onEvents: () => {} }, { of: () => signing, signedZones });
}

it('counts all zones once the disk can be read again', async () => {
  const count = countOf(new Sqlite.SqliteError('said by SQLite', 'SQLITE_IOERR_READ'));
  await turnOfLoop();
  expect(count.totals().zones).toBe(2);
});

it('has the zones of a state once the disk can be read again', async () => {
  const count = countOf(new Sqlite.SqliteError('said by SQLite', 'SQLITE_BUSY'));
  await turnOfLoop();
  expect(count.withForeignDs()).toEqual([1, 2]);
});

it('reads a database no more that was closed', async () => {
  const count = countOf(new TypeError('The database connection is not open'));
  await turnOfLoop();
  expect(count.totals().zones).toBe(1);
});
