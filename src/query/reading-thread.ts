/**
 * Reads that would hold the loop up, in a thread with connections of its own.
 *
 * The thread sees what is committed when a read begins, so whoever was answered reads what he wrote. It
 * starts with the first read and is given back after a while without any.
 */
import type { Worker } from 'node:worker_threads';
import type { ProblemCode } from '../base/problem.ts';
import { startThread } from '../base/thread.ts';
import { errorOf } from '../base/thread-failure.ts';
import type { RightsMessage } from '../domain/access/rights.ts';
import type { NodeVersion } from '../domain/command.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { Zone } from '../domain/zone.ts';
import type { EverRecord, HistoryEntry, HistoryFilter } from './history-queries.ts';
import type { Listed, Page } from '../projection/tables.ts';
import type { FoundRecord, RecordFilter, RecordSort } from './record-queries.ts';
import type { SignatureFacts, SignatureQuestion } from './signature-scan.ts';
import type { ChangedNode } from './version-queries.ts';

/** Reads that have one answer. */
export interface Reads {
  listRecords(
    rights: RightsMessage,
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<FoundRecord>;
  history(
    rights: RightsMessage,
    zone: Zone,
    filter: HistoryFilter,
    page: Page,
  ): Listed<HistoryEntry>;
  recordEver(rights: RightsMessage, id: number): EverRecord | undefined;
  nodesThen(zone: Zone, serial: number, most: number): NodesThen | undefined;
  signatures(zoneId: number, question: SignatureQuestion): SignatureFacts;
  externalDomains(rights: RightsMessage): readonly string[];
}

/** What a zone was at a serial where it differs from now. */
export interface NodesThen {
  /** The serial of now. */
  readonly atSerial: number;
  /** Undefined when they hold more than `most` records, then or now. */
  readonly nodes: readonly NodeVersion[] | undefined;
}

/** Reads that have many parts, all of one state. */
export interface Streams {
  versionText(zone: Zone, serial: number): Iterable<Uint8Array>;
  changedNodes(zone: Zone, from: number, to: number): Iterable<readonly ChangedNode[]>;
  exportText(zone: Zone, serial: number | undefined, signed: boolean): Iterable<string>;
  externalRecords(rights: RightsMessage): Iterable<readonly StoredExternalRecord[]>;
}

export type PartOf<Name extends keyof Streams> =
  ReturnType<Streams[Name]> extends Iterable<infer Part> ? Part : never;

type Call<Name extends keyof All, All> = {
  readonly name: Name;
  readonly args: All[Name] extends (...args: infer Args) => unknown ? Args : never;
};

export type ToReader =
  | ({ readonly kind: 'read'; readonly job: number } & {
      [N in keyof Reads]: Call<N, Reads>;
    }[keyof Reads])
  | ({ readonly kind: 'stream'; readonly job: number } & {
      [N in keyof Streams]: Call<N, Streams>;
    }[keyof Streams])
  | { readonly kind: 'next' | 'cancel'; readonly job: number };

export type FromReader =
  | { readonly kind: 'result'; readonly job: number; readonly result: unknown }
  /** A part of a stream; without one it is at its end. */
  | { readonly kind: 'part'; readonly job: number; readonly part?: unknown }
  | {
      readonly kind: 'failed';
      readonly job: number;
      readonly code: ProblemCode | undefined;
      readonly message: string;
    };

interface Job {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Milliseconds without a read after which the thread and its memory are given back. */
const idleMs = 30_000;

export class ReadingThread {
  readonly #file: string;
  readonly #jobs = new Map<number, Job>();
  /** Streams that are open; the thread lives as long as there is one. */
  readonly #streams = new Set<number>();
  #lastJob = 0;
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  read<Name extends keyof Reads>(
    name: Name,
    ...args: Parameters<Reads[Name]>
  ): Promise<ReturnType<Reads[Name]>> {
    const job = ++this.#lastJob;
    const message = { kind: 'read', job, name, args } as ToReader;
    return this.#ask(job, message) as Promise<ReturnType<Reads[Name]>>;
  }

  async *stream<Name extends keyof Streams>(
    name: Name,
    ...args: Parameters<Streams[Name]>
  ): AsyncGenerator<PartOf<Name>, void, undefined> {
    const job = ++this.#lastJob;
    this.#streams.add(job);
    let coming = this.#ask(job, { kind: 'stream', job, name, args } as ToReader);
    try {
      while (true) {
        const { part } = (await coming) as { part?: PartOf<Name> };
        if (part === undefined) return;
        // The next one is made while this one is used; nobody may be there to hear that it failed.
        coming = this.#ask(job, { kind: 'next', job });
        coming.catch(() => {});
        yield part;
      }
    } finally {
      this.#streams.delete(job);
      this.#worker?.postMessage({ kind: 'cancel', job } satisfies ToReader);
      this.#restWhenIdle();
    }
  }

  #ask(job: number, message: ToReader): Promise<unknown> {
    clearTimeout(this.#idleTimer);
    return new Promise((resolve, reject) => {
      this.#jobs.set(job, { resolve, reject });
      this.#running().postMessage(message);
    });
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startThread(new URL('./reading-worker.ts', import.meta.url), {
      workerData: this.#file,
    });
    worker.on('message', (message: FromReader) => this.#receive(message));
    worker.on('error', (error) => this.#stopped(worker, error));
    worker.on('exit', () => this.#stopped(worker, new Error('the reading thread ended')));
    // Last, as hearing a thread holds the process.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromReader): void {
    const job = this.#jobs.get(message.job);
    this.#jobs.delete(message.job);
    if (message.kind === 'result') job?.resolve(message.result);
    else if (message.kind === 'part') job?.resolve(message);
    else job?.reject(errorOf(message));
    this.#restWhenIdle();
  }

  #restWhenIdle(): void {
    if (this.#jobs.size > 0 || this.#streams.size > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#rest(), idleMs);
    this.#idleTimer.unref();
  }

  /** The thread takes a while to end; who asks meanwhile has to get another one. */
  #rest(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #stopped(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const job of this.#jobs.values()) job.reject(error);
    this.#jobs.clear();
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#worker?.terminate();
  }
}
