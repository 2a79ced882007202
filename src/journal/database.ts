/**
 * The one SQLite file: opened for writing by one process at a time, and read-only by snapshots.
 *
 * WAL with synchronous=FULL, so a commit is on disk before it is reported. A lock database
 * beside it, held exclusively for as long as the process lives, keeps a second service out and is
 * released by the kernel on kill -9.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { judgeError, StorageProblem, storageProblemOf } from '../base/storage-problem.ts';
import { makeFile, syncFile } from './data-file.ts';
import type { Checkpoints } from './checkpoint-owners.ts';
import { CheckpointsError, HeldWal, requireOwnCheckpoints } from './checkpoints.ts';
import {
  AccessError,
  databaseFilesOf,
  isThere,
  makeFolder,
  requireAccess,
  statsOf,
} from './file-access.ts';
import { applyMigrations, knownMigrations } from './migrations.ts';
import { type Connection, DatabaseError, InUseError, LoadError, openSqlite } from './sqlite.ts';
import { keepCopy, removeCutCopies, schemaOf, type Upgrade } from './upgrade.ts';
import { damageTextOf } from './unusable.ts';
import type { WalLength } from './wal-progress.ts';
import { setUpWriter } from './writer-settings.ts';

export type { Connection, Statement } from './sqlite.ts';
export { isEmpty, isOurs, requireSchemaOfToday, type Upgrade } from './upgrade.ts';
export { AccessError } from './file-access.ts';
export { CheckpointsError } from './checkpoints.ts';
export { DatabaseError, InUseError, LoadError } from './sqlite.ts';
export { openReader } from './reader-connection.ts';

/** The database in a data folder. */
export const databaseFile = 'zonebook.db';

/** Beside it, held by whoever writes. */
export const lockFile = 'zonebook.lock';

export interface WritableDatabase {
  readonly connection: Connection;
  readonly file: string;
  /** Set when the database was of an older schema. */
  readonly upgrade: Upgrade | undefined;
  walLength(): WalLength;
  /** `mayCheckpoint`: false where committed frames may be lost; then who opens it next looks for what is whole. */
  close(mayCheckpoint?: boolean): void;
}

export interface OpenOptions {
  /** `own` when left out, which is refused where Litestream replicates the file (CheckpointsError). */
  readonly checkpoints?: Checkpoints;
  readonly migrations?: MigrationMeta[];
  /** Why no database may be made where there is none, or an empty one; undefined when one may. */
  readonly refuseNew?: string | undefined;
}

/**
 * Opens and, where needed, creates the database in `dataDir`, or brings an older one to the tables of
 * today; a copy of that is kept. DatabaseError for one that a newer zonebook has written.
 */
export function openDatabase(dataDir: string, options: OpenOptions = {}): WritableDatabase {
  const { checkpoints = 'own', migrations = knownMigrations(), refuseNew } = options;
  const file = join(dataDir, databaseFile);
  const lock = lockFolder(dataDir);
  let wal: HeldWal | undefined;
  try {
    // SQLite deletes the WAL beside a file of no bytes: that is refused before it is opened, as a missing one is.
    const isNew = !statsOf(file)?.size;
    for (const each of databaseFilesOf(file)) requireAccess(each);
    removeCutCopies(file);
    if (checkpoints === 'own') requireOwnCheckpoints(file);
    if (isNew && refuseNew !== undefined) throw new DatabaseError(refuseNew);
    // SQLite makes its other files with the mode of this one: nobody else's to read.
    if (isNew) makeFile(file, true);
    if (checkpoints === 'external') wal = new HeldWal(file);
    const { connection, upgrade } = openUpgraded(file, migrations, checkpoints, refuseNew);
    if (isNew) syncFile(dirname(file));
    wal ??= new HeldWal(file);
    wal.hold();
    const closing = closerOf(connection, wal, checkpoints);
    return {
      connection,
      file,
      upgrade,
      walLength: () => wal!.length(),
      close(mayCheckpoint = true) {
        closing(mayCheckpoint);
        lock.close();
      },
    };
  } catch (error) {
    wal?.close();
    lock.close();
    if (error instanceof AccessError || error instanceof LoadError) throw error;
    const Kind = error instanceof CheckpointsError ? CheckpointsError : DatabaseError;
    const message = damageTextOf(file, error) ?? `${file}: ${messageOf(error)}`;
    throw new Kind(message, { cause: error });
  }
}

