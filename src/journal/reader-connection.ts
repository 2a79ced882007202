/**
 * Read-only connections. They stand apart from what opens and migrates a database, whose code would be the
 * larger half of what a thread that only reads has to load.
 */
import { type Connection, openSqlite } from './sqlite.ts';

/** Kilobytes of page cache of a snapshot: it streams, so a cache would only be filled in vain. */
const readerCacheKiB = 2 * 1024;

/** A read-only connection for one snapshot at a time. */
export function openReader(file: string): Connection {
  const connection = openSqlite(file, { readonly: true, fileMustExist: true });
  connection.pragma('busy_timeout = 5000');
  connection.pragma(`cache_size = -${readerCacheKiB}`);
  return connection;
}
