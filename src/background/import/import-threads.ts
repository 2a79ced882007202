/**
 * The workers of imports, as who imports has them, and how many of them read and plan at a time. One is started as soon
 * as a large file begins to come in, and waits for it.
 */
import { Problem } from '../../base/problem.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import { withBuffer } from '../../dns/record.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type { ImportJob } from './import-job.ts';
import type {
  CompareJob,
  CompareReport,
  FileRead,
  PlanJob,
  PlanReport,
  ReadJob,
  RollbackJob,
  RollbackReport,
} from './protocol.ts';
import { Slots } from './slots.ts';

/** Records of a transfer after which a worker is as good as new. */
const lightRecords = 3000;

/** Imports that are read or prepared at once; others wait their turn. */
const atOnce = 2;
/** Bytes of a file above which it is read alone: with its records it takes several times as much memory. */
const largeFile = 16 * 1024 * 1024;

type WriteSlice = (slice: StageSlice) => Promise<void>;

export class ImportThreads {
  readonly #workers: Pick<WorkerPool, 'open'>;
  readonly #slots = new Slots(atOnce);

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#workers = workers;
  }

  /** Does work with a thread, which ends then unless it is kept for the diff of the result. */
  async with<Result>(
    work: (thread: ImportThread) => Promise<Result>,
    isKeptFor: (result: Result) => boolean,
  ): Promise<Result> {
    const thread = new ImportThread(this.#workers);
    let isKept = false;
    try {
      const result = await work(thread);
      isKept = isKeptFor(result);
      return result;
    } finally {
      if (!isKept) thread.end();
    }
  }

  /** The same when its turn comes; a large file has all turns. */
  run<Result>(
    fileBytes: number,
    work: (thread: ImportThread) => Promise<Result>,
    isKeptFor: (result: Result) => boolean,
  ): Promise<Result> {
    return this.inTurn(fileBytes, () => this.with(work, isKeptFor));
  }

  /** Waits for a turn, or all of them for a large file, and does work then. */
  inTurn<Result>(fileBytes: number, work: () => Promise<Result>): Promise<Result> {
    return this.#slots.during(fileBytes > largeFile ? atOnce : 1, work);
  }
}

export class ImportThread {
  readonly #job: Job<ImportJob>;
  #isLight = false;

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#job = workers.open('import');
  }

  async read(job: ReadJob): Promise<FileRead> {
    const { source } = job;
    const hasBytes = source.kind === 'content' && source.text instanceof Uint8Array;
    const transfer = hasBytes ? [source.text.buffer] : [];
    return withBuffers(await this.#job.call('read', job, { transfer }));
  }

  /**
   * The same of a zone from a server. `more` is called for each further share that it needs; what that throws ends the
   * transfer, and so does the signal: OVERLOADED.
   */
  async transfer(
    job: ReadJob,
    more: () => void,
    ended: AbortSignal | undefined,
  ): Promise<FileRead> {
    const end = () => this.#job.end();
    ended?.addEventListener('abort', end);
    if (ended?.aborted === true) end();
    try {
      const read = await this.#job.call('read', job, { take: more });
      this.#isLight = read.count + read.report.skippedCount <= lightRecords;
      return withBuffers(read);
    } catch (error) {
      if (ended?.aborted !== true) throw error;
      const message = 'the transfer was given up: the service stops, or its caller has left';
      throw new Problem('OVERLOADED', message, 5);
    } finally {
      ended?.removeEventListener('abort', end);
    }
  }

  compare(job: CompareJob): Promise<CompareReport> {
    const transfer = job.file instanceof Uint8Array ? [job.file.buffer] : [];
    return this.#job.call('compare', job, { transfer });
  }

  /** Has the slices of the stage written, and resolves after the last. */
  plan(job: PlanJob, write: WriteSlice): Promise<PlanReport> {
    return this.#job.call('plan', job, { take: write });
  }

  rollBack(job: RollbackJob, write: WriteSlice): Promise<RollbackReport> {
    return this.#job.call('rollBack', job, { take: write });
  }

  /** The text of the entries; the worker ends when it is sent, or nobody wants the rest. */
  diff(): AsyncIterable<Uint8Array> {
    return this.#job.lastStream('diff', undefined, () => this.end());
  }

  /** Its heap has held the file and the zone; after little, as in moves of many zones, others take it. */
  end(): void {
    if (this.#isLight) this.#job.release();
    else this.#job.end();
  }
}

/** What a thread has read comes without the methods of a Buffer. */
function withBuffers(read: FileRead): FileRead {
  return { ...read, records: read.records?.map(withBuffer) };
}
