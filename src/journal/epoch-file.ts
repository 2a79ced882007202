/**
 * The file `epoch` beside the database: which epoch the service is in, and how far its journal had come
 * when the file was last written. A database that is behind it was taken back (restored, copied from
 * elsewhere, reset with its machine), and secondaries may hold serials that it never saw.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, requireAccess } from './file-access.ts';
import { replaceFile, replaceFileAside } from './data-file.ts';

/** Its name in a data folder. */
export const epochFileName = 'epoch';

export interface EpochEntry {
  /** Counts from 1; 0 for a database from before epochs. */
  readonly epoch: number;
  /** The greatest sequence number of an event that was served. */
  readonly seq: number;
  /** The hash of that event in hex: another database may count as far. */
  readonly hash?: string | undefined;
  /** How far epochs have moved anything (`jumped` in domain/epoch.ts). */
  readonly jumped?: number | undefined;
}

export interface EpochFile extends EpochEntry {
  /** What the database will be when the step that is being taken is done: either is right until then. */
  readonly next?: EpochEntry | undefined;
}

/** Undefined when there is none, or it holds something else; AccessError when it is somebody else's. */
export function readEpochFile(dataDir: string): EpochFile | undefined {
  const file = join(dataDir, epochFileName);
  if (!isThere(file)) return undefined;
  requireAccess(file, 'read');
  try {
    const epochs = JSON.parse(readFileSync(file, 'utf8'));
    const entry = entryIn(epochs);
    if (entry === undefined) return undefined;
    const next = entryIn(epochs.next);
    return next === undefined ? entry : { ...entry, next };
  } catch {
    return undefined;
  }
}

function entryIn(epochs: Partial<EpochEntry> | undefined): EpochEntry | undefined {
  const { epoch, seq, hash, jumped } = epochs ?? {};
  if (!isCount(epoch) || !isCount(seq)) return undefined;
  return {
    epoch,
    seq,
    ...(typeof hash === 'string' && { hash }),
    ...(isCount(jumped) && { jumped }),
  };
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textOf({ epoch, seq, hash, jumped, next }: EpochFile): string {
  return `${JSON.stringify({ epoch, seq, hash, jumped, next })}\n`;
}

/** Replaces the file; it is on disk when this returns. */
export function writeEpochFile(dataDir: string, epochs: EpochFile): void {
  replaceFile(join(dataDir, epochFileName), textOf(epochs));
}

/** The same without holding up this thread. One at a time, and none beside `writeEpochFile`. */
export function replaceEpochFile(dataDir: string, epochs: EpochFile): Promise<void> {
  return replaceFileAside(join(dataDir, epochFileName), textOf(epochs));
}
