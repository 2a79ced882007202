/** A job of the worker pool (worker-pool.ts) that many call. */
import type { CallOptions, InputOf, Job, PartOf, ResultOf, WorkerPool } from './worker-pool.ts';

/** Milliseconds that it is kept for its next call. */
const keptMs = 2000;

/** One call of a shared job. */
interface Use<Methods> extends Disposable {
  readonly job: Job<Methods>;
  /** It failed: when nobody has the job, the next call has another one. */
  giveUp(): void;
}

/** A job that many call at once: it has a worker as long as one of them does, and a moment longer. */
export class SharedJob<Methods> {
  readonly #pool: Pick<WorkerPool, 'open'>;
  readonly #name: string;
  #job: Job<Methods> | undefined;
  #callers = 0;
  /** What it holds may be what made a call fail. */
  #isSuspect = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pick<WorkerPool, 'open'>, name: string) {
    this.#pool = pool;
    this.#name = name;
  }

  async call<Name extends keyof Methods & string>(
    method: Name,
    input: InputOf<Methods, Name>,
    options?: CallOptions<PartOf<Methods, Name>>,
  ): Promise<ResultOf<Methods, Name>> {
    using use = this.#use();
    try {
      return await use.job.call(method, input, options);
    } catch (error) {
      use.giveUp();
      throw error;
    }
  }

  async *stream<Name extends keyof Methods & string>(
    method: Name,
    input: InputOf<Methods, Name>,
  ): AsyncGenerator<PartOf<Methods, Name>, void, undefined> {
    using use = this.#use();
    try {
      yield* use.job.stream(method, input);
    } catch (error) {
      use.giveUp();
      throw error;
    }
  }

  #use(): Use<Methods> {
    if (this.#job?.isThere !== true) {
      this.#job = this.#pool.open(this.#name);
      this.#callers = 0;
      this.#isSuspect = false;
    }
    const job = this.#job;
    clearTimeout(this.#timer);
    this.#callers++;
    return {
      job,
      giveUp: () => {
        this.#isSuspect = true;
      },
      [Symbol.dispose]: () => {
        if (job !== this.#job || --this.#callers > 0) return;
        if (!this.#isSuspect) return this.#releaseLater(job);
        this.#job = undefined;
        job.release();
      },
    };
  }

  /** To begin a job takes longer than most of its calls. */
  #releaseLater(job: Job<Methods>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (job !== this.#job || this.#callers > 0) return;
      this.#job = undefined;
      job.release();
    }, keptMs);
    this.#timer.unref();
  }
}
