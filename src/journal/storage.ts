/**
 * Whether the storage can be written, as the thread that answers knows it; who writes has a gate of its own
 * (writer/thread-gate.ts).
 *
 * ```
 *   writable --a write fails: full, io, readonly--> failing --mended, and a probe is on disk--> writable
 *                                                     `- committed frames are lost --> lost: the process ends
 * ```
 *
 * While it is failing nobody tries to write: a commit after an fsync that failed could be acknowledged although what
 * stands before it in the WAL is lost (wal-mending.ts). Reads go on. So they do while a commit stalls: the disk neither
 * does it nor fails, and until it does one of both nobody else is let in.
 */
import type { Worker } from 'node:worker_threads';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Periodic } from '../base/periodic.ts';
import {
  judgeError,
  StorageProblem,
  type StorageProblemKind,
  stopsWriting,
} from '../base/storage-problem.ts';
import { startThread } from '../base/thread.ts';
import type { FromMendingThread } from './mending-thread.ts';

/** Takes failures of writes, and says before a write whether it may be tried. */
export interface WriteGate {
  readonly isWritable: boolean;
  /** What callers get while nothing can be written. */
  readonly writeProblem: StorageProblem;
  /** Takes the error of a write that failed and is undone; returns what its caller gets. */
  failed(error: unknown): unknown;
}

/** For those who have no storage to look after: errors are judged, and nothing is kept of them. */
export const unguarded: WriteGate = {
  isWritable: true,
  writeProblem: new StorageProblem('io'),
  failed: judgeError,
};

export interface StorageOptions {
  /** The database. */
  readonly file: string;
  /** Keeps checkpoints from copying what may be lost, or lets them go on. */
  readonly holdCheckpoints: (isHeld: boolean) => void;
  readonly reports: StorageListener;
}

export interface StorageListener {
  /** One more fault; not more often than it makes sense to log. */
  failure(kind: StorageProblemKind, error: unknown): void;
  unavailable(kind: StorageProblemKind, error: unknown): void;
  available(afterMs: number): void;
  /** Never returns: the process has to end without closing the database. */
  lost(reason: string): void;
  /** Every fault. */
  count(kind: StorageProblemKind): void;
}

