/**
 * The thread that waits for a storage which failed, and mends the WAL once it can be written: it tries now and
 * again, and ends when nothing is in the way of writes any more. Each time with connections of its own, for a file that
 * was opened while it could only be read stays so.
 */
import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';
import { openReader } from './reader-connection.ts';
import { openSqlite } from './sqlite.ts';
import { LostFrames, mendWal } from './wal-mending.ts';
import { walLength } from './wal-progress.ts';

/** What the thread tells; `mended` and `lost` are its last words. */
export type FromMendingThread =
  | { readonly kind: 'mended' }
  | { readonly kind: 'failing'; readonly reason: string }
  /** What was committed, and never synced, is lost: only who opens the file again sees what is left. */
  | { readonly kind: 'lost'; readonly reason: string };

const file = workerData as string;
const port = parentPort;
assert(port !== null, 'this file is the code of a thread');

function tell(message: FromMendingThread): void {
  port!.postMessage(message);
}

function mend(): void {
  const connection = openSqlite(file, { timeout: 1000, fileMustExist: true });
  try {
    connection.pragma('wal_autocheckpoint = 0');
    const reader = openReader(file);
    try {
      mendWal(connection, () => walLength(reader).bytes);
    } finally {
      reader.close();
    }
  } finally {
    connection.close();
  }
}

/** Writes as much as some commits need, and syncs it, in a file without a name: nothing of it stays. */
function probe(): void {
  const path = `${file}.probe`;
  const handle = openSync(path, 'w', 0o600);
  try {
    unlinkSync(path);
    const bytes = Buffer.alloc(limits.storageProbeBytes, 1);
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function attempt(): void {
  try {
    mend();
    probe();
    tell({ kind: 'mended' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tell({ kind: error instanceof LostFrames ? 'lost' : 'failing', reason });
    if (!(error instanceof LostFrames)) setTimeout(attempt, limits.storageLookMs);
  }
}

attempt();
