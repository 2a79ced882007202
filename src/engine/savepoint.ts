/** Savepoints: a part of a transaction that is undone alone when it fails (SQLite SAVEPOINT). */
import type { Connection, Statement } from '../journal/database.ts';

export class Savepoint {
  readonly #connection: Connection;
  readonly #begin: Statement;
  readonly #release: Statement;
  readonly #undo: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = connection.prepare('SAVEPOINT command');
    this.#release = connection.prepare('RELEASE command');
    this.#undo = connection.prepare('ROLLBACK TO command');
  }

  /** Runs `work`; what it wrote stays only when it returns. */
  run<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#release.run();
      return result;
    } catch (error) {
      // Some failures (a full disk) end the whole transaction: then there is nothing to undo.
      if (this.#connection.inTransaction) this.#undoOrRollBack();
      throw error;
    }
  }

  /** What can not be undone alone must not be committed with the rest: then all of it goes. */
  #undoOrRollBack(): void {
    try {
      this.#undo.run();
      this.#release.run();
    } catch {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}
