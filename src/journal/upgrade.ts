/**
 * Schemas: each migration makes the next one, and a database says which of them it has had.
 *
 * ```
 *   empty --all of them--> today's <--those it has not had-- older, after a verified copy
 *                                    newer, or of another line: refused, untouched
 * ```
 *
 * The copy is a plain file beside the database, which no connection has open meanwhile: closing a file
 * lets go of the locks that SQLite has on it in the same process (POSIX advisory locks).
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { formatTime, systemClock } from '../base/clock.ts';
import { syncFile } from './backup.ts';
import { DatabaseError } from './database-error.ts';
import { knownMigrations, migrationsTable } from './migrations.ts';
import type { Connection } from './sqlite.ts';

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
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name <> ? AND name NOT GLOB 'sqlite_*'")
    .pluck()
    .get(migrationsTable);
  if (others !== 0) throw new DatabaseError('it is no database of zonebook');
  return [];
}

/** Makes sure that a database is whole, and that all of it is in its one file. */
export function settle(connection: Connection): void {
  const damage = connection.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') throw new DatabaseError(`it is damaged and was not upgraded: ${damage}`);
  const [checkpoint] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (checkpoint?.busy !== 0) {
    throw new DatabaseError('another process reads it, so it was not upgraded: stop that first');
  }
}

/** Copies a settled database that nobody has open to a file beside it, and compares the two. */
export function copyBeside(file: string): string {
  const copy = `${file}.before-upgrade-${formatTime(systemClock()).replaceAll(':', '-')}`;
  const partial = `${copy}.partial`;
  try {
    // Where the file system can share the blocks of both files, the copy takes no time and room.
    copyFileSync(file, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(partial, 0o600);
    syncFile(partial);
    if (!digestOf(partial).equals(digestOf(file))) {
      throw new DatabaseError('its copy differs from it, so it was not upgraded');
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

/** Octets read at a time. */
const pieceOctets = 1024 * 1024;

function digestOf(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(pieceOctets);
    for (;;) {
      const length = readSync(handle, piece);
      if (length === 0) return hash.digest();
      hash.update(piece.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}
