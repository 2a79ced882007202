/**
 * The file `epoch` beside the database: which epoch the service is in, and how far its journal had come
 * when the file was last written. A database that is behind it was taken back (restored, copied from
 * elsewhere, reset with its machine), and secondaries may hold serials that it never saw.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Its name in a data folder. */
export const epochFileName = 'epoch';

export interface EpochFile {
  /** Counts from 1. */
  readonly epoch: number;
  /** The greatest sequence number of an event that was served. */
  readonly seq: number;
}

/** Undefined when there is none, or it holds something else. */
export function readEpochFile(dataDir: string): EpochFile | undefined {
  try {
    const { epoch, seq } = JSON.parse(readFileSync(join(dataDir, epochFileName), 'utf8'));
    const isWhole = Number.isSafeInteger(epoch) && epoch >= 1 && Number.isSafeInteger(seq);
    return isWhole && seq >= 0 ? { epoch, seq } : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file; it is on disk when this returns. */
export function writeEpochFile(dataDir: string, { epoch, seq }: EpochFile): void {
  const path = join(dataDir, epochFileName);
  const next = `${path}.new`;
  const file = openSync(next, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify({ epoch, seq })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
