import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptAfterKill } from '../../spec/support/killed-database.ts';
import { openDatabase, type WritableDatabase } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { LostFrames, mendWal, voidRefused } from './wal-mending.ts';

let folder: string;
let database: WritableDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-mending-'));
  database = openDatabase(folder);
  database.connection.pragma('wal_autocheckpoint = 0');
  database.connection.exec('CREATE TABLE kept (number INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const wal = () => `${database.file}-wal`;
const committed = () => database.walLength().bytes;
const put = (number: number) =>
  database.connection.prepare('INSERT INTO kept VALUES (?, ?)').run(number, 'x'.repeat(5000));

/**
 * Has a commit refused after all of its frames were written: its frames are put back behind what SQLite takes for
 * the end, as they stand there when their fsync fails.
 */
function refuseCommit(number: number): void {
  const end = committed();
  const other = join(folder, 'other.db');
  for (const suffix of ['', '-wal']) copyFileSync(`${database.file}${suffix}`, `${other}${suffix}`);
  const connection = openSqlite(other);
  connection.pragma('wal_autocheckpoint = 0');
  connection.prepare('INSERT INTO kept VALUES (?, ?)').run(number, 'refused');
  const frames = readFileSync(`${other}-wal`).subarray(Math.max(end, 32));
  connection.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${other}${suffix}`, { force: true });
  overwrite(Math.max(end, 32), frames);
}

function overwrite(at: number, bytes: Buffer): void {
  const file = openSync(wal(), 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

describe.each([
  ['voidRefused', voidRefused],
  ['mendWal', mendWal],
])('%s', (_, mend) => {
  it('keeps a refused commit from being found after a kill', () => {
    for (const number of [1, 2, 3]) put(number);
    refuseCommit(99);
    // Without it the refused one comes back.
    expect(keptAfterKill(database.file)).toEqual([1, 2, 3, 99]);
    mend(database.connection, committed);
    expect(keptAfterKill(database.file)).toEqual([1, 2, 3]);
    put(4);
    expect(keptAfterKill(database.file)).toEqual([1, 2, 3, 4]);
  });

  it('has nothing to do where nothing was refused', () => {
    for (const number of [1, 2]) put(number);
    mend(database.connection, committed);
    expect(keptAfterKill(database.file)).toEqual([1, 2]);
    database.connection.pragma('wal_checkpoint(RESTART)');
    mend(database.connection, committed);
    expect(keptAfterKill(database.file)).toEqual([1, 2]);
    put(3);
    expect(keptAfterKill(database.file)).toEqual([1, 2, 3]);
  });

  it('does nothing while somebody else writes', () => {
    put(1);
    const other = openSqlite(database.file, { timeout: 0 });
    database.connection.exec('BEGIN IMMEDIATE');
    expect(() => mend(other, committed)).toThrow('locked');
    database.connection.exec('COMMIT');
    other.close();
  });
});

describe('mendWal', () => {
  it('writes every committed frame once more, as it was', () => {
    for (let number = 0; number < 200; number++) put(number);
    const before = readFileSync(wal()).subarray(0, committed());
    // Long ago: a fast host may write twice in one tick of the clock of its files.
    utimesSync(wal(), 1, 1);
    mendWal(database.connection, committed);
    expect(readFileSync(wal()).subarray(0, committed()).equals(before)).toBe(true);
    expect(statSync(wal()).mtimeMs).toBeGreaterThan(1000);
    expect(database.connection.inTransaction).toBe(false);
  });

  it.each([
    ['in the middle', 0.5],
    ['in the last one', 0.99],
    ['in the header', 0],
  ])('finds committed frames that are lost: %s', (_, where) => {
    for (let number = 0; number < 50; number++) put(number);
    const at = Math.floor(committed() * where);
    const kept = readFileSync(wal()).subarray(at, at + 16);
    overwrite(at, Buffer.alloc(16, 0x5a));
    expect(() => mendWal(database.connection, committed)).toThrow(LostFrames);
    expect(database.connection.inTransaction).toBe(false);
    overwrite(at, Buffer.from(kept));
    mendWal(database.connection, committed);
  });
});
