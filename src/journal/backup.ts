/**
 * Copies of the database: a consistent state of it in another file, taken while a service may be
 * writing, which is not held up.
 */
import { storageProblemOf } from '../base/storage-problem.ts';
import { syncFile } from './data-file.ts';
import { type Connection, openSqlite, spillBeside } from './sqlite.ts';

/** More pages than a database can have: the copy is made in one step. */
const everyPage = 2_147_483_647;

/** Copies what is committed in `file`, its WAL included, into `target`, which is new or empty. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const source = openSqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    // The snapshot that this transaction holds keeps a busy writer from starting the copy over.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(target, { progress: () => everyPage });
  } finally {
    source.close();
  }
}

/** Where the disk of a copy is full, an error that names the file; any other error as it is. */
export function withFileNamed(copy: string, error: unknown): unknown {
  const isNamed = error instanceof Error && 'path' in error;
  if (isNamed || storageProblemOf(error)?.kind !== 'full') return error;
  const named = new Error(`${copy}: no space is left on its disk`, { cause: error });
  return Object.assign(named, { code: 'ENOSPC', path: copy });
}

/** Opens a copy that nobody else uses and nobody will miss: writable, without waiting for the disk. */
export function openCopy(file: string): Connection {
  const connection = openSqlite(file, { fileMustExist: true });
  spillBeside(connection);
  connection.pragma('synchronous = OFF');
  connection.pragma('recursive_triggers = ON');
  return connection;
}

/** Closes a copy so that all of it is in one file, and waits until that is on disk. */
export function closeAsOneFile(connection: Connection): void {
  const file = connection.name;
  connection.pragma('journal_mode = DELETE');
  connection.close();
  syncFile(file);
}

/** Takes the commits that stand beside a database nobody uses into its file. */
export function takeInWal(file: string): void {
  const connection = openSqlite(file, { fileMustExist: true });
  try {
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}
