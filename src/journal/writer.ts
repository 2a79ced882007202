/**
 * The thread that commits (writer-thread.ts), as those have it who decide: batches go there as logs of their
 * writes, one after the other, and each is told of when it is on disk. Meanwhile the next are decided.
 *
 * Whoever can not go on before they are on disk waits where it stands (`settle`).
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Worker,
} from 'node:worker_threads';
import { monotonicMs } from '../base/clock.ts';
import { startThread } from '../base/thread.ts';
import type { Connection } from './sqlite.ts';
import { WriteLog } from './write-log.ts';
import type { WriteFailure, WriteJob, WriteReport, WriterData } from './writer-protocol.ts';
import { walPagesFor } from './wal-room.ts';
import { hasOwnCheckpoints } from './writer-settings.ts';
import type { Writes } from './writes.ts';

export type { WriteFailure } from './writer-protocol.ts';

/** Milliseconds without a batch after which the thread and its memory are given back. */
const idleMs = 30_000;
/** Milliseconds from one start to the next, where threads do not live. */
const againMs = 200;
/** Milliseconds that a batch is waited for: no disk that still works takes so long. */
const patienceMs = 60_000;

/** Logs whose memory is kept to be used again. */
const logsKept = 4;

/** Called when a batch is on disk, or will not be. */
export type Told = (failure: WriteFailure | undefined) => void;

interface Received {
  readonly message: WriteReport | 'ready';
}

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly done: Int32Array;
  /** Statements that it knows. */
  known: number;
  isReady: boolean;
}

export class Writer {
  readonly #file: string;
  readonly #writes: Writes;
  readonly #checkpointsItself: boolean;
  #thread: Thread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #number = 0;
  /** Of the batches in work, by their numbers. */
  readonly #told = new Map<number, Told>();
  readonly #spare: ArrayBuffer[] = [];
  #walPages = 0;
  /** From so many on a checkpoint is due. */
  #longFrom: number;
  #startsAgainAt = 0;

  /** `connection` is the main one, which decides. */
  constructor(connection: Connection, writes: Writes) {
    this.#file = connection.name;
    this.#longFrom = walPagesFor(this.#file);
    this.#checkpointsItself = hasOwnCheckpoints(connection);
    this.#writes = writes;
  }

  /** Whether there is a thread that takes batches. */
  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Whether the WAL is so long that a checkpoint of ours is due, while nobody reads or writes. */
  get isWalLong(): boolean {
    return this.#checkpointsItself && this.#walPages >= this.#longFrom;
  }

  /** Copies what is left of the WAL into the database, so that the next commit begins it anew. */
  checkpoint(connection: Connection): void {
    // A reader that goes on for long may keep it from its end: then it is not tried with every batch.
    this.#longFrom = this.#walPages + walPagesFor(this.#file) / 4;
    try {
      connection.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // No space is left for it: nobody's commit fails of that, and it is tried again after the next.
    }
  }

  /** Has a thread started, which is ready some time later. */
  start(): void {
    if (this.#thread === undefined) {
      if (monotonicMs() < this.#startsAgainAt) return;
      this.#startsAgainAt = monotonicMs() + againMs;
      try {
        this.#thread = this.#startThread();
      } catch {
        // Whoever decides writes too, until there is room for a thread.
        return;
      }
    }
    this.#keepAwake();
  }

  /** A log for the next batch. */
  newLog(): WriteLog {
    return new WriteLog(this.#spare.pop());
  }

  /**
   * Hands over a batch, which follows those before it: where one fails, those that were handed over until
   * then fail too, untouched, and nobody is told of them. The thread is ready.
   */
  send(log: WriteLog, told: Told): void {
    const thread = this.#thread!;
    const { memory, length } = log.take();
    const { texts } = this.#writes;
    const number = ++this.#number;
    const job: WriteJob = {
      number,
      follows: this.#told.size > 0,
      memory,
      length,
      texts: thread.known < texts.length ? texts.slice(thread.known) : [],
    };
    thread.known = texts.length;
    this.#told.set(number, told);
    thread.port.ref();
    thread.port.postMessage(job, [memory]);
    this.#keepAwake();
  }

  /** Waits for the batches that are in work, and tells of them. */
  settle(): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    const until = monotonicMs() + patienceMs;
    while (this.#told.size > 0 && thread === this.#thread) {
      const hasEnded = Atomics.load(thread.done, 1) === 1;
      const done = Atomics.load(thread.done, 0);
      const report = receiveMessageOnPort(thread.port) as Received | undefined;
      if (report !== undefined) this.#hear(thread, report.message);
      else if (hasEnded) this.#lose(thread, new Error('the thread that writes has ended'));
      else if (monotonicMs() < until) Atomics.wait(thread.done, 0, done, 1000);
      else this.#lose(thread, new Error('the thread that writes is stuck'));
    }
  }

  /** Ends the thread, once the batch in work is told of. */
  async close(): Promise<void> {
    this.settle();
    await this.#end();
  }

  #startThread(): Thread {
    const done = new Int32Array(new SharedArrayBuffer(8));
    Atomics.store(done, 0, this.#number);
    const { port1: port, port2 } = new MessageChannel();
    const workerData: WriterData = { file: this.#file, done, port: port2 };
    const worker = startThread(new URL('./writer-thread.ts', import.meta.url), {
      workerData,
      transferList: [port2],
    });
    const thread: Thread = { worker, port, done, known: 0, isReady: false };
    worker.unref();
    worker.on('error', (error) => this.#lose(thread, error as Error));
    worker.on('exit', () => this.#lose(thread, new Error('the thread that writes has ended')));
    port.on('message', (message: WriteReport | 'ready') => this.#hear(thread, message));
    port.unref();
    return thread;
  }

  #hear(thread: Thread, message: WriteReport | 'ready'): void {
    if (thread !== this.#thread) return;
    if (message === 'ready') {
      thread.isReady = true;
      return;
    }
    const { number, memory, walPages, failure } = message;
    if (walPages < this.#walPages) this.#longFrom = walPagesFor(this.#file);
    this.#walPages = walPages;
    if (this.#spare.length < logsKept) this.#spare.push(memory);
    const told = this.#told.get(number);
    // One that followed a batch that failed: its caller knows, and may have handed over others since.
    if (told === undefined) return;
    this.#told.delete(number);
    this.#tell(told, failure);
    if (this.#told.size === 0) thread.port.unref();
  }

  #tell(told: Told | undefined, failure: WriteFailure | undefined): void {
    if (failure !== undefined) this.#told.clear();
    told?.(failure);
  }

  /** The thread is gone: whether its batch is on disk is for the caller to see. */
  #lose(thread: Thread, error: Error): void {
    if (thread !== this.#thread) return;
    void this.#end();
    void thread.worker.terminate();
    const [told] = this.#told.values();
    this.#tell(told, { message: error.message, code: undefined, outcome: 'unknown' });
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined || thread.worker.threadId === -1) return;
    // Whatever comes before it: a thread that fails ends too.
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve));
    thread.worker.ref();
    thread.port.postMessage('stop');
    thread.port.close();
    await ended;
  }

  #keepAwake(): void {
    if (this.#idleTimer === undefined) {
      this.#idleTimer = setTimeout(() => this.#rest(), idleMs).unref();
    } else this.#idleTimer.refresh();
  }

  #rest(): void {
    if (this.#told.size > 0) this.#keepAwake();
    else void this.#end();
  }
}