export class Storage implements WriteGate {
  /** Shared with the thread that writes, in its first place: odd while a commit waits for the disk. */
  readonly commits = new Int32Array(new SharedArrayBuffer(4));
  readonly #options: StorageOptions;
  readonly #looking: Periodic;
  /** The state of `commits` that was seen last, and since when. */
  #seen = 0;
  #seenSince = monotonicMs();
  #isStalled = false;
  readonly #returned: (() => void)[] = [];
  readonly #quietUntil = new Map<StorageProblemKind, number>();
  /** Faults that were counted, or that callers get because of one that was. */
  readonly #known = new WeakSet<StorageProblem>();
  #kind: StorageProblemKind = 'io';
  #failingSince: number | undefined;
  #readProblemAt = Number.NEGATIVE_INFINITY;
  #readKind: StorageProblemKind = 'io';
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#looking = new Periodic(() => this.#look(), {
      everyMs: limits.storageLookMs,
      failed(error) {
        throw error;
      },
    });
    this.#looking.start();
  }

  get isWritable(): boolean {
    return this.#failingSince === undefined && !this.#isStalled;
  }

  /** Why callers are refused while a commit stalls. */
  get stall(): StorageProblem | undefined {
    if (!this.#isStalled) return undefined;
    const stall = new StorageProblem('stalled');
    this.#known.add(stall);
    return stall;
  }

  get writeProblem(): StorageProblem {
    const problem = new StorageProblem(this.#kind);
    this.#known.add(problem);
    return problem;
  }

  /** Why writes or reads fail, as far as was seen; undefined while they succeed. */
  get problem(): StorageProblem | undefined {
    if (this.#failingSince !== undefined) return this.writeProblem;
    if (this.#isStalled) return this.stall;
    const isOver = monotonicMs() - this.#readProblemAt > limits.storageReadProblemMs;
    return isOver ? undefined : new StorageProblem(this.#readKind);
  }

  failed(error: unknown): unknown {
    const judged = judgeError(error);
    if (!(judged instanceof StorageProblem)) return judged;
    const begins =
      stopsWriting(judged.kind) && this.#failingSince === undefined && !this.#isStopped;
    this.#count(judged, begins);
    if (begins) this.#begin(judged);
    return judged;
  }

  /** Called when a caller gets a fault that was counted before. */
  recognise(error: unknown): void {
    if (error instanceof StorageProblem) this.#known.add(error);
  }

  /** Hears of a fault that nobody waits for, and that keeps nobody from writing. */
  failedAside(error: unknown): void {
    const judged = judgeError(error);
    if (judged instanceof StorageProblem) this.#count(judged);
  }

  /** Called with an error that a listener or an API met; false when it is no fault of the storage. */
  reportRead(error: unknown): boolean {
    const judged = judgeError(error);
    if (!(judged instanceof StorageProblem)) return false;
    if (this.#known.has(judged)) return true;
    this.#count(judged);
    if (!stopsWriting(judged.kind)) return true;
    this.#readProblemAt = monotonicMs();
    this.#readKind = judged.kind;
    return true;
  }

  /** Calls `listener` whenever the storage can be written again. */
  onReturn(listener: () => void): void {
    this.#returned.push(listener);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking.stop();
    await this.#worker?.terminate();
  }

  /** Whether one and the same commit waits for the disk since long. */
  #look(): void {
    const { reports } = this.#options;
    const seen = Atomics.load(this.commits, 0);
    const waitedMs = monotonicMs() - this.#seenSince;
    if (seen !== this.#seen || (seen & 1) === 0) {
      this.#seen = seen;
      this.#seenSince = monotonicMs();
      if (!this.#isStalled) return;
      this.#isStalled = false;
      this.#returns(waitedMs);
    } else if (!this.#isStalled && waitedMs >= limits.storageStallMs) {
      this.#isStalled = true;
      reports.count('stalled');
      reports.unavailable('stalled', undefined);
    }
  }

  /** Whoever tells of it in another way has it counted silently. */
  #count(failure: StorageProblem, isSilent = false): void {
    const { reports } = this.#options;
    const { kind, cause } = failure;
    this.#known.add(failure);
    reports.count(kind);
    if (isSilent || monotonicMs() < (this.#quietUntil.get(kind) ?? 0)) return;
    this.#quietUntil.set(kind, monotonicMs() + limits.storageLogMs);
    reports.failure(kind, cause);
  }

  #begin({ kind, cause }: StorageProblem): void {
    const { holdCheckpoints, reports } = this.#options;
    this.#kind = kind;
    this.#failingSince = monotonicMs();
    holdCheckpoints(true);
    reports.unavailable(kind, cause);
    this.#mend();
  }

  #mend(): void {
    if (this.#isStopped) return;
    try {
      const worker = startThread(new URL('./mending-thread.ts', import.meta.url), {
        workerData: this.#options.file,
      });
      worker.unref();
      worker.on('message', (message: FromMendingThread) => this.#hear(message));
      // An error is followed by the end.
      worker.on('error', () => {});
      worker.once('exit', () => this.#ended(worker));
      this.#worker = worker;
    } catch {
      this.#tryLater();
    }
  }

  #hear(message: FromMendingThread): void {
    if (message.kind === 'failing' || this.#isStopped) return;
    if (message.kind === 'lost') {
      this.#options.reports.lost(message.reason);
      return;
    }
    const afterMs = monotonicMs() - (this.#failingSince ?? monotonicMs());
    this.#failingSince = undefined;
    this.#options.holdCheckpoints(false);
    this.#returns(afterMs);
  }

  /** What waited for long may have failed in the end, and what failed may wait by now. */
  #returns(afterMs: number): void {
    if (this.#failingSince !== undefined || this.#isStalled) return;
    this.#options.reports.available(Math.round(afterMs));
    for (const listener of this.#returned) listener();
  }

  /** Whatever became of the thread: as long as nothing can be written somebody tries. */
  #ended(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    if (this.#failingSince !== undefined) this.#tryLater();
  }

  #tryLater(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#mend(), limits.storageLookMs).unref();
  }
}
