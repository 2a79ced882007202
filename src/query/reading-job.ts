/** The job of long reads (long-reading.ts). Each read is of one committed state. */
import type { Parts } from '../base/jobs.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
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

interface Bounds {
  /** Milliseconds a stream may keep its state open; what is left is then buffered in memory. */
  readonly openMs: number;
  /** Bytes of all that is buffered; a stream that has more left is broken off. */
  readonly bufferedBytes: number;
}

const serviceBounds: Bounds = { openMs: 50_000, bufferedBytes: limits.bufferedBytes };

export class ReadingJob {
  readonly #file: string;
  readonly #bounds: Bounds;
  #bufferedBytes = 0;
  readonly #connection: Connection;
  readonly #reads: Named<unknown>;

  constructor(file: string, bounds = serviceBounds) {
    this.#file = file;
    this.#bounds = bounds;
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
    const rest: unknown[] = [];
    let bytes = 0;
    let isTooMuch = false;
    const timer = setTimeout(() => {
      const room = this.#bounds.bufferedBytes - this.#bufferedBytes;
      for (let next = stored.next(); next.done !== true; next = stored.next()) {
        rest.push(next.value);
        bytes += bytesOf(next.value);
        isTooMuch = bytes > room;
        if (isTooMuch) break;
      }
      if (isTooMuch) {
        rest.length = 0;
        bytes = 0;
      }
      this.#bufferedBytes += bytes;
      own.close();
    }, this.#bounds.openMs);
    try {
      while (own.open) {
        const { done, value } = stored.next();
        if (done === true) return;
        await send(value, parts);
      }
      if (isTooMuch) throw new Problem('OVERLOADED', 'the client takes too long for its answer', 5);
      for (const part of rest) await send(part, parts);
    } finally {
      this.#bufferedBytes -= bytes;
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

/** About what a part takes in memory: its texts and bytes. */
function bytesOf(part: unknown): number {
  if (typeof part === 'string') return part.length;
  if (part instanceof Uint8Array) return part.length;
  if (typeof part !== 'object' || part === null) return 0;
  return Object.values(part).reduce((sum, each) => sum + bytesOf(each), 0);
}

/** Bytes have memory of their own, which is handed over. */
function send(part: unknown, parts: Parts<unknown>): Promise<void> {
  return parts.send(part, part instanceof Uint8Array ? [part.buffer] : []);
}
