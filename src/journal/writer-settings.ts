/** How connections that write are set up. */
import type { Checkpoints } from './checkpoint-owners.ts';
import type { Connection } from './sqlite.ts';
import { maxWalBytes } from './wal-room.ts';

/** Kilobytes of page cache. */
const cacheKiB = 32 * 1024;
/** Pages of WAL after which a commit also checkpoints: about 16 MiB. */
const checkpointPages = 4096;

/** Settings of every connection that writes events. */
export function setUpWriter(connection: Connection, checkpoints: Checkpoints): void {
  connection.pragma('synchronous = FULL');
  connection.pragma('recursive_triggers = ON');
  // What is deleted is overwritten: secrets, and what was purged, leave no trace in the file.
  connection.pragma('secure_delete = ON');
  connection.pragma(`cache_size = -${cacheKiB}`);
  const isOwn = checkpoints === 'own';
  connection.pragma(`wal_autocheckpoint = ${isOwn ? checkpointPages : 0}`);
  connection.pragma(`journal_size_limit = ${isOwn ? maxWalBytes : -1}`);
}

/** Whether the service checkpoints the database that a connection was opened for (`database.checkpoints`). */
export function hasOwnCheckpoints(connection: Connection): boolean {
  return connection.pragma('wal_autocheckpoint', { simple: true }) !== 0;
}
