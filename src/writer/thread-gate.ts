/**
 * The gate of writes (journal/storage.ts) as the thread that writes has it. A failure closes it at once; the main
 * thread, which is notified, has the storage repaired and says when it opens again.
 */
import {
  judgeError,
  StorageProblem,
  type StorageProblemKind,
  stopsWriting,
} from '../base/storage-problem.ts';
import { openReader } from '../journal/reader-connection.ts';
import type { Connection } from '../journal/sqlite.ts';
import type { WriteGate } from '../journal/storage.ts';
import { voidRefused } from '../journal/wal-mending.ts';
import { walLength } from '../journal/wal-progress.ts';

export class ThreadGate implements WriteGate {
  readonly #connection: Connection;
  readonly #checkpointsHeld: Int32Array | undefined;
  readonly #tell: (problem: StorageProblem) => void;
  #failing: StorageProblemKind | undefined;

  /** `connection` is the one that writes, which is in no transaction when a write has failed. */
  constructor(
    connection: Connection,
    checkpointsHeld: Int32Array | undefined,
    tell: (problem: StorageProblem) => void,
  ) {
    this.#connection = connection;
    this.#checkpointsHeld = checkpointsHeld;
    this.#tell = tell;
  }

  get isWritable(): boolean {
    return this.#failing === undefined;
  }

  get writeProblem(): StorageProblem {
    return new StorageProblem(this.#failing ?? 'io');
  }

  failed(error: unknown): unknown {
    const problem = judgeError(error);
    if (!(problem instanceof StorageProblem)) return problem;
    if (stopsWriting(problem.kind) && this.isWritable) {
      this.#failing = problem.kind;
      if (this.#checkpointsHeld !== undefined) Atomics.store(this.#checkpointsHeld, 0, 1);
      this.#void();
    }
    this.#tell(problem);
    return problem;
  }

  /** The storage can be written again. */
  open(): void {
    this.#failing = undefined;
  }

  /** At once: who is refused must not find it done after a kill. */
  #void(): void {
    try {
      const reader = openReader(this.#connection.name);
      try {
        voidRefused(this.#connection, () => walLength(reader).bytes);
      } finally {
        reader.close();
      }
    } catch {
      // The thread that mends does it when it can be done.
    }
  }
}
