/**
 * Read-only connections. They stand apart from what opens and migrates a database, whose code would be the
 * larger half of what a thread that only reads has to load.
 */
import { dirname } from 'node:path';
import { databaseFilesOf, requireAccess, statsOf } from './file-access.ts';
import { type Connection, openSqlite } from './sqlite.ts';

/** Kilobytes of page cache of a snapshot: it streams, so a cache would only be filled in vain. */
const readerCacheKiB = 2 * 1024;

/**
 * A read-only connection for one snapshot at a time. AccessError where SQLite can not have the files that it needs.
 * `isBeingMade`: the file has no bytes yet, and nobody misses a WAL of it.
 */
export function openReader(file: string, isBeingMade = false): Connection {
  const size = statsOf(file)?.size;
  requireAccess(file, 'read');
  // SQLite deletes the WAL beside a file of no bytes, which may hold all that there is: nothing opens that.
  if (size === 0 && !isBeingMade) return openSqlite(':memory:');
  const connection = openSqlite(file, { readonly: true, fileMustExist: true });
  try {
    connection.pragma('busy_timeout = 5000');
    requireFilesBeside(connection);
    connection.pragma(`cache_size = -${readerCacheKiB}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Ends a transaction that only read. Where a page could not be read SQLite has ended it, or refuses to commit it. */
export function endReading(connection: Connection): void {
  try {
    if (connection.inTransaction) connection.exec('COMMIT');
  } catch {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** Reads in one state of the database; what `read` has caught of a damaged page fails no more at the end of it. */
export function inOneState<T>(connection: Connection, read: () => T): T {
  connection.exec('BEGIN');
  try {
    return read();
  } finally {
    endReading(connection);
  }
}

/** SQLite makes and writes files beside a database for who only reads, too; its first read says that it may not. */
function requireFilesBeside(connection: Connection): void {
  try {
    connection.pragma('schema_version');
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    if (!/^SQLITE_(?:CANTOPEN|READONLY)/.test(code)) return;
    for (const each of databaseFilesOf(connection.name).slice(1)) requireAccess(each);
    requireAccess(dirname(connection.name), 'make files in');
    throw error;
  }
}
