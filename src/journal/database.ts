/**
 * The one SQLite file: opened for writing by one process at a time, and read-only by snapshots.
 *
 * WAL with synchronous=FULL, so a commit is on disk before anyone is told of it. A lock database
 * beside it, held exclusively for as long as the process lives, keeps a second service out and is
 * let go by the kernel on kill -9.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';

/** A connection; statements prepared on it live as long as it does. */
export type Connection = Sqlite.Database;
export type Statement<Bind extends unknown[] = unknown[]> = Sqlite.Statement<Bind>;

/** The file can not be used: in use by another process, not ours, or not writable. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** The database in a data folder. */
export const databaseFile = 'zonebook.db';

/** Where the migrator notes what it has applied. */
const migrationsTable = '__drizzle_migrations';
const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Kilobytes of page cache of the writing connection. */
const writerCacheKiB = 32 * 1024;
/** Kilobytes of page cache of a snapshot: it streams, so a cache would only be filled in vain. */
const readerCacheKiB = 2 * 1024;
/** Pages of WAL after which a commit also checkpoints: about 16 MiB. */
const checkpointPages = 4096;

export interface WritableDatabase {
  readonly connection: Connection;
  readonly file: string;
  close(): void;
}

/** Opens and, where needed, creates and migrates the database in `dataDir`. */
export function openDatabase(dataDir: string): WritableDatabase {
  const file = join(dataDir, databaseFile);
  const lock = lockFolder(dataDir);
  const isNew = !existsSync(file);
  // SQLite makes its other files with the mode of this one: nobody else's to read.
  if (isNew) closeSync(openSync(file, 'a', 0o600));
  const connection = new Sqlite(file);
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('recursive_triggers = ON');
    // What is deleted is overwritten: secrets, and what was purged, leave no trace in the file.
    connection.pragma('secure_delete = ON');
    connection.pragma('busy_timeout = 5000');
    connection.pragma(`cache_size = -${writerCacheKiB}`);
    connection.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    migrateDatabase(connection);
  } catch (error) {
    connection.close();
    lock.close();
    throw new DatabaseError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isNew) syncDirectory(dirname(file));
  return {
    connection,
    file,
    close() {
      connection.close();
      lock.close();
    },
  };
}

/** A read-only connection for one snapshot at a time. */
export function openReader(file: string): Connection {
  const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
  connection.pragma('busy_timeout = 5000');
  connection.pragma(`cache_size = -${readerCacheKiB}`);
  return connection;
}

/** Whether a database is one of ours, and not anything else in the format of SQLite. */
export function isOurs(connection: Connection): boolean {
  const named = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  return [migrationsTable, 'event', 'event_delta'].every((name) => named.get(name) !== undefined);
}

/** Brings a database to the tables of today. DatabaseError when a newer zonebook has written it. */
export function migrateDatabase(connection: Connection): void {
  const migrations = readMigrationFiles({ migrationsFolder });
  if (isOurs(connection)) {
    const newest = connection.prepare(`SELECT max(created_at) FROM ${migrationsTable}`).pluck();
    const known = migrations.at(-1)?.folderMillis ?? 0;
    if (Number(newest.get() ?? 0) > known) {
      throw new DatabaseError('it was written by a newer zonebook');
    }
  }
  migrate(drizzle(connection), { migrationsFolder });
}

/** Keeps every other process from writing a data folder, which is made where it is missing. */
export function lockFolder(dataDir: string): { close(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = new Sqlite(join(dataDir, 'zonebook.lock'), { timeout: 200 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DatabaseError(`${dataDir} is in use by another zonebook process`);
  }
  return lock;
}

/** A new file survives a power cut only when its directory entry is on disk too. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
