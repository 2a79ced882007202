/**
 * The worker of one import, as who imports has it. One is started as soon as a large file begins to come in, and waits
 * for it.
 */
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
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

/** Records of a transfer after which a worker is as good as new. */
const lightRecords = 3000;

type WriteSlice = (slice: StageSlice) => Promise<void>;

export class ImportThread {
  readonly #job: Job<ImportJob>;
  #isLight = false;

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#job = workers.open('import');
  }

  async read(job: ReadJob): Promise<FileRead> {
    const { source } = job;
    const hasBytes = source.kind === 'content' && source.content instanceof Uint8Array;
    const transfer = hasBytes ? [source.content.buffer] : [];
    const read = await this.#job.call('read', job, { transfer });
    const count = read.count + read.report.skippedCount;
    this.#isLight = source.kind === 'server' && count <= lightRecords;
    return read;
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
