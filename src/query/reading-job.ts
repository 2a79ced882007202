/** The job of long reads (long-reading.ts). Each read is of one committed state. */
import type { Parts } from '../base/jobs.ts';
import { Rights, type RightsMessage } from '../domain/access/rights.ts';
import { openReader } from '../journal/reader-connection.ts';
import type { Connection } from '../journal/sqlite.ts';
import { longReads } from './long-reads.ts';

/** A read by its name, and what it takes behind the rights of a caller. */
export interface AskedRead {
  readonly name: string;
  readonly rights: RightsMessage | undefined;
  readonly args: readonly unknown[];
}

type Named<Result> = Record<string, (...args: readonly unknown[]) => Result>;

/** Milliseconds a stream may keep its state open; what is left is then gathered in memory. */
const maxOpenMs = 50_000;

export class ReadingJob {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #reads: Named<unknown>;

  constructor(file: string) {
    this.#file = file;
    this.#connection = openReader(file);
    this.#reads = longReads(this.#connection).reads as unknown as Named<unknown>;
  }

  read(asked: AskedRead): unknown {
    return this.#connection.transaction(() => this.#reads[asked.name]!(...argumentsOf(asked)))();
  }

  async stream(asked: AskedRead, parts: Parts<unknown>): Promise<void> {
    const own = openReader(this.#file);
    own.exec('BEGIN');
    const streams = longReads(own).streams as unknown as Named<Iterable<unknown>>;
    const stored = streams[asked.name]!(...argumentsOf(asked))[Symbol.iterator]();
    const gathered: unknown[] = [];
    const timer = setTimeout(() => {
      for (let next = stored.next(); next.done !== true; next = stored.next()) {
        gathered.push(next.value);
      }
      own.close();
    }, maxOpenMs);
    try {
      while (own.open) {
        const { done, value } = stored.next();
        if (done === true) return;
        await send(value, parts);
      }
      for (const part of gathered) await send(part, parts);
    } finally {
      clearTimeout(timer);
      stored.return?.();
      if (own.open) own.close();
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

function argumentsOf({ rights, args }: AskedRead): readonly unknown[] {
  return rights === undefined ? args : [Rights.of(rights), ...args];
}

/** Bytes have memory of their own, which is handed over. */
function send(part: unknown, parts: Parts<unknown>): Promise<void> {
  return parts.send(part, part instanceof Uint8Array ? [part.buffer] : []);
}
