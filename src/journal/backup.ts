/**
 * Copies of the database: a consistent state of it in another file, taken while a service may be
 * writing, which is not held up.
 */
import Sqlite from 'better-sqlite3';
import type { Connection } from './database.ts';

/** More pages than a database can have: the copy is made in one step. */
const everyPage = 2_147_483_647;

/** Copies what is committed in `file`, its WAL included, into the new file `target`. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const source = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    // The snapshot that this transaction holds keeps a busy writer from starting the copy over.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(target, { progress: () => everyPage });
  } finally {
    source.close();
  }
}

/** Opens a copy that nobody else uses and nobody will miss: writable, without waiting for the disk. */
export function openCopy(file: string): Connection {
  const connection = new Sqlite(file, { fileMustExist: true });
  connection.pragma('synchronous = OFF');
  connection.pragma('recursive_triggers = ON');
  return connection;
}
