/**
 * Schemas: each migration makes the next one, and a database says which of them it has had.
 *
 * ```
 *   empty --all of them--> today's <--those it has not had-- older, after a verified copy
 *                                    newer, or of another line: refused, untouched
 * ```
 *
 * The copy is a plain file beside the database, which no connection has open meanwhile: closing a file
 * releases the locks that SQLite has on it in the same process (POSIX advisory locks).
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { formatTime, systemClock } from '../base/clock.ts';
import { makeFile, syncFile } from './data-file.ts';
import type { Checkpoints } from './checkpoint-owners.ts';
import { litestreamTables } from './checkpoints.ts';
import { headQuery } from './head.ts';
import { knownMigrations, migrationsTable } from './migrations.ts';
import { type Connection, DatabaseError, openSqlite } from './sqlite.ts';

/** What was done to an older database when it was opened. */
export interface Upgrade {
  /** Schemas are numbered from 1, the migrations that made them. */
  readonly fromSchema: number;
  readonly toSchema: number;
  /** The database as it was. */
  readonly copy: string;
}

/** Whether a database is one of ours, and not anything else in the format of SQLite. */
export function isOurs(connection: Connection): boolean {
  const named = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  return [migrationsTable, 'event', 'event_delta'].every((name) => named.get(name) !== undefined);
}

/**
 * The schema of a database: how many of the migrations it has had, 0 for an empty one. DatabaseError
 * when it has had others, and when it is somebody else's.
 */
export function schemaOf(connection: Connection, migrations: readonly MigrationMeta[]): number {
  const had = migrationsOf(connection);
  if (had.length === 0) return 0;
  const newest = migrations.at(-1)?.folderMillis ?? 0;
  if (had.at(-1)!.created_at > newest) {
    throw new DatabaseError(
      `it was written by a newer zonebook: it has schema ${had.length}, and this one knows ` +
        `${migrations.length}. Use that version again, or restore a backup made by this one`,
    );
  }
  if (had.some(({ hash }, index) => migrations[index]?.hash !== hash)) {
    throw new DatabaseError(
      'it was written by another build of zonebook, whose tables this one does not know',
    );
  }
  return had.length;
}

