import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSqlite } from '../journal/sqlite.ts';
import { silentLog } from '../telemetry/log.ts';
import { loadConfig } from './config.ts';
import { openFoundation } from './foundation.ts';

it.each([
  ['copies what is committed into the database', false],
  ['copies nothing where the disk fails, for frames of the WAL may be lost', true],
])('at its end %s', async (_, fails) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-foundation-'));
  const config = loadConfig({ env: {}, cwd: dataDir, overrides: { dataDir } });
  const started = new AsyncDisposableStack();
  const { database, storage } = openFoundation(config, silentLog(), {}, started);
  const { connection, file } = database;
  connection.exec('CREATE TABLE kept (number INTEGER); INSERT INTO kept VALUES (1)');
  if (fails) {
    const start = database.walLength().bytes;
    connection.exec('INSERT INTO kept VALUES (2)');
    const lost = Buffer.alloc(database.walLength().bytes - start);
    const wal = openSync(`${file}-wal`, 'r+');
    writeSync(wal, lost, 0, lost.length, start);
    closeSync(wal);
    storage.failed(new Sqlite.SqliteError('said by SQLite', 'SQLITE_IOERR_FSYNC'));
  }
  await started.disposeAsync();
  if (!fails) rmSync(`${file}-wal`, { force: true });
  const after = openSqlite(file);
  expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(after.prepare('SELECT number FROM kept').pluck().all()).toEqual([1]);
  after.close();
  rmSync(dataDir, { recursive: true });
});
