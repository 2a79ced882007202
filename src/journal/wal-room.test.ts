import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptAfterKill } from '../../spec/support/killed-database.ts';
import { startCheckpointer } from './checkpointer.ts';
import { openDatabase, type WritableDatabase } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { layOutWal, maxWalBytes } from './wal-room.ts';

let folder: string;
let database: WritableDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-wal-'));
  database = openDatabase(folder);
  database.connection.exec('CREATE TABLE kept (number INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** Bytes of the WAL in use, so many that all of it is laid out. */
const plenty = 64 * 2 ** 20;
const walOf = (file: string) => `${file}-wal`;

describe('the WAL that is laid out ahead', () => {
  it('is taken for empty, and holds what is written among the pieces', () => {
    const { connection, file } = database;
    const other = openSqlite(file);
    const put = connection.prepare('INSERT INTO kept VALUES (?, ?)');
    const numbers: number[] = [];
    let isMore = true;
    for (let number = 0; isMore; number++) {
      isMore = layOutWal(other, plenty);
      put.run(number, 'x'.repeat(number * 50));
      numbers.push(number);
      if (number % 20 === 0) expect(keptAfterKill(file)).toEqual(numbers);
    }
    expect(statSync(walOf(file)).size).toBeGreaterThan(64 * 2 ** 20);
    expect(layOutWal(other, plenty)).toBe(false);
    connection.pragma('wal_checkpoint(PASSIVE)');
    put.run(numbers.length, 'after it began anew');
    expect(keptAfterKill(file)).toEqual([...numbers, numbers.length]);
    other.close();
  });

  it('is short again once nobody reads what it had to keep', () => {
    const { connection, file } = database;
    const reader = openSqlite(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM kept').get();
    connection.pragma('synchronous = OFF');
    const megabyte = 2 ** 20;
    const put = connection.prepare('INSERT INTO kept VALUES (?, ?)');
    for (let number = 0; number < 100; number++) put.run(number, 'x'.repeat(megabyte));
    expect(statSync(walOf(file)).size).toBeGreaterThan(100 * megabyte);
    reader.exec('COMMIT');
    connection.pragma('wal_checkpoint(PASSIVE)');
    put.run(100, 'begins it anew');
    expect(statSync(walOf(file)).size).toBe(maxWalBytes);
    expect(keptAfterKill(file)).toHaveLength(101);
    reader.close();
  });

  it('is not written to while somebody else writes', () => {
    const { connection, file } = database;
    const other = openSqlite(file, { timeout: 0 });
    connection.exec('BEGIN IMMEDIATE');
    const { size } = statSync(walOf(file));
    expect(() => layOutWal(other, plenty)).toThrow('locked');
    expect(statSync(walOf(file)).size).toBe(size);
    connection.exec('COMMIT');
    expect(layOutWal(other, plenty)).toBe(true);
    other.close();
  });

  it('keeps nobody from writing while a piece waits for the disk', () => {
    const { connection, file } = database;
    const other = openSqlite(file, { timeout: 0 });
    connection.pragma('busy_timeout = 0');
    const put = connection.prepare('INSERT INTO kept VALUES (?, ?)');
    let number = 0;
    while (number < 5)
      expect(layOutWal(other, plenty, () => put.run(number++, 'meanwhile'))).toBe(true);
    expect(keptAfterKill(file)).toEqual([0, 1, 2, 3, 4]);
    other.close();
  });

  it('is laid out by the thread that checkpoints once something is written, and gone after a stop', async () => {
    const { connection, file } = database;
    const checkpointer = startCheckpointer(connection);
    const put = connection.prepare('INSERT INTO kept VALUES (?, ?)');
    for (let number = 0; statSync(walOf(file)).size < 4 * 2 ** 20; number++) {
      put.run(number, 'meanwhile'.repeat(1000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await checkpointer.stop();
    const { n, last } = connection
      .prepare('SELECT count(*) AS n, max(number) AS last FROM kept')
      .get() as { n: number; last: number };
    expect(n).toBe(last + 1);
    database.close();
    expect(() => statSync(walOf(file))).toThrow('ENOENT');
    database = openDatabase(folder);
  });
});
