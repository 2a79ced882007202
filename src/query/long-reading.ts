/**
 * Reads that would hold the loop up: all of a time are done by one worker, with connections of its own.
 *
 * It sees what is committed when a read begins, so whoever was answered reads what he wrote.
 */
import { withBuffers } from '../base/message-bytes.ts';
import { SharedJob } from '../base/shared-job.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import { Rights } from '../domain/access/rights.ts';
import type { PartOf, Reads, Streams } from './long-reads.ts';
import type { AskedRead, ReadingJob } from './reading-job.ts';

/** Whoever has long reads done. */
export class LongReading {
  readonly #job: SharedJob<ReadingJob>;

  constructor(workers: Pick<WorkerPool, 'open'>) {
    this.#job = new SharedJob(workers, 'reads');
  }

  async read<Name extends keyof Reads>(
    name: Name,
    ...args: Parameters<Reads[Name]>
  ): Promise<ReturnType<Reads[Name]>> {
    return received(await this.#job.call('read', asked(name, args))) as ReturnType<Reads[Name]>;
  }

  async *stream<Name extends keyof Streams>(
    name: Name,
    ...args: Parameters<Streams[Name]>
  ): AsyncGenerator<PartOf<Name>, void, undefined> {
    for await (const part of this.#job.stream('stream', asked(name, args))) {
      yield received(part) as PartOf<Name>;
    }
  }
}

/** Rights, which come first, are sent as a message. */
function asked(name: string, args: readonly unknown[]): AskedRead {
  const [first, ...rest] = args;
  return first instanceof Rights
    ? { name, rights: first.message(), args: rest }
    : { name, rights: undefined, args };
}

function received(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? withBuffers(value) : value;
}
