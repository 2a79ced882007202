/**
 * Who checkpoints: copies the WAL into the database file and begins it from its start again.
 *
 * A program that replicates the file (Litestream) follows the WAL. Where somebody else checkpoints while it
 * is stopped, frames are overwritten that it never saw, and its replica can go wrong without a word. So with
 * `external` no connection of ours checkpoints: not after a commit (wal_autocheckpoint), not in a thread,
 * and not when the last one is closed. SQLite does the last by itself, unless another connection has the
 * file open; one that only reads never does it. So one is opened first and closed last (`HeldWal`).
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openReader } from './reader-connection.ts';
import { type Connection, DatabaseError } from './sqlite.ts';
import { type WalLength, walLength } from './wal-progress.ts';

/** Tables that Litestream makes in a database which it replicates. */
export const litestreamTables = ['_litestream_seq', '_litestream_lock'] as const;

/** The service would checkpoint a database that Litestream replicates. */
export class CheckpointsError extends DatabaseError {}

/** The folder beside a database where Litestream keeps its state. */
export function litestreamFolder(file: string): string {
  return join(dirname(file), `.${basename(file)}-litestream`);
}

/** What shows that Litestream replicates a database, as words for a message; undefined when nothing does. */
export function litestreamTraceOf(file: string, connection: Connection): string | undefined {
  const named = connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const table = litestreamTables.find((name) => named.get(name) !== undefined);
  return table === undefined ? folderTraceOf(file) : `it has Litestream's table ${table}`;
}

function folderTraceOf(file: string): string | undefined {
  const folder = litestreamFolder(file);
  return existsSync(folder) ? `Litestream's folder ${folder} stands beside it` : undefined;
}

/** Drops Litestream's tables from a copy, which it does not replicate; it makes them again where it does. */
export function dropLitestreamTables(connection: Connection): void {
  for (const table of litestreamTables) connection.exec(`DROP TABLE IF EXISTS ${table}`);
}

/**
 * Refuses to checkpoint what Litestream replicates. Reads the file by a connection that only reads: to open
 * and close another one would be a checkpoint already. CheckpointsError names the key.
 */
export function requireOwnCheckpoints(file: string): void {
  const trace = existsSync(file) ? readTrace(file) : folderTraceOf(file);
  if (trace === undefined) return;
  throw new CheckpointsError(
    `database.checkpoints is 'own', but ${trace}: checkpoints by the service would make the replica ` +
      "wrong. Set database.checkpoints to 'external' as long as Litestream replicates it",
  );
}

function readTrace(file: string): string | undefined {
  const connection = openReader(file);
  try {
    return litestreamTraceOf(file, connection);
  } finally {
    connection.close();
  }
}

/** A look at the WAL of an open database by a connection of its own; until it is closed, no other closes the WAL. */
export class HeldWal {
  readonly #connection: Connection;

  constructor(file: string) {
    this.#connection = openReader(file, true);
    this.hold();
  }

  /** Takes SQLite's shared lock on the file. It lasts where there is a WAL, so a new database is held again. */
  hold(): void {
    this.#connection.prepare('SELECT count(*) FROM sqlite_schema').get();
  }

  length(): WalLength {
    return walLength(this.#connection);
  }

  close(): void {
    this.#connection.close();
  }
}
