/**
 * What a worker of the pool runs (worker-pool.ts): a table of jobs by their names, one job at a time, with calls that
 * have a result and, before it, parts.
 *
 * ```
 *   begin name ---> call ---> part, part ... ---> result, or failed
 *                    |          `- taken: another may come
 *                    `- cancel: nobody wants the rest
 *   end ----------> the job is disposed of, and the worker waits for another
 * ```
 */
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { assert, unreachable } from './problem.ts';
import { yieldToOthers } from './thread.ts';
import { failureOf, type ThreadFailure } from './storage-problem.ts';

/** To the worker. Calls are numbered by who makes them. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly name: string }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly method: string;
      readonly input: unknown;
    }
  | { readonly kind: 'taken' | 'cancel'; readonly call: number }
  | { readonly kind: 'end' };

export type FromWorker =
  | { readonly kind: 'part'; readonly call: number; readonly part: unknown }
  | { readonly kind: 'result'; readonly call: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly failure: ThreadFailure };

/** What all workers of a pool begin with. */
export interface WorkerContext {
  /** The database. */
  readonly file: string;
  /** Where large answers are kept until they are sent. */
  readonly folder: string;
}

/** What is transferred with a message rather than copied; memory that is shared already may not be among it. */
export type Transferred = ArrayBufferLike | MessagePort;

/** Parts sent ahead of who takes them: one is used while the next is made. */
const partsAhead = 2;

/** Nobody wants the rest of a call: it ends where it is. */
class Cancelled extends Error {}

/** The parts of one call, sent no faster than they are taken. */
export class Parts<Part> {
  readonly #post: (part: Part, transfer: readonly Transferred[]) => void;
  #untaken = 0;
  #isCancelled = false;
  #wake = () => {};

  constructor(post: (part: Part, transfer: readonly Transferred[]) => void) {
    this.#post = post;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Resolves when the next part may come. `transfer`: memory that is moved rather than copied. */
  async send(part: Part, transfer: readonly Transferred[] = []): Promise<void> {
    this.#post(part, transfer);
    this.#untaken++;
    await this.#fewerThan(partsAhead);
  }

  /** Resolves when all parts that were sent are used. */
  allTaken(): Promise<void> {
    return this.#fewerThan(1);
  }

  taken(): void {
    this.#untaken--;
    this.#wake();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#wake();
  }

  async #fewerThan(count: number): Promise<void> {
    while (this.#untaken >= count && !this.#isCancelled) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#isCancelled) throw new Cancelled('nobody wants the rest');
  }
}

/** Makes a job: an object whose methods are called. It may be disposed of. */
export type JobProgram = (context: WorkerContext) => Promise<object>;

type Methods = Readonly<Record<string, (input: unknown, parts: Parts<unknown>) => unknown>>;

/** Makes this thread a worker that runs the jobs of the table. It yields to the threads that answer. */
export function serveJobs(table: Readonly<Record<string, JobProgram>>): void {
  const port = parentPort;
  assert(port !== null, 'this file is the program of a thread');
  yieldToOthers();
  const context = workerData as WorkerContext;
  const calls = new Map<number, Parts<unknown>>();
  let job: Promise<object> | undefined;
  const post = (message: FromWorker, transfer: readonly Transferred[] = []) =>
    port.postMessage(message, transfer as Transferable[]);

  async function run(call: number, method: string, input: unknown): Promise<void> {
    const parts = new Parts<unknown>((part, transfer) =>
      post({ kind: 'part', call, part }, transfer),
    );
    calls.set(call, parts);
    try {
      assert(job !== undefined, 'a job begins before it is called');
      const methods = (await job) as unknown as Methods;
      post({ kind: 'result', call, result: await methods[method]!(input, parts) });
    } catch (error) {
      if (!parts.isCancelled) post({ kind: 'failed', call, failure: failureOf(error) });
    } finally {
      calls.delete(call);
    }
  }

  async function end(): Promise<void> {
    const ended = job;
    job = undefined;
    for (const parts of calls.values()) parts.cancel();
    const disposable: Partial<Disposable> | undefined = await ended;
    disposable?.[Symbol.dispose]?.();
  }

  port.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'begin':
        job = table[message.name]!(context);
        // Whoever calls it gets the error.
        job.catch(() => {});
        return;
      case 'call':
        void run(message.call, message.method, message.input);
        return;
      case 'taken':
        calls.get(message.call)?.taken();
        return;
      case 'cancel':
        calls.get(message.call)?.cancel();
        return;
      case 'end':
        // What can not be closed goes with the worker.
        end().catch(() => {});
        return;
      default:
        unreachable(message);
    }
  });
}
