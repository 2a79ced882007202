/**
 * Work that is done again and again: at intervals, and early when somebody asks for it.
 *
 * ```
 *   waiting --interval over, wake()--> running --done or failed--> waiting
 *      |                                  | wake(): once more, right after
 *      +----------- stop() ---------------+--> stopped, when the run has ended
 * ```
 * There are never two runs at once. A failure does not end it: it is reported, and not again until a run succeeds. Its
 * timers keep no process from ending. Jobs of the service are made of it (background/jobs.ts).
 */
export interface PeriodicOptions {
  /** Milliseconds from the end of a run to the next; 0 runs only when woken. */
  readonly everyMs: number;
  /** Milliseconds from the start to the first run; those of an interval when left out. */
  readonly firstMs?: number;
  /** Up to which part of it an interval is shortened at random, so that many do not run in step: from 0 to 1. */
  readonly jitter?: number;
  /** Milliseconds from a run that failed to the next, where those are not of an interval. */
  readonly afterFailureMs?: () => number;
  /** Hears of the first failure in a row. When left out, a failure ends the process, unless that survives it. */
  failed?(error: unknown): void;
}

/** Milliseconds that a timer waits at most: a longer time would be none at all. */
const maxTimerMs = 2 ** 31 - 1;

/** One run; may say in how many milliseconds the next is due, when that is not the interval. */
export type Run = () => number | undefined | void | Promise<number | undefined | void>;

export class Periodic {
  readonly #work: Run;
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The run that was asked for while another was in progress. */
  #next: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(work: Run, options: PeriodicOptions) {
    // A run ends after it was begun, also where it fails at once.
    this.#work = async () => work();
    this.#options = options;
  }

  start(): void {
    const { everyMs, firstMs = this.#interval() } = this.#options;
    if (everyMs > 0) this.#wait(firstMs);
  }

  /** Runs now, or once more after the run in progress; resolves when that run has ended. */
  wake(): Promise<void> {
    // As a run ends the next one may wait for its turn still.
    if (this.#running === undefined) return this.#next ?? this.#begin();
    const next = () => {
      this.#next = undefined;
      return this.#begin();
    };
    this.#next ??= this.#running.then(next, next);
    return this.#next;
  }

  /** No run begins any more; resolves when the one in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** For work that may be cut short. */
  protected get isStopped(): boolean {
    return this.#isStopped;
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isStopped) return Promise.resolve();
    this.#running = this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    let dueMs: number | undefined | void;
    try {
      dueMs = await this.#work();
      this.#isFailing = false;
    } catch (error) {
      dueMs = this.#options.afterFailureMs?.();
      const isFirst = !this.#isFailing;
      this.#isFailing = true;
      if (isFirst) this.#report(error);
    } finally {
      // Also where the failure is thrown on: a process that survives it goes on.
      this.#running = undefined;
      if (dueMs !== undefined) this.#wait(dueMs);
      else if (this.#options.everyMs > 0) this.#wait(this.#interval());
    }
  }

  #report(error: unknown): void {
    const { failed } = this.#options;
    if (failed === undefined) throw error;
    failed(error);
  }

  #wait(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const leftMs = delayMs - maxTimerMs;
    const next = () => (leftMs > 0 ? this.#wait(leftMs) : void this.wake());
    this.#timer = setTimeout(next, Math.min(delayMs, maxTimerMs)).unref();
  }

  #interval(): number {
    const { everyMs, jitter = 0 } = this.#options;
    return everyMs * (1 - jitter * Math.random());
  }
}
