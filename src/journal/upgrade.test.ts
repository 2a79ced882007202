import { createHash } from 'node:crypto';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { DatabaseError, openDatabase, openReader } from './database.ts';
import { knownMigrations } from './migrations.ts';
import { openSqlite } from './sqlite.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const today = knownMigrations();

function migration(sql: string[]): MigrationMeta {
  const hash = createHash('sha256').update(sql.join()).digest('hex');
  return { sql, bps: true, folderMillis: today.at(-1)!.folderMillis + 1000, hash };
}

/** What a coming version may know: one migration more. */
const tomorrow = [
  ...today,
  migration([
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;',
    "INSERT INTO note (text) VALUES ('new');",
  ]),
];

/** A folder with a database of today that has something in it. */
function folderOfToday(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  const database = openDatabase(folder);
  database.connection.exec("INSERT INTO counter VALUES ('zone', 41)");
  database.close();
  return folder;
}

function copiesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('upgrade'));
}

function bytesOf(folder: string): Buffer {
  return readFileSync(join(folder, 'zonebook.db'));
}

describe('an older database', () => {
  it('is brought to the tables of today, after a copy of it that is as it was', () => {
    const folder = folderOfToday();
    const before = bytesOf(folder);
    const database = openDatabase(folder, { migrations: tomorrow });
    const copies = copiesIn(folder);
    expect(copies).toEqual([expect.stringMatching(/^zonebook\.db\.before-upgrade-2\d{3}-/)]);
    const copy = join(folder, copies[0]!);
    expect(database.upgrade).toEqual({
      fromSchema: today.length,
      toSchema: today.length + 1,
      copy,
    });
    expect(database.connection.prepare('SELECT text FROM note').pluck().all()).toEqual(['new']);
    expect(database.connection.prepare('SELECT value FROM counter').pluck().get()).toBe(41);
    expect(database.connection.pragma('synchronous', { simple: true })).toBe(2);
    database.close();
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readFileSync(copy).equals(before)).toBe(true);

    const again = openDatabase(folder, { migrations: tomorrow });
    expect(again.upgrade).toBeUndefined();
    again.close();
    expect(copiesIn(folder)).toEqual(copies);
  });

  it('is copied with what was committed before the power went', () => {
    const folder = folderOfToday();
    const database = openDatabase(folder);
    database.connection.exec("UPDATE counter SET value = 42 WHERE name = 'zone'");
    // The state of a killed process: the commit is in the WAL alone.
    const killed = temporaryFolder();
    folders.push(killed);
    for (const name of ['zonebook.db', 'zonebook.db-wal']) {
      const handle = openSync(join(killed, name), 'w', 0o600);
      writeSync(handle, readFileSync(join(folder, name)));
      closeSync(handle);
    }
    database.close();
    const upgraded = openDatabase(killed, { migrations: tomorrow });
    upgraded.close();
    const copy = openReader(upgraded.upgrade!.copy);
    expect(copy.prepare('SELECT value FROM counter').pluck().get()).toBe(42);
    copy.close();
  });

  it('is as it was when a migration fails, and says where the copy is', () => {
    const folder = folderOfToday();
    const broken = [...today, migration(['CREATE TABLE note (id INTEGER) STRICT;', 'NO SQL;'])];
    expect(() => openDatabase(folder, { migrations: broken })).toThrow(
      /schema \d+ to \d+ and is as it was, also in .*before-upgrade-.*: Failed .*: near "NO": syntax error/,
    );
    const database = openDatabase(folder);
    const made = database.connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'note'");
    expect(made.get()).toBeUndefined();
    database.close();
  });

  it.each(['own', 'external'] as const)(
    'is copied once, however often its upgrade fails, with checkpoints %s',
    (checkpoints) => {
      const folder = folderOfToday();
      const broken = [...today, migration(['NO SQL;'])];
      const fail = () => {
        expect(() => openDatabase(folder, { migrations: broken, checkpoints })).toThrow(/NO/);
        return copiesIn(folder);
      };
      const [first, ...others] = fail();
      expect(others).toEqual([]);
      expect(fail()).toEqual([first]);

      // It goes on with the version that it is of, and what it has then is copied again.
      const database = openDatabase(folder, { checkpoints });
      database.connection.exec("UPDATE counter SET value = 42 WHERE name = 'zone'");
      database.close();
      const [, second] = fail();
      expect(copiesIn(folder)).toEqual([first, second]);
      const upgraded = openDatabase(folder, { migrations: tomorrow, checkpoints });
      upgraded.close();
      expect(upgraded.upgrade?.copy).toBe(join(folder, second!));
      expect(copiesIn(folder)).toEqual([first, second]);
      const copy = openReader(join(folder, second!));
      expect(copy.prepare('SELECT value FROM counter').pluck().get()).toBe(42);
      copy.close();
    },
  );

  it('is copied anew beside a copy that can not be read', () => {
    const folder = folderOfToday();
    const unreadable = 'zonebook.db.before-upgrade-2020-01-01T00-00-00.000Z';
    symlinkSync(join(folder, 'nothing'), join(folder, unreadable));
    const database = openDatabase(folder, { migrations: tomorrow });
    database.close();
    expect(copiesIn(folder)).toEqual([unreadable, basename(database.upgrade!.copy)]);
  });

  it('loses what copying it had left when it was killed, with any start', () => {
    const folder = folderOfToday();
    const leave = () => {
      for (const suffix of ['', '-journal', '-wal', '-shm']) {
        const name = `zonebook.db.before-upgrade-2020-01-01T00-00-00.000Z.partial${suffix}`;
        writeFileSync(join(folder, name), 'some of it');
      }
    };
    leave();
    openDatabase(folder).close();
    expect(copiesIn(folder)).toEqual([]);
    leave();
    const database = openDatabase(folder, { migrations: tomorrow });
    expect(() => openDatabase(folder)).toThrow(/in use/);
    database.close();
    expect(copiesIn(folder)).toEqual([basename(database.upgrade!.copy)]);
  });

  it('is not touched while another process reads it', () => {
    const folder = folderOfToday();
    const reader = openReader(join(folder, 'zonebook.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM counter').get();
    const writer = openSqlite(join(folder, 'zonebook.db'));
    writer.exec("UPDATE counter SET value = 43 WHERE name = 'zone'");
    writer.close();
    expect(() => openDatabase(folder, { migrations: tomorrow })).toThrow(
      /another process reads it/,
    );
    expect(copiesIn(folder)).toEqual([]);
    reader.close();
    openDatabase(folder, { migrations: tomorrow }).close();
  });

  it('is not upgraded when it is damaged', () => {
    const folder = folderOfToday();
    const size = statSync(join(folder, 'zonebook.db')).size;
    const handle = openSync(join(folder, 'zonebook.db'), 'r+');
    // The last page belongs to an index or a table; the first one names them.
    writeSync(handle, Buffer.alloc(4096, 0xee), 0, 4096, size - 4096);
    closeSync(handle);
    const before = bytesOf(folder);
    expect(() => openDatabase(folder, { migrations: tomorrow })).toThrow(/damaged|malformed/);
    expect(copiesIn(folder)).toEqual([]);
    expect(bytesOf(folder).equals(before)).toBe(true);
  });
});

