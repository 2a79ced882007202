/**
 * A thread that moves what is in the WAL into the database file, so that commits need not: it copies and
 * syncs while the writer goes on (SQLite's passive checkpoint waits for nobody). It lays the WAL out, too.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../base/gentle-thread.ts';
import { openSqlite } from './sqlite.ts';
import { walProgress } from './wal-progress.ts';
import { layOutWal } from './wal-space.ts';

const connection = openSqlite(workerData as string, { timeout: 0 });
connection.pragma('wal_autocheckpoint = 0');
giveWayToOthers();

/** Pages of WAL that are worth a checkpoint. */
const worthwhilePages = 1000;
const intervalMs = 100;
/** Pages of WAL, a megabyte, after which it is laid out: more may come. */
const busyPages = 256;
/** Milliseconds between two pieces of it, so that others come in between. */
const pauseMs = 5;

let laying: NodeJS.Timeout | undefined;

function checkpoint(): void {
  try {
    const { log, checkpointed } = walProgress(connection);
    if (log >= busyPages) laying ??= setTimeout(layOut, pauseMs);
    if (log - checkpointed >= worthwhilePages) connection.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // Busy: somebody else is at it, or the file is going away.
  }
}

function layOut(): void {
  try {
    if (!layOutWal(connection)) return;
  } catch (error) {
    // Where there is no room, commits will say so.
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') return;
  }
  laying = setTimeout(layOut, pauseMs);
}

const timer = setInterval(checkpoint, intervalMs);
parentPort?.once('message', () => {
  clearInterval(timer);
  clearTimeout(laying);
  connection.close();
});
