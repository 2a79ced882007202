/** How far the WAL of a database has come. */
import type { Connection } from './sqlite.ts';

/** Bytes of the header of a WAL and of each frame's: https://www.sqlite.org/fileformat2.html#walformat */
export const walHeaderBytes = 32;
export const frameHeaderBytes = 24;

export interface WalProgress {
  /** Pages in it. */
  readonly log: number;
  /** Pages of it that are in the database file already. */
  readonly checkpointed: number;
}

/** The connection is in no transaction. */
export function walProgress(connection: Connection): WalProgress {
  const [progress] = connection.pragma('wal_checkpoint(NOOP)') as [WalProgress];
  return progress;
}

export interface WalLength {
  /** Bytes of the WAL in use: since it was begun from its start. The file may be longer. */
  readonly bytes: number;
  /** Bytes of it that no checkpoint has copied into the database file yet. */
  readonly pendingBytes: number;
}

/** The connection is in no transaction. */
export function walLength(connection: Connection): WalLength {
  const pageBytes = connection.pragma('page_size', { simple: true }) as number;
  const frameBytes = pageBytes + frameHeaderBytes;
  // -1 of a database that has no WAL yet.
  const { log, checkpointed } = walProgress(connection);
  return {
    bytes: log > 0 ? walHeaderBytes + log * frameBytes : 0,
    pendingBytes: Math.max(0, log - checkpointed) * frameBytes,
  };
}