describe('a database that is refused', () => {
  it('is one that a newer version has written: nothing in it is changed', () => {
    const folder = folderOfToday();
    openDatabase(folder, { migrations: tomorrow }).close();
    const before = bytesOf(folder);
    expect(() => openDatabase(folder)).toThrow(DatabaseError);
    expect(() => openDatabase(folder)).toThrow(
      `written by a newer zonebook: it has schema ${tomorrow.length}, and this one knows ${today.length}`,
    );
    expect(bytesOf(folder).equals(before)).toBe(true);
  });

  it('is one whose migrations were others', () => {
    const folder = folderOfToday();
    const others = [{ ...today[0]!, hash: 'other' }, ...today.slice(1)];
    expect(() => openDatabase(folder, { migrations: others })).toThrow(/another build of zonebook/);
  });

  it('is one of another program', () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const other = openSqlite(join(folder, 'zonebook.db'));
    other.exec('CREATE TABLE photo (id INTEGER)');
    other.close();
    const before = bytesOf(folder);
    expect(() => openDatabase(folder)).toThrow(/is no database of zonebook/);
    expect(bytesOf(folder).equals(before)).toBe(true);
  });
});

it('makes a database whose making was cut off', () => {
  const folder = temporaryFolder();
  folders.push(folder);
  // drizzle makes its own table ahead of the transaction that makes the others.
  const cut = openSqlite(join(folder, 'zonebook.db'));
  cut.exec('CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash text, created_at)');
  cut.close();
  const database = openDatabase(folder);
  expect(database.upgrade).toBeUndefined();
  database.close();
});
