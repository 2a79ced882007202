/** What the thread that writes and the one that decides tell each other. */

import type { MessagePort } from 'node:worker_threads';

/** What a thread that writes begins with. */
export interface WriterData {
  readonly file: string;
  /**
   * Shared: in its first place the number of the last batch that the thread is done with; in its second 1
   * once the thread has ended, for one that waits there hears of nothing else.
   */
  readonly done: Int32Array;
  readonly port: MessagePort;
}

/** A batch to be committed. */
export interface WriteJob {
  readonly number: number;
  /** Whether it is built upon the one before: if that failed, it must not be tried. */
  readonly follows: boolean;
  /** The log of its writes (write-log.ts), in memory that goes with it. */
  readonly memory: ArrayBuffer;
  readonly length: number;
  /** The texts of statements that the thread does not know, in the order of their numbers. */
  readonly texts: readonly string[];
}

/** What became of it. */
export interface WriteReport {
  readonly number: number;
  /** The memory, which comes back to be used again. */
  readonly memory: ArrayBuffer;
  /** Pages in the WAL. */
  readonly walPages: number;
  readonly failure?: WriteFailure;
}

export interface WriteFailure {
  readonly message: string;
  readonly code: string | undefined;
  /**
   * `undone`: before its commit, so that its commands may be tried one by one. `failed`: otherwise, and
   * nothing of it is there. `unknown`: the thread is gone.
   */
  readonly outcome: 'undone' | 'failed' | 'unknown';
}
