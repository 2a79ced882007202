/** How far the WAL of a database has come, in pages. */
import type { Connection } from './sqlite.ts';

export interface WalProgress {
  /** Pages in it. */
  readonly log: number;
  /** Pages of it that are in the database file already. */
  readonly checkpointed: number;
}

export function walProgress(connection: Connection): WalProgress {
  const [progress] = connection.pragma('wal_checkpoint(NOOP)') as [WalProgress];
  return progress;
}
