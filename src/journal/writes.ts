/**
 * The statements that change tables. They run at once, in the open transaction of the writing connection; or
 * they are noted, for a thread that commits them while this one goes on (writer.ts).
 */
import type { Connection, Statement } from './sqlite.ts';
import type { WriteLog } from './write-log.ts';

/** A statement that changes a table and tells nothing back. */
export interface Write {
  /** `values`, or those from `start` to before `end`, bound in their order. */
  run(values: readonly unknown[], start?: number, end?: number): void;
}

export class Writes {
  readonly #connection: Connection;
  readonly #texts: string[] = [];
  #log: WriteLog | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Prepares a statement. */
  statement(sql: string): Write {
    const number = this.#texts.push(sql) - 1;
    const statement: Statement = this.#connection.prepare(sql);
    return {
      run: (values, start = 0, end = values.length) => {
        if (this.#log !== undefined) {
          this.#log.note(number, values, start, end);
          return;
        }
        const areAll = start === 0 && end === values.length;
        statement.run(areAll ? values : values.slice(start, end));
      },
    };
  }

  /** The texts of the statements, by their numbers in a log. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** What is noted; undefined while statements run at once. */
  get log(): WriteLog | undefined {
    return this.#log;
  }

  get isNoted(): boolean {
    return this.#log !== undefined;
  }

  /** From now on statements are noted in `log`. */
  note(log: WriteLog): void {
    this.#log = log;
  }

  /** From now on statements run at once. */
  runAtOnce(): void {
    this.#log = undefined;
  }
}
