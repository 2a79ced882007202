/**
 * Threads of bulk inserts, as the main thread has them: a few, which go on to the next insert when they
 * are done with one, and are given back after a while without any.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../base/thread.ts';
import { errorOf } from '../../base/thread-failure.ts';
import type { BulkRecords } from './requests.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type {
  BulkPlanJob,
  BulkReadJob,
  BulkReport,
  FromBulkThread,
  ToBulkThread,
} from './bulk-protocol.ts';

/** Milliseconds without an insert after which a thread and its memory are given back. */
const idleMs = 10_000;
/** Threads that wait for work at most. */
const mostIdle = 2;
/** Inserts that are read or planned at once; others wait their turn. */
const atOnce = 2;
/** Records that are copied in one go: some milliseconds. */
const inputsAtOnce = 2000;
/** Pieces of an answer that are asked for ahead. */
const piecesAhead = 2;

export class BulkThreads {
  readonly #file: string;
  #idle: BulkThread[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Waits for a turn, then for `work` to be done; what `work` hands on goes on with the thread. */
  async run<Result>(work: (thread: BulkThread) => Promise<Result>): Promise<Result> {
    if (this.#running >= atOnce) {
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
    this.#running++;
    const thread = this.#take();
    try {
      return await work(thread);
    } catch (error) {
      thread.rest();
      throw error;
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  #take(): BulkThread {
    clearTimeout(this.#timer);
    this.#idle = this.#idle.filter(({ isThere }) => isThere);
    const thread = this.#idle.pop() ?? new BulkThread(this.#file, (done) => this.#giveBack(done));
    thread.work();
    return thread;
  }

  #giveBack(thread: BulkThread): void {
    if (this.#idle.length >= mostIdle) {
      thread.end();
      return;
    }
    this.#idle.push(thread);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const each of this.#idle.splice(0)) each.end();
    }, idleMs);
    this.#timer.unref();
  }
}

export class BulkThread {
  readonly #worker: Worker;
  readonly #giveBack: (thread: BulkThread) => void;
  /** False once it has ended, for whatever reason. */
  isThere = true;
  #isResting = false;
  #receive: ((message: FromBulkThread) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;

  constructor(file: string, giveBack: (thread: BulkThread) => void) {
    this.#giveBack = giveBack;
    this.#worker = startThread(new URL('./bulk-thread.ts', import.meta.url), {
      workerData: { file },
    });
    this.#worker.on('message', (message: FromBulkThread) => {
      if (message.kind !== 'failed') this.#receive?.(message);
      else this.#fail?.(errorOf(message));
    });
    this.#worker.on('error', (error) => this.#stopped(error));
    this.#worker.on('exit', () => this.#stopped(new Error('the thread of a bulk insert ended')));
  }

  #stopped(error: unknown): void {
    this.isThere = false;
    this.#fail?.(error);
  }

  /** From now on the process does not end before the insert does. */
  work(): void {
    this.#isResting = false;
    this.#worker.ref();
  }

  /** The insert is done, or has come to nothing. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#fail = undefined;
    this.#receive = undefined;
    if (!this.isThere) return;
    this.#post({ kind: 'rest' });
    this.#worker.unref();
    this.#giveBack(this);
  }

  /** What is not plain is sent a little at a time: copying all of it would hold up everybody. */
  async read(records: BulkRecords['records'], job: Omit<BulkReadJob, 'records'>): Promise<void> {
    if ('octets' in records) return this.#read({ ...job, records });
    for (let start = 0; start < records.length; start += inputsAtOnce) {
      this.#post({ kind: 'inputs', inputs: records.slice(start, start + inputsAtOnce) });
      await nextTurn();
    }
    return this.#read({ ...job, records: undefined });
  }

  #read(job: BulkReadJob): Promise<void> {
    return new Promise((resolve, reject) => {
      // Pieces of an earlier answer may still be on their way.
      this.#receive = ({ kind }) => {
        if (kind === 'read') resolve();
      };
      this.#fail = reject;
      // It may have ended while records were sent to it.
      if (this.isThere) this.#post({ kind: 'read', job });
      else reject(new Error('the thread of a bulk insert ended'));
    });
  }

  plan(job: BulkPlanJob, write: (slice: StageSlice) => Promise<void>): Promise<BulkReport> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#receive = (message) => {
        if (message.kind === 'planned') resolve(message.report);
        else if (message.kind === 'slice') {
          write(message.slice).then(
            () => this.#post({ kind: 'taken' }),
            (error) => {
              // It waits for what will not come.
              this.end();
              reject(error);
            },
          );
        }
      };
      this.#post({ kind: 'plan', job });
    });
  }

  /** The text of the answer; when it is sent, or nobody wants the rest, the thread is free. */
  text(head: Uint8Array): AsyncIterableIterator<Uint8Array> {
    const come: (Uint8Array | undefined)[] = [head];
    let more = () => {};
    let failure: unknown;
    this.#fail = (error) => {
      failure = error;
      more();
    };
    this.#receive = (message) => {
      come.push((message as FromBulkThread & { kind: 'text' }).piece);
      more();
    };
    for (let ahead = 0; ahead < piecesAhead; ahead++) this.#post({ kind: 'text' });
    const done = () => {
      this.rest();
      return { done: true as const, value: undefined };
    };
    return {
      next: async () => {
        while (come.length === 0 && failure === undefined) {
          await new Promise<void>((resolve) => {
            more = resolve;
          });
        }
        if (failure !== undefined) {
          done();
          throw failure;
        }
        const value = come.shift();
        if (value === undefined) return done();
        if (value !== head) this.#post({ kind: 'text' });
        return { done: false, value };
      },
      // Not asked for at all, it is let go of all the same.
      return: async () => done(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #post(message: ToBulkThread): void {
    this.#worker.postMessage(message);
  }

  end(): void {
    this.isThere = false;
    this.#fail = undefined;
    void this.#worker.terminate();
  }
}
