/**
 * The worker pool: threads of one program, each with one job at a time, for whatever would hold up the threads that
 * answer and that write.
 *
 * ```
 *   open(name) -> an idle worker, or a new one -> call, call ... -> release -> idle --10 s--> ended
 *                                                  |                  end ------------------> ended
 *                                                  `- the thread fails or ends: all of its calls are rejected
 * ```
 * Who opens jobs says how many there may be at once; the pool keeps some workers ready, because reading the code of one
 * takes as long as a large file.
 */
import type { Transferable, Worker } from 'node:worker_threads';
import type { FromWorker, Parts, ToWorker, Transferred, WorkerContext } from './jobs.ts';
import { startThread } from './thread.ts';
import { errorOf } from './storage-problem.ts';

/** Milliseconds that a worker without a job and its memory are kept. */
const idleMs = 10_000;
/** Workers that wait for a job at most. */
const maxIdle = 2;
/** Streams that follow a job (`lastStream`) at once: each holds a worker until its reader has all of it. */
const maxLastStreams = 8;

export type InputOf<Methods, Name extends keyof Methods> = Methods[Name] extends (
  input: infer Input,
  ...parts: never[]
) => unknown
  ? Input
  : never;
export type ResultOf<Methods, Name extends keyof Methods> = Methods[Name] extends (
  ...args: never[]
) => infer Result
  ? Awaited<Result>
  : never;
export type PartOf<Methods, Name extends keyof Methods> = Methods[Name] extends (
  input: never,
  parts: Parts<infer Part>,
) => unknown
  ? Part
  : never;

export interface CallOptions<Part> {
  /** Memory of the input that is moved rather than copied. */
  readonly transfer?: readonly Transferred[];
  /** Takes a part; another comes when it has resolved. */
  readonly take?: (part: Part) => unknown;
}

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  take(part: unknown): void;
}

export class WorkerPool {
  readonly #program: URL;
  readonly #context: WorkerContext;
  readonly #workers = new Set<PoolWorker>();
  readonly #lastStreams = new LastStreams();
  #idle: PoolWorker[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `program`: the source file of a thread that calls `serveJobs` (jobs.ts). */
  constructor(program: URL, context: WorkerContext) {
    this.#program = program;
    this.#context = context;
  }

