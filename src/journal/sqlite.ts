/**
 * Every connection to SQLite is opened here, because in the executable its addon is an asset: a shared
 * library that the system loads only from a file.
 *
 * The file has no name any more once it is loaded, so that nothing stays behind and nobody else can
 * put code in its place. All threads load the one file: with two copies of SQLite in a process, closing
 * a file in one would release the other's locks (POSIX advisory locks).
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { isExecutable, readAsset } from '../base/assets.ts';

/** A connection; statements prepared on it live as long as it does. */
export type Connection = Sqlite.Database;
export type Statement<Bind extends unknown[] = unknown[]> = Sqlite.Statement<Bind>;

/** The file can not be used: in use by another process, not ours, of another schema, or not writable. */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
}

/** Another process has what one process may have at a time. */
export class InUseError extends DatabaseError {
  override readonly name = 'InUseError';
}

/** SQLite itself can not be loaded here, whichever the database. */
export class LoadError extends DatabaseError {
  override readonly name = 'LoadError';
}

/** The addon of this system, as a path in a checkout. */
export const addonAsset = `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`;

/** Under which threads learn where the addon is. */
const addonPathKey = 'zonebook.addon';

let addon: object | undefined;

export function openSqlite(file: string, options: Sqlite.Options = {}): Connection {
  if (!isExecutable) return new Sqlite(file, options);
  addon ??= loadAddon(dirname(file));
  return new Sqlite(file, { ...options, nativeBinding: addon as unknown as string });
}

/**
 * From now on this process has the temporary files of SQLite beside the database of this connection, where they can be:
 * when they find no room, it is the disk that messages name.
 */
export function spillBeside(connection: Connection): void {
  const folder = dirname(resolve(connection.name)).replaceAll("'", "''");
  try {
    connection.pragma(`temp_store_directory = '${folder}'`);
  } catch {
    // This user may not write there: they stay where they were.
  }
}

/** From the folder of the database, or where that lets no code be loaded (noexec) another one. */
function loadAddon(folder: string): object {
  const known = getEnvironmentData(addonPathKey);
  if (typeof known === 'string') return loadFrom(known);
  const failures: string[] = [];
  for (const candidate of new Set([folder, tmpdir(), '/dev/shm'])) {
    try {
      return copyAndLoad(candidate);
    } catch (error) {
      failures.push(`${candidate} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  if (!existsSync('/proc/self/fd')) {
    throw new LoadError(
      '/proc is not mounted here; it is needed to load SQLite: mount -t proc proc /proc',
    );
  }
  const tried = failures.join(', ');
  throw new LoadError(`no folder lets SQLite be loaded; one of these has to: ${tried}`);
}

function copyAndLoad(folder: string): object {
  const path = join(folder, `.zonebook-${randomUUID()}.node`);
  const file = openSync(path, 'wx+', 0o700);
  try {
    unlinkSync(path);
    writeFileSync(file, readAsset(addonAsset));
    // The file stays open: this path leads the threads to it.
    const open = `/proc/self/fd/${file}`;
    const loaded = loadFrom(open);
    setEnvironmentData(addonPathKey, open);
    return loaded;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function loadFrom(path: string): object {
  const loaded = { exports: {} };
  process.dlopen(loaded, path);
  return loaded.exports;
}
