/** The job of long reads (long-reading.ts). Each read is of one committed state. */
import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import type { Parts } from '../base/jobs.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { Rights, type RightsMessage } from '../domain/access/rights.ts';
import { inOneState, openReader } from '../journal/reader-connection.ts';
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
  /**
   * Milliseconds after which what is left of a stream is buffered in memory. Its state is open until all of it is, for
   * as long as that takes among other reads.
   */
  readonly openMs: number;
  /** Bytes of all that is buffered; a stream that needs more is broken off. */
  readonly bufferedBytes: number;
}

/** Milliseconds of buffering in one turn. */
const turnMs = 10;

const serviceBounds: Bounds = { openMs: 50_000, bufferedBytes: limits.bufferedBytes };

/** A part that nobody has taken yet. */
interface Buffered {
  readonly part: unknown;
  readonly bytes: number;
}

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
    return inOneState(this.#connection, () => this.#reads[asked.name]!(...argumentsOf(asked)));
  }

  async stream(asked: AskedRead, parts: Parts<unknown>): Promise<void> {
    const own = openReader(this.#file);
    try {
      own.exec('BEGIN');
      const streams = longReads(own).streams as unknown as Named<Iterable<unknown>>;
      const stored = streams[asked.name]!(...argumentsOf(asked))[Symbol.iterator]();
      await this.#sendAll(own, stored, parts);
    } finally {
      own.close();
    }
  }

  async #sendAll(own: Connection, stored: Iterator<unknown>, parts: Parts<unknown>): Promise<void> {
    const rest: Buffered[] = [];
    let buffering: Promise<void> | undefined;
    const timer = setTimeout(() => {
      buffering = this.#buffer(own, stored, rest);
      // What becomes of it is for whoever has taken all that was buffered.
      buffering.catch(() => {});
    }, this.#bounds.openMs);
    try {
      for (;;) {
        const first = rest.shift();
        if (first !== undefined) {
          this.#bufferedBytes -= first.bytes;
          await send(first.part, parts);
        } else if (own.open) {
          const { done, value } = stored.next();
          if (done === true) return;
          await send(value, parts);
        } else return await buffering;
      }
    } finally {
      clearTimeout(timer);
      this.#drop(rest);
      stored.return?.();
    }
  }

  /** Takes what is left of a stream, with turns of others in between, and then ends its state. */
  async #buffer(own: Connection, stored: Iterator<unknown>, rest: Buffered[]): Promise<void> {
    let turnEndsMs = monotonicMs() + turnMs;
    try {
      while (own.open) {
        if (this.#bufferedBytes >= this.#bounds.bufferedBytes) {
          this.#drop(rest);
          throw new Problem('OVERLOADED', 'the client takes too long for its answer', 5);
        }
        const { done, value: part } = stored.next();
        if (done === true) return;
        const bytes = bytesOf(part);
        rest.push({ part, bytes });
        this.#bufferedBytes += bytes;
        if (monotonicMs() < turnEndsMs) continue;
        await setImmediate();
        turnEndsMs = monotonicMs() + turnMs;
      }
    } finally {
      stored.return?.();
      if (own.open) own.close();
    }
  }

  #drop(rest: Buffered[]): void {
    for (const { bytes } of rest.splice(0)) this.#bufferedBytes -= bytes;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

function argumentsOf({ rights, args }: AskedRead): readonly unknown[] {
  return rights === undefined ? args : [Rights.of(rights), ...args];
}

/** About what an object, an array or a Buffer takes in memory beside what is in it. */
const objectBytes = 100;

/** About what a part takes in memory. */
function bytesOf(part: unknown): number {
  if (typeof part === 'string') return part.length;
  if (part instanceof Uint8Array) return objectBytes + part.length;
  if (typeof part !== 'object' || part === null) return 0;
  return Object.values(part).reduce((sum, each) => sum + bytesOf(each), objectBytes);
}

/** Bytes have memory of their own, which is transferred. */
function send(part: unknown, parts: Parts<unknown>): Promise<void> {
  return parts.send(part, part instanceof Uint8Array ? [part.buffer] : []);
}
