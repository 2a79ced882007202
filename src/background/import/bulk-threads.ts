/** The workers of bulk inserts, as who inserts has them: only so many at once. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type { BulkJob, BulkPlanJob, BulkReadJob, BulkReport } from './bulk-job.ts';
import { Places } from './places.ts';
import type { BulkRecords } from './requests.ts';

/** Inserts that are read or planned at once; others wait their turn. */
const maxAtOnce = 2;
/** Records that are copied in one go: some milliseconds. */
const inputsAtOnce = 2000;

export class BulkThreads {
  readonly #workers: Pick<WorkerPool, 'open'>;
  readonly #places = new Places(maxAtOnce);

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#workers = workers;
  }

  /** Waits for a turn, then for `work` to be done; what `work` hands on goes on with the worker. */
  run<Result>(work: (thread: BulkThread) => Promise<Result>): Promise<Result> {
    return this.#places.during(1, async () => {
      const thread = new BulkThread(this.#workers);
      try {
        return await work(thread);
      } catch (error) {
        thread.rest();
        throw error;
      }
    });
  }
}

export class BulkThread {
  readonly #job: Job<BulkJob>;

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#job = workers.open('bulk');
  }

  /** The insert is done, or has come to nothing. */
  rest(): void {
    this.#job.release();
  }

  /** What is not plain is sent a little at a time: copying all of it would hold up everybody. */
  async read(records: BulkRecords['records'], job: Omit<BulkReadJob, 'records'>): Promise<void> {
    if ('bytes' in records) return this.#job.call('read', { ...job, records });
    for (let start = 0; start < records.length; start += inputsAtOnce) {
      await this.#job.call('add', records.slice(start, start + inputsAtOnce));
      await nextTurn();
    }
    return this.#job.call('read', { ...job, records: undefined });
  }

  plan(job: BulkPlanJob, write: (slice: StageSlice) => Promise<void>): Promise<BulkReport> {
    return this.#job.call('plan', job, { take: write });
  }

  /** The text of the answer; when it is sent, or nobody wants the rest, the worker is free. */
  text(head: Uint8Array): AsyncIterableIterator<Uint8Array> {
    return this.#job.lastStream('text', undefined, () => this.rest(), [head]);
  }
}
