/**
 * Gathers rows for one table and inserts many with one statement: a call of a statement costs as much
 * as a row does.
 */
import type { Connection, Statement } from './sqlite.ts';

/** Rows of one statement, most first. */
const rowsPerStatement = [64, 8, 1];

export class RowWriter {
  readonly #columns: number;
  readonly #statements: readonly { readonly rows: number; readonly insert: Statement }[];
  #values: unknown[] = [];

  /** `into`: table and columns. `verb`: INSERT, or INSERT OR REPLACE. */
  constructor(connection: Connection, into: string, columns: number, verb = 'INSERT') {
    this.#columns = columns;
    const row = `(${Array(columns).fill('?').join(', ')})`;
    this.#statements = rowsPerStatement.map((rows) => {
      const values = Array(rows).fill(row).join(', ');
      return { rows, insert: connection.prepare(`${verb} INTO ${into} VALUES ${values}`) };
    });
  }

  /** Adds one row, which is not written yet. */
  add(...values: readonly unknown[]): void {
    this.#values.push(...values);
  }

  /** Writes the rows added since the last time, in their order. */
  flush(): void {
    const values = this.#values;
    if (values.length === 0) return;
    let at = 0;
    for (const { rows, insert } of this.#statements) {
      const size = rows * this.#columns;
      for (; values.length - at >= size; at += size) insert.run(values.slice(at, at + size));
    }
    this.forget();
  }

  /** After a rollback: rows that were added and not written never are. */
  forget(): void {
    this.#values = [];
  }
}
