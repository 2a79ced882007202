/**
 * The one SQLite file: opened for writing by one process at a time, and read-only by snapshots.
 *
 * WAL with synchronous=FULL, so a commit is on disk before anyone is told of it. A lock database
 * beside it, held exclusively for as long as the process lives, keeps a second service out and is
 * let go by the kernel on kill -9.
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { syncFile } from './backup.ts';
import { DatabaseError } from './database-error.ts';
import { applyMigrations, knownMigrations } from './migrations.ts';
import { type Connection, openSqlite } from './sqlite.ts';
import { copyBeside, schemaOf, settle, type Upgrade } from './upgrade.ts';
import { setUpWriter } from './writer-settings.ts';

export type { Connection, Statement } from './sqlite.ts';
export { isOurs, requireSchemaOfToday, type Upgrade } from './upgrade.ts';
export { DatabaseError } from './database-error.ts';
export { openReader } from './reader-connection.ts';

/** The database in a data folder. */
export const databaseFile = 'zonebook.db';

export interface WritableDatabase {
  readonly connection: Connection;
  readonly file: string;
  /** Set when the database was of an older schema. */
  readonly upgrade: Upgrade | undefined;
  close(): void;
}

export interface OpenOptions {
  readonly migrations?: MigrationMeta[];
  /** Why no database may be made where there is none, or an empty one; undefined when one may. */
  readonly refuseNew?: string | undefined;
}

/**
 * Opens and, where needed, creates the database in `dataDir`, or brings an older one to the tables of
 * today; a copy of that is kept. DatabaseError for one that a newer zonebook has written.
 */
export function openDatabase(dataDir: string, options: OpenOptions = {}): WritableDatabase {
  const { migrations = knownMigrations(), refuseNew } = options;
  const file = join(dataDir, databaseFile);
  const lock = lockFolder(dataDir);
  try {
    const isNew = !existsSync(file);
    if (isNew && refuseNew !== undefined) throw new DatabaseError(refuseNew);
    // SQLite makes its other files with the mode of this one: nobody else's to read.
    if (isNew) closeSync(openSync(file, 'a', 0o600));
    const { connection, upgrade } = openUpgraded(file, migrations, refuseNew);
    if (isNew) syncFile(dirname(file));
    return {
      connection,
      file,
      upgrade,
      close() {
        connection.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw new DatabaseError(`${file}: ${messageOf(error)}`);
  }
}

function openUpgraded(
  file: string,
  migrations: MigrationMeta[],
  refuseNew: string | undefined,
): Pick<WritableDatabase, 'connection' | 'upgrade'> {
  let connection = openSqlite(file, { timeout: 5000 });
  try {
    // Before anything else: what is not ours is left as it is.
    const fromSchema = schemaOf(connection, migrations);
    if (fromSchema === 0 && refuseNew !== undefined) throw new DatabaseError(refuseNew);
    let upgrade: Upgrade | undefined;
    if (fromSchema > 0 && fromSchema < migrations.length) {
      settle(connection);
      connection.close();
      upgrade = { fromSchema, toSchema: migrations.length, copy: copyBeside(file) };
      connection = openSqlite(file, { timeout: 5000 });
    }
    configure(connection);
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

function configure(connection: Connection): void {
  connection.pragma('journal_mode = WAL');
  setUpWriter(connection);
}

/** With its cause: of a migration that fails, that is what SQLite says. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Brings a copy, which nobody will miss, to the tables of today; DatabaseError as openDatabase has. */
export function migrateDatabase(connection: Connection): void {
  const migrations = knownMigrations();
  schemaOf(connection, migrations);
  applyMigrations(connection, migrations);
}

/** Keeps every other process from writing a data folder, which is made where it is missing. */
export function lockFolder(dataDir: string): { close(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = openSqlite(join(dataDir, 'zonebook.lock'), { timeout: 200 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DatabaseError(`${dataDir} is in use by another zonebook process`);
  }
  return lock;
}
