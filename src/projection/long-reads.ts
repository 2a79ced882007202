/**
 * Reads that would hold the loop up run in a thread with a connection of its own; short ones run here.
 *
 * The thread sees what is committed when it begins, so whoever was answered reads what he wrote. It
 * starts with the first long read and is given back after a while without any.
 */
import { Worker } from 'node:worker_threads';
import { Problem, type ProblemCode } from '../base/problem.ts';
import type { Listed, Page } from './page.ts';
import type { FoundRecord, RecordFilter, RecordQueries, RecordSort } from './record-queries.ts';

/** The reads a thread can do, by their names. */
export interface LongReads {
  listRecords(filter: RecordFilter, sort: RecordSort, page: Page): Listed<FoundRecord>;
}

export type ToReader = {
  [Name in keyof LongReads]: {
    readonly job: number;
    readonly name: Name;
    readonly args: Parameters<LongReads[Name]>;
  };
}[keyof LongReads];

export type FromReader =
  | { readonly job: number; readonly result: unknown }
  | { readonly job: number; readonly code: ProblemCode | undefined; readonly message: string };

interface Job {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Records that are looked at without leaving this thread: about 5 ms. */
const recordsLookedAtHere = 10_000;
/** Milliseconds without a long read after which the thread and its memory are given back. */
const idleMs = 30_000;

export class Reader {
  readonly #file: string;
  readonly #records: RecordQueries;
  readonly #jobs = new Map<number, Job>();
  #lastJob = 0;
  #thread: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(file: string, records: RecordQueries) {
    this.#file = file;
    this.#records = records;
  }

  byId(id: number): FoundRecord | undefined {
    return this.#records.byId(id);
  }

  list(
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<FoundRecord> | Promise<Listed<FoundRecord>> {
    if (this.#records.cost(filter, sort, page) <= recordsLookedAtHere) {
      return this.#records.list(filter, sort, page);
    }
    return this.#run('listRecords', [filter, sort, page]).then(withBuffers);
  }

  #run<Name extends keyof LongReads>(
    name: Name,
    args: Parameters<LongReads[Name]>,
  ): Promise<ReturnType<LongReads[Name]>> {
    const job = ++this.#lastJob;
    clearTimeout(this.#idleTimer);
    return new Promise((resolve, reject) => {
      this.#jobs.set(job, { resolve: resolve as Job['resolve'], reject });
      this.#running().postMessage({ job, name, args } satisfies ToReader);
    });
  }

  #running(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(new URL('./long-reads-worker.ts', import.meta.url), {
      workerData: this.#file,
    });
    thread.unref();
    thread.on('message', (message: FromReader) => this.#receive(message));
    thread.on('error', (error) => this.#stopped(thread, error));
    thread.on('exit', () => this.#stopped(thread, new Error('the reading thread ended')));
    this.#thread = thread;
    return thread;
  }

  #receive(message: FromReader): void {
    const job = this.#jobs.get(message.job);
    this.#jobs.delete(message.job);
    if ('result' in message) job?.resolve(message.result);
    else if (message.code === undefined) job?.reject(new Error(message.message));
    else job?.reject(new Problem(message.code, message.message));
    if (this.#jobs.size > 0) return;
    this.#idleTimer = setTimeout(() => void this.close(), idleMs);
    this.#idleTimer.unref();
  }

  #stopped(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const job of this.#jobs.values()) job.reject(error);
    this.#jobs.clear();
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#thread?.terminate();
  }
}

/** Octets come from another thread without the class that reads them. */
function withBuffers(listed: Listed<FoundRecord>): Listed<FoundRecord> {
  const items = listed.items.map(({ zone, record }) => {
    const { buffer, byteOffset, length } = record.rdata;
    return { zone, record: { ...record, rdata: Buffer.from(buffer, byteOffset, length) } };
  });
  return { items, total: listed.total };
}