/** How to close: with checkpoints of our own SQLite makes the last one then, if it may; else the WAL stays as it is. */
function closerOf(
  connection: Connection,
  wal: HeldWal,
  checkpoints: Checkpoints,
): (mayCheckpoint: boolean) => void {
  if (checkpoints === 'own') {
    return (mayCheckpoint) => {
      // It is made by the last one that writes.
      if (!mayCheckpoint) connection.close();
      wal.close();
      connection.close();
    };
  }
  // A process that ends in the middle closes its connections in any order: this one never is the last.
  const closeFirst = () => void connection.close();
  process.once('exit', closeFirst);
  return () => {
    process.off('exit', closeFirst);
    connection.close();
    wal.close();
  };
}

function openUpgraded(
  file: string,
  migrations: MigrationMeta[],
  checkpoints: Checkpoints,
  refuseNew: string | undefined,
): Pick<WritableDatabase, 'connection' | 'upgrade'> {
  let connection = openSqlite(file, { timeout: 5000 });
  try {
    // Before anything else: what is not ours is left as it is.
    const fromSchema = schemaOf(connection, migrations);
    if (fromSchema === 0 && refuseNew !== undefined) throw new DatabaseError(refuseNew);
    let upgrade: Upgrade | undefined;
    if (fromSchema > 0 && fromSchema < migrations.length) {
      const copy = keepCopy(connection, checkpoints);
      upgrade = { fromSchema, toSchema: migrations.length, copy };
      if (!connection.open) connection = openSqlite(file, { timeout: 5000 });
    }
    configure(connection, checkpoints);
    try {
      applyMigrations(connection, migrations);
    } catch (error) {
      if (upgrade === undefined) throw error;
      const { copy, toSchema } = upgrade;
      const attempt = `could not be brought from schema ${fromSchema} to ${toSchema}`;
      throw new DatabaseError(
        `it ${attempt} and is as it was, also in ${copy}: ${messageOf(error)}`,
      );
    }
    return { connection, upgrade };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function configure(connection: Connection, checkpoints: Checkpoints): void {
  // Before anything is written: what a connection begins with is a checkpoint every 1000 pages.
  setUpWriter(connection, checkpoints);
  connection.pragma('journal_mode = WAL');
}

/** With its cause: of a migration that fails, that is what SQLite says. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  const said = cause instanceof Error ? `${message}: ${cause.message}` : message;
  const judged = judgeError(cause ?? error);
  return judged instanceof StorageProblem ? `${judged.message} (${said})` : said;
}

/** Brings a copy, which nobody will miss, to the tables of today; DatabaseError as openDatabase has. */
export function migrateDatabase(connection: Connection): void {
  const migrations = knownMigrations();
  schemaOf(connection, migrations);
  applyMigrations(connection, migrations);
}

/** Whether another process has a data folder, which is left as it is; false where nobody may know. */
export function isFolderLocked(dataDir: string): boolean {
  const file = join(dataDir, lockFile);
  let lock: Connection | undefined;
  try {
    lock = openSqlite(file, { readonly: true, fileMustExist: true, timeout: 0 });
    lock.pragma('user_version');
    return false;
  } catch (error) {
    return storageProblemOf(error)?.kind === 'busy';
  } finally {
    lock?.close();
  }
}

/** Keeps every other process from writing a data folder, which is made where it is missing. */
export function lockFolder(dataDir: string): { close(): void } {
  makeFolder(dataDir);
  requireAccess(dataDir, 'make files in');
  const file = join(dataDir, lockFile);
  if (!isThere(file)) makeFile(file, true);
  for (const each of databaseFilesOf(file)) requireAccess(each);
  const lock = openSqlite(file, { timeout: 200 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    // A transaction in an empty file writes at once, which a full disk would refuse with each start.
    if (statSync(file).size === 0) lock.pragma('user_version = 1');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const judged = judgeError(error);
    if (damageTextOf(file, error) !== undefined) {
      const whatToDo = 'delete it while no service runs here; the next one makes it';
      throw new DatabaseError(`${file} is not what was written: ${whatToDo}`, { cause: error });
    }
    if (judged instanceof StorageProblem && judged.kind === 'busy') {
      const message = `${dataDir} is in use by another zonebook process`;
      throw new InUseError(message, { cause: error });
    }
    throw new DatabaseError(`${dataDir}: ${messageOf(error)}`, { cause: error });
  }
  return lock;
}
