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
  StorageFault,
  type StorageFaultKind,
  stopsWriting,
} from '../base/storage-fault.ts';
import { startThread } from '../base/thread.ts';
import type { FromMendingThread } from './mending-thread.ts';

/** Takes failures of writes, and says before a write whether it may be tried. */
export interface WriteGate {
  readonly isWritable: boolean;
  /** What callers get while nothing can be written. */
  readonly refusal: StorageFault;
  /** Takes the error of a write that failed and is undone; returns what its caller gets. */
  failed(error: unknown): unknown;
}

/** For those who have no storage to look after: errors are judged, and nothing is kept of them. */
export const unguarded: WriteGate = {
  isWritable: true,
  refusal: new StorageFault('io'),
  failed: judgeError,
};

export interface StorageOptions {
  /** The database. */
  readonly file: string;
  /** Keeps checkpoints from copying what may be lost, or lets them go on. */
  readonly holdCheckpoints: (isHeld: boolean) => void;
  readonly told: StorageListener;
}

export interface StorageListener {
  /** One more fault; not more often than it makes sense to log. */
  fault(kind: StorageFaultKind, error: unknown): void;
  unavailable(kind: StorageFaultKind, error: unknown): void;
  available(afterMs: number): void;
  /** Never returns: the process has to end without closing the database. */
  lost(reason: string): void;
  /** Every fault. */
  count(kind: StorageFaultKind): void;
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
  readonly #quietUntil = new Map<StorageFaultKind, number>();
  /** Faults that were counted, or that callers get because of one that was. */
  readonly #known = new WeakSet<StorageFault>();
  #kind: StorageFaultKind = 'io';
  #failingSince: number | undefined;
  #readFaultAt = Number.NEGATIVE_INFINITY;
  #readKind: StorageFaultKind = 'io';
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
  get stall(): StorageFault | undefined {
    if (!this.#isStalled) return undefined;
    const refusal = new StorageFault('stalled');
    this.#known.add(refusal);
    return refusal;
  }

  get refusal(): StorageFault {
    const refusal = new StorageFault(this.#kind);
    this.#known.add(refusal);
    return refusal;
  }

  /** Why writes or reads fail, as far as was seen; undefined while they succeed. */
  get problem(): StorageFault | undefined {
    if (this.#failingSince !== undefined) return this.refusal;
    if (this.#isStalled) return this.stall;
    const isOver = monotonicMs() - this.#readFaultAt > limits.storageReadFaultMs;
    return isOver ? undefined : new StorageFault(this.#readKind);
  }

  failed(error: unknown): unknown {
    const told = judgeError(error);
    if (!(told instanceof StorageFault)) return told;
    const begins = stopsWriting(told.kind) && this.#failingSince === undefined && !this.#isStopped;
    this.#count(told, begins);
    if (begins) this.#begin(told);
    return told;
  }

  /** Called when a caller gets a fault that was counted before. */
  recognise(error: unknown): void {
    if (error instanceof StorageFault) this.#known.add(error);
  }

  /** Hears of a fault that nobody waits for, and that keeps nobody from writing. */
  failedAside(error: unknown): void {
    const told = judgeError(error);
    if (told instanceof StorageFault) this.#count(told);
  }

  /** Called with an error that a listener or an API met; false when it is no fault of the storage. */
  noted(error: unknown): boolean {
    const told = judgeError(error);
    if (!(told instanceof StorageFault)) return false;
    if (this.#known.has(told)) return true;
    this.#count(told);
    if (!stopsWriting(told.kind)) return true;
    this.#readFaultAt = monotonicMs();
    this.#readKind = told.kind;
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
    const { told } = this.#options;
    const seen = Atomics.load(this.commits, 0);
    const waitedMs = monotonicMs() - this.#seenSince;
    if (seen !== this.#seen || (seen & 1) === 0) {
      this.#seen = seen;
      this.#seenSince = monotonicMs();
      if (!this.#isStalled) return;
      this.#isStalled = false;
      told.available(Math.round(waitedMs));
    } else if (!this.#isStalled && waitedMs >= limits.storageStallMs) {
      this.#isStalled = true;
      told.count('stalled');
      told.unavailable('stalled', undefined);
    }
  }

  /** Whoever tells of it in another way has it counted silently. */
  #count(fault: StorageFault, isSilent = false): void {
    const { told } = this.#options;
    const { kind, cause } = fault;
    this.#known.add(fault);
    told.count(kind);
    if (isSilent || monotonicMs() < (this.#quietUntil.get(kind) ?? 0)) return;
    this.#quietUntil.set(kind, monotonicMs() + limits.storageLogMs);
    told.fault(kind, cause);
  }

  #begin({ kind, cause }: StorageFault): void {
    const { holdCheckpoints, told } = this.#options;
    this.#kind = kind;
    this.#failingSince = monotonicMs();
    holdCheckpoints(true);
    told.unavailable(kind, cause);
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
      this.#options.told.lost(message.reason);
      return;
    }
    const afterMs = monotonicMs() - (this.#failingSince ?? monotonicMs());
    this.#failingSince = undefined;
    this.#options.holdCheckpoints(false);
    this.#options.told.available(Math.round(afterMs));
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