  /** Starts workers that will be needed soon, unless that many are idle. */
  expect(count = 1): void {
    while (this.#ready().length < count) this.#idle.push(this.#start());
    this.#endIdleLater();
  }

  /** A worker for a job, until it is released or ended. */
  open<Methods>(name: string): Job<Methods> {
    const worker = this.#ready().pop() ?? this.#start();
    worker.post({ kind: 'begin', name });
    return new Job(worker, () => this.#giveBack(worker), this.#lastStreams);
  }

  /** Ends all workers, whatever they do; their calls are rejected. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#idle = [];
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  #start(): PoolWorker {
    const worker = new PoolWorker(this.#program, this.#context, () => {
      this.#workers.delete(worker);
    });
    this.#workers.add(worker);
    return worker;
  }

  #ready(): PoolWorker[] {
    this.#idle = this.#idle.filter(({ isThere }) => isThere);
    return this.#idle;
  }

  #giveBack(worker: PoolWorker): void {
    if (!worker.isThere) return;
    if (this.#ready().length >= maxIdle) {
      void worker.end();
      return;
    }
    worker.post({ kind: 'end' });
    this.#idle.push(worker);
    this.#endIdleLater();
  }

  #endIdleLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const worker of this.#idle.splice(0)) void worker.end();
    }, idleMs).unref();
  }
}

/**
 * The streams that readers have not read to their end. One too many ends the one of which nothing was taken for
 * longest: readers who take nothing hold no more workers than that.
 */
class LastStreams {
  /** What ends each, in the order in which a part was taken of them. */
  readonly #cuts = new Set<() => void>();

  add(cut: () => void): void {
    const [first] = this.#cuts;
    if (first !== undefined && this.#cuts.size >= maxLastStreams) first();
    this.#cuts.add(cut);
  }

  taken(cut: () => void): void {
    if (this.#cuts.delete(cut)) this.#cuts.add(cut);
  }

  delete(cut: () => void): void {
    this.#cuts.delete(cut);
  }
}

/** A job that somebody has a worker for. */
export class Job<Methods> {
  readonly #worker: PoolWorker;
  readonly #giveBack: () => void;
  readonly #lastStreams: LastStreams;
  #isOver = false;

  constructor(worker: PoolWorker, giveBack: () => void, lastStreams: LastStreams) {
    this.#worker = worker;
    this.#giveBack = giveBack;
    this.#lastStreams = lastStreams;
  }

  /** False once its thread has ended, for whatever reason. */
  get isThere(): boolean {
    return this.#worker.isThere;
  }

  call<Name extends keyof Methods & string>(
    method: Name,
    input: InputOf<Methods, Name>,
    { transfer = [], take = () => {} }: CallOptions<PartOf<Methods, Name>> = {},
  ): Promise<ResultOf<Methods, Name>> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const call = worker.begin(method, input, transfer, {
        resolve: resolve as Call['resolve'],
        reject,
        take(part) {
          const taken = (async () => take(part as PartOf<Methods, Name>))();
          taken.then(
            () => worker.post({ kind: 'taken', call }),
            (error) => {
              worker.cancel(call);
              reject(error);
            },
          );
        },
      });
    });
  }

  /** The parts of a call; who stops taking them cancels it. */
  async *stream<Name extends keyof Methods & string>(
    method: Name,
    input: InputOf<Methods, Name>,
  ): AsyncGenerator<PartOf<Methods, Name>, void, undefined> {
    const worker = this.#worker;
    const come: PartOf<Methods, Name>[] = [];
    let wake = () => {};
    let outcome: { readonly error?: unknown } | undefined;
    const end = (ended: typeof outcome) => {
      outcome = ended;
      wake();
    };
    const call = worker.begin(method, input, [], {
      resolve: () => end({}),
      reject: (error) => end({ error }),
      take(part) {
        come.push(part as PartOf<Methods, Name>);
        wake();
      },
    });
    try {
      while (true) {
        while (come.length === 0 && outcome === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (outcome !== undefined && 'error' in outcome) throw outcome.error;
        if (come.length === 0) return;
        // The next one is made while this one is used.
        worker.post({ kind: 'taken', call });
        yield come.shift()!;
      }
    } finally {
      if (outcome === undefined) worker.cancel(call);
    }
  }

  /**
   * `head` and the parts of its last call; `over` is called then, or when nobody wants them, read or not. Rejects where
   * other readers came and this one took nothing for longest.
   */
  lastStream<Name extends keyof Methods & string>(
    method: Name,
    input: InputOf<Methods, Name>,
    over: () => void,
    head: PartOf<Methods, Name>[] = [],
  ): AsyncIterableIterator<PartOf<Methods, Name>> {
    const parts = this.stream(method, input);
    const streams = this.#lastStreams;
    let isCut = false;
    const end = () => {
      streams.delete(cut);
      over();
    };
    const cut = () => {
      isCut = true;
      end();
    };
    streams.add(cut);
    return {
      async next() {
        if (isCut) throw new Error('the reader of an answer was too slow while others waited');
        streams.taken(cut);
        const first = head.shift();
        if (first !== undefined) return { done: false, value: first };
        let isMore = false;
        try {
          const next = await parts.next();
          isMore = next.done !== true;
          return next;
        } finally {
          if (!isMore) end();
        }
      },
      async return() {
        end();
        await parts.return();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** The worker is for others; calls that go on are given up. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#worker.cancelAll();
    this.#giveBack();
  }

  /** The worker goes with the job: it took much memory, or does what can not be stopped. */
  end(): void {
    this.#isOver = true;
    void this.#worker.end();
  }
}

/** One thread. It keeps the process as long as anybody waits for it. */
class PoolWorker {
  isThere = true;
  readonly #thread: Worker;
  readonly #calls = new Map<number, Call>();
  #last = 0;

  constructor(program: URL, context: WorkerContext, onEnd: () => void) {
    this.#thread = startThread(program, { workerData: context });
    const stopped = (error: unknown) => {
      this.isThere = false;
      onEnd();
      this.#rejectAll(error);
    };
    this.#thread.on('message', (message: FromWorker) => this.#hear(message));
    this.#thread.on('error', stopped);
    this.#thread.on('exit', () => stopped(workerEnded()));
    // Last, as hearing a thread holds the process.
    this.#thread.unref();
  }

  begin(method: string, input: unknown, transfer: readonly Transferred[], waiting: Call): number {
    const call = ++this.#last;
    if (!this.isThere) {
      waiting.reject(new Error('the worker has ended'));
      return call;
    }
    this.#calls.set(call, waiting);
    this.#thread.ref();
    this.post({ kind: 'call', call, method, input }, transfer);
    return call;
  }

  /** Nobody waits for a call any more. */
  cancel(call: number): void {
    this.post({ kind: 'cancel', call });
    this.#forget(call);
  }

  /** The same of all calls; who does wait gets an error. */
  cancelAll(): void {
    for (const [call, { reject }] of [...this.#calls]) {
      this.cancel(call);
      reject(new Error('the job was given up'));
    }
  }

  post(message: ToWorker, transfer: readonly Transferred[] = []): void {
    this.#thread.postMessage(message, transfer as readonly Transferable[]);
  }

  /** Resolves when the thread has ended, which may be long after: nothing interrupts SQLite. Its calls are rejected. */
  async end(): Promise<void> {
    this.isThere = false;
    this.#rejectAll(workerEnded());
    await this.#thread.terminate();
  }

  #rejectAll(error: unknown): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }

  #hear(message: FromWorker): void {
    const call = this.#calls.get(message.call);
    if (message.kind === 'part') {
      call?.take(message.part);
      return;
    }
    this.#forget(message.call);
    if (message.kind === 'result') call?.resolve(message.result);
    else call?.reject(errorOf(message.failure));
  }

  #forget(call: number): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#thread.unref();
  }
}

function workerEnded(): Error {
  return new Error('a worker ended');
}