/** Whether it is none yet: made, and then left by its process. */
export function isEmpty(connection: Connection): boolean {
  try {
    return schemaOf(connection, knownMigrations()) === 0;
  } catch (error) {
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}

/** Refuses a database that the code of today can not read; who only reads upgrades nothing. */
export function requireSchemaOfToday(connection: Connection): void {
  const today = knownMigrations();
  const schema = schemaOf(connection, today);
  if (schema === today.length) return;
  throw new DatabaseError(
    `it was written by an older zonebook: it has schema ${schema}, this one has ${today.length}. ` +
      'Start the service once, which upgrades it',
  );
}

interface HadMigration {
  readonly hash: string;
  readonly created_at: number;
}

function migrationsOf(connection: Connection): HadMigration[] {
  if (isOurs(connection)) {
    return connection
      .prepare<[], HadMigration>(
        `SELECT hash, created_at FROM ${migrationsTable} ORDER BY created_at`,
      )
      .all();
  }
  // The table of migrations is made ahead of the others, and a power cut may come in between. SQLite has
  // names of its own, such as that of an index it makes for a key.
  const others = connection
    .prepare(
      `SELECT count(*) FROM sqlite_schema
       WHERE name NOT GLOB 'sqlite_*' AND tbl_name NOT IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
    .get(JSON.stringify([migrationsTable, ...litestreamTables]));
  if (others !== 0) throw new DatabaseError('it is no database of zonebook');
  return [];
}

/**
 * Copies a database to a file beside it before it is upgraded, verified; returns the file. DatabaseError
 * when the database is damaged or can not be copied. With checkpoints of our own the connection is closed
 * after all is in the one file, which is copied; else SQLite writes the copy, and the WAL stays as it is.
 *
 * An upgrade that ended before its commit has left a copy with the same bytes: that is kept, and no other. Where
 * SQLite writes the copy this shows only when it is there.
 */
export function keepCopy(connection: Connection, checkpoints: Checkpoints): string {
  const damage = connection.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') throw new DatabaseError(`it is damaged and was not upgraded: ${damage}`);
  const file = connection.name;
  if (checkpoints === 'external') return copyBeside(file, (copy) => vacuumInto(connection, copy));
  takeInAll(connection);
  connection.close();
  return earlierCopyOf(file, file) ?? copyBeside(file, (copy) => copyBytes(file, copy));
}

/** Removes copies that were cut off. Only with the lock of the folder: another process may be writing one. */
export function removeCutCopies(file: string): void {
  const isCut = (name: string) => /\.partial(?:-\w+)?$/.test(name);
  for (const copy of copiesBeside(file).filter(isCut)) rmSync(copy, { force: true });
}

/** The newest copy that is whole, when it has the bytes of `original`, and can be read. */
function earlierCopyOf(file: string, original: string): string | undefined {
  // Their names end with a time.
  const newest = copiesBeside(file).findLast((name) => name.endsWith('Z'));
  try {
    if (newest === undefined || !haveSameBytes(newest, original)) return undefined;
    syncFile(dirname(newest));
    return newest;
  } catch {
    return undefined;
  }
}

/** All files that copying a database has left, those of SQLite too, the oldest first. */
function copiesBeside(file: string): string[] {
  const folder = dirname(file);
  const beginning = basename(beginningOf(file));
  const names = readdirSync(folder).filter((name) => name.startsWith(beginning));
  return names.sort().map((name) => join(folder, name));
}

function beginningOf(file: string): string {
  return `${file}.before-upgrade-`;
}

function takeInAll(connection: Connection): void {
  const [checkpoint] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (checkpoint?.busy !== 0) {
    throw new DatabaseError('another process reads it, so it was not upgraded: stop that first');
  }
}

/** Has a copy made beside a database; `write` makes the file and compares the two. */
function copyBeside(file: string, write: (copy: string) => void): string {
  const copy = `${beginningOf(file)}${formatTime(systemClock()).replaceAll(':', '-')}`;
  const partial = `${copy}.partial`;
  try {
    write(partial);
    const earlier = earlierCopyOf(file, partial);
    if (earlier !== undefined) {
      rmSync(partial);
      return earlier;
    }
    renameSync(partial, copy);
    syncFile(dirname(copy));
    return copy;
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof DatabaseError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseError(`it could not be copied, so it was not upgraded: ${reason}`);
  }
}

/** Copies a database of one file that nobody has open. */
function copyBytes(file: string, copy: string): void {
  // Where the file system can share the blocks of both files, the copy takes no time and room.
  makeFile(copy);
  copyFileSync(file, copy, constants.COPYFILE_FICLONE);
  chmodSync(copy, 0o600);
  syncFile(copy);
  if (!haveSameBytes(copy, file)) throw differs();
}

/** Copies what is committed, the WAL included. The copy has the same tables and rows on other pages. */
function vacuumInto(connection: Connection, copy: string): void {
  makeFile(copy);
  connection.prepare('VACUUM INTO ?').run(copy);
  syncFile(copy);
  const copied = openSqlite(copy, { readonly: true, fileMustExist: true });
  try {
    const isWhole = copied.pragma('integrity_check(1)', { simple: true }) === 'ok';
    if (!isWhole || fingerprintOf(copied) !== fingerprintOf(connection)) throw differs();
  } finally {
    copied.close();
  }
}

/** Tables, indexes and triggers, how many rows each table has, and the end of the chain. */
function fingerprintOf(connection: Connection): string {
  const objects = connection
    .prepare<[], { type: string; name: string; sql: string | null }>(
      'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
    )
    .all();
  const rows = objects
    .filter(({ type }) => type === 'table')
    .map(({ name }) => connection.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
  return JSON.stringify([objects, rows, connection.prepare(headQuery).get()]);
}

function differs(): DatabaseError {
  return new DatabaseError('its copy differs from it, so it was not upgraded');
}

function haveSameBytes(one: string, other: string): boolean {
  return statSync(one).size === statSync(other).size && digestOf(one).equals(digestOf(other));
}

/** Bytes read at a time. */
const pieceBytes = 1024 * 1024;

function digestOf(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const length = readSync(handle, piece);
      if (length === 0) return hash.digest();
      hash.update(piece.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}
