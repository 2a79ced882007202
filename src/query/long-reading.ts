/**
 * Reads that would hold the loop up: all of a time are done by one worker, with connections of its own.
 *
 * It sees what is committed when a read begins, so whoever was answered reads what he wrote.
 */
import { SharedJob } from '../base/shared-job.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { PartOf, Reads, Streams } from './long-reads.ts';
import type { ReadingJob } from './reading-job.ts';

/** Whoever has long reads done. */
export class LongReading {
  readonly #job: SharedJob<ReadingJob>;

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#job = new SharedJob(workers, 'reads');
  }

  read<Name extends keyof Reads>(
    name: Name,
    ...args: Parameters<Reads[Name]>
  ): Promise<ReturnType<Reads[Name]>> {
    return this.#job.call('read', { name, args }) as Promise<ReturnType<Reads[Name]>>;
  }

  stream<Name extends keyof Streams>(
    name: Name,
    ...args: Parameters<Streams[Name]>
  ): AsyncGenerator<PartOf<Name>, void, undefined> {
    const parts = this.#job.stream('stream', { name, args });
    return parts as AsyncGenerator<PartOf<Name>, void, undefined>;
  }
}
