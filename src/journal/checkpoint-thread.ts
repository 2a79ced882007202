/**
 * A thread that moves what is in the WAL into the database file, so that commits need not: it copies and
 * syncs while the writer goes on (SQLite's passive checkpoint waits for nobody).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../base/gentle-thread.ts';
import { openSqlite } from './sqlite.ts';

const connection = openSqlite(workerData as string, { timeout: 0 });
connection.pragma('wal_autocheckpoint = 0');
giveWayToOthers();

/** Pages of WAL that are worth a checkpoint. */
const worthwhilePages = 1000;
const intervalMs = 100;

function checkpoint(): void {
  try {
    const [{ log, checkpointed }] = connection.pragma('wal_checkpoint(NOOP)') as [Progress];
    if (log - checkpointed >= worthwhilePages) connection.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // Busy: somebody else is at it, or the file is going away.
  }
}

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

const timer = setInterval(checkpoint, intervalMs);
parentPort?.once('message', () => {
  clearInterval(timer);
  connection.close();
});
