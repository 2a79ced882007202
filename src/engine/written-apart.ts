/**
 * Batches that another thread writes: while they are on their way to the disk, commands of the next are
 * decided already, against what is kept in memory. Worth its while when many commands come at once.
 *
 * ```
 *   run ──► gathered ──handOver──► under way ──on disk──► told
 * ```
 * What is gathered is built upon what is under way: should a batch fail, all after it are undone and
 * decided again.
 *
 * Meanwhile this thread's connection reads one snapshot, which goes forward between two turns of the event
 * loop alone: whoever reads with several statements reads one state, as if nobody else wrote.
 */
import { assert } from '../base/problem.ts';
import { unguarded } from '../journal/storage.ts';
import type { WriteLog } from '../journal/write-log.ts';
import type { WriteFailure, Writer } from '../journal/writer.ts';
import { Batch, type Submission } from './batch.ts';
import type { EngineServices, Executor } from './executor.ts';

/** Whom it tells of what became of batches. */
export interface Sink {
  /** The batch is on disk. */
  stored(batch: Batch): void;
  /** They were undone: they are to be decided again, one by one. */
  redo(submissions: readonly Submission[]): void;
  /** Undone too, but no fault of theirs: these go to the head of the queue. */
  requeue(submissions: readonly Submission[]): void;
  /** There is room again. */
  goOn(): void;
}

/** Batches that are under way at most. */
const mostUnderWay = 2;
/** Commands that are worth a batch of their own while another one is being written. */
const worthQueueing = 32;

/** A batch that is on its way to the disk. */
interface UnderWay {
  readonly batch: Batch;
  /** Those after it that had nothing to write. */
  readonly followers: Batch[];
  /** The number of its last event. */
  readonly lastSeq: number;
}

export class WrittenApart {
  readonly #executor: Executor;
  readonly #services: Pick<EngineServices, 'connection' | 'journal' | 'storage'>;
  readonly #writer: Writer;
  readonly #sink: Sink;
  #log: WriteLog | undefined;
  #gathered = new Batch();
  #underWay: UnderWay[] = [];
  /** Commands of a batch that is undone, until those before it are on disk: if they fail, they come first. */
  #setAside: Submission[] = [];
  #holdsSnapshot = false;

  constructor(
    executor: Executor,
    services: Pick<EngineServices, 'connection' | 'journal' | 'storage'>,
    writer: Writer,
    sink: Sink,
  ) {
    this.#executor = executor;
    this.#services = services;
    this.#writer = writer;
    this.#sink = sink;
  }

  /** Commands that are decided and not told of. */
  get size(): number {
    return this.#batches.reduce((sum, { taken }) => sum + taken.length, 0);
  }

  /** Commands that are gathered for the next batch. */
  get gathered(): number {
    return this.#gathered.taken.length;
  }

  /** Whether nothing can be handed over before something is on disk. */
  get isBusy(): boolean {
    return this.#underWay.length >= mostUnderWay;
  }

  /** Decides one more command. */
  run(submission: Submission): void {
    const { writes } = this.#services.journal;
    if (this.#log === undefined) {
      this.#log = this.#writer.newLog();
      writes.note(this.#log);
    }
    // Its time is taken from its first command on.
    if (this.gathered === 0) this.#gathered = new Batch();
    try {
      this.#gathered.run(submission);
    } catch {
      // It fails again, and alone, when they are decided one by one.
      this.#redo();
      return;
    }
    if (!this.#executor.pending.isLarge) return;
    this.settle();
    this.#executor.pending.trim();
  }

  /** Hands over what is gathered, where that keeps the thread at work. */
  handOver(): void {
    try {
      this.#send()?.();
    } catch {
      // It fails again, and alone, when they are decided one by one.
      this.#redo();
    }
  }

  /** Returns when everything that was decided is on disk, or undone; from then on statements run at once. */
  settle(): void {
    while (this.size > 0) {
      this.#writer.settle();
      // Nothing is under way any more.
      this.handOver();
    }
    this.#runAtOnce();
  }

  /** All that is decided and not told of, in order. */
  get #batches(): Batch[] {
    return [...batchesOf(this.#underWay), this.#gathered];
  }

  /** Hands over what is gathered, or returns how to tell of it when there is nothing to write. */
  #send(): (() => void) | undefined {
    const batch = this.#gathered;
    const log = this.#log;
    const isWorthIt = this.#underWay.length === 0 || this.gathered >= worthQueueing;
    if (this.isBusy || !isWorthIt || this.gathered === 0 || log === undefined) return undefined;
    assert(this.#writer.isReady, 'the thread that writes is there');
    const { journal } = this.#services;
    const { state, pending } = this.#executor;
    this.#executor.finish();
    batch.close(state, this.#executor.takeJournalled());
    if (!log.isEmpty) this.#holdSnapshot();
    // Until here it is all or nothing: what fails leaves the batch to be decided again.
    this.#gathered = new Batch();
    if (log.isEmpty) {
      // What it was decided upon may not be on disk yet.
      const last = this.#underWay.at(-1);
      if (last === undefined) return () => this.#sink.stored(batch);
      last.followers.push(batch);
      return undefined;
    }
    pending.handOver();
    this.#underWay.push({ batch, followers: [], lastSeq: journal.last().seq });
    this.#writer.send(log, (failure) => this.#told(failure));
    this.#log = this.#writer.newLog();
    journal.writes.note(this.#log);
    return undefined;
  }

  #told(failure: WriteFailure | undefined): void {
    if (failure !== undefined) {
      this.#fail(failure);
      this.#sink.goOn();
      return;
    }
    const { batch, followers } = this.#underWay.shift()!;
    this.#letSnapshotGo();
    if (this.#underWay.length > 0) this.#holdSnapshot();
    this.#executor.pending.arrived();
    // The thread gets its next batch before anybody is told of this one.
    let tellNext: (() => void) | undefined;
    let hasFailed = false;
    try {
      tellNext = this.#send();
    } catch {
      hasFailed = true;
    }
    for (const each of [batch, ...followers]) this.#sink.stored(each);
    tellNext?.();
    if (hasFailed) this.#redo();
    if (this.#writer.isWalLong) this.#shortenWal();
    this.#sink.goOn();
  }

  /** What is gathered is undone, and decided again once that which it was built upon is on disk. */
  #redo(): void {
    this.#setAside = this.#gathered.taken.slice();
    this.#gathered = new Batch();
    this.#log?.clear();
    this.#writer.settle();
    this.#forget();
    this.#sink.redo(this.#setAside.splice(0));
  }

  /** The first batch under way is not on disk, or nobody knows. */
  #fail({ outcome, message, code }: WriteFailure): void {
    const underWay = this.#underWay;
    const gathered = this.#gathered;
    this.#underWay = [];
    this.#gathered = new Batch();
    this.#forget();
    const gate = this.#services.storage ?? unguarded;
    let reason = gate.failed(Object.assign(new Error(message), { code }));
    let lastStored: number | undefined = 0;
    try {
      if (outcome === 'unknown') lastStored = this.#lastStored();
    } catch (error) {
      lastStored = undefined;
      reason = gate.failed(error);
    }
    // The thread may have written more than it came to tell of.
    while (underWay.length > 0 && underWay[0]!.lastSeq <= (lastStored ?? 0)) {
      for (const each of batchesOf([underWay.shift()!])) this.#sink.stored(each);
    }
    // Where nobody can say what is on disk, nothing is tried again.
    const isUnknown = lastStored === undefined;
    const failing = batchesOf(isUnknown ? underWay : []);
    const [first, ...later] = isUnknown ? [] : batchesOf(underWay);
    const undone = [...later, gathered].flatMap(({ taken }) => taken);
    this.#sink.requeue([...undone, ...this.#setAside.splice(0)]);
    for (const batch of failing) batch.reject(reason);
    if (first === undefined) return;
    // A storage that can not be written is not tried again.
    if (outcome === 'failed' || !gate.isWritable) first.reject(reason);
    else this.#sink.redo(first.taken);
  }

  /** The last event on disk, now that the thread that was to write more is gone. */
  #lastStored(): number {
    const { connection, journal } = this.#services;
    // Waits until whatever the thread had begun is over.
    connection.exec('BEGIN IMMEDIATE; ROLLBACK');
    return journal.head().seq;
  }

  #forget(): void {
    this.#runAtOnce();
    this.#executor.forget();
  }

  /** The snapshots that are read here, one after the other, let no checkpoint come to the end. */
  #shortenWal(): void {
    this.settle();
    if (this.#writer.isWalLong) this.#writer.checkpoint(this.#services.connection);
  }

  #holdSnapshot(): void {
    if (this.#holdsSnapshot) return;
    this.#services.connection.exec('BEGIN');
    this.#holdsSnapshot = true;
  }

  #letSnapshotGo(): void {
    const { connection } = this.#services;
    // A read that fails may have ended it already.
    if (this.#holdsSnapshot && connection.inTransaction) connection.exec('COMMIT');
    this.#holdsSnapshot = false;
  }

  #runAtOnce(): void {
    this.#letSnapshotGo();
    this.#log = undefined;
    this.#services.journal.writes.runAtOnce();
  }
}

function batchesOf(underWay: readonly UnderWay[]): Batch[] {
  return underWay.flatMap(({ batch, followers }) => [batch, ...followers]);
}
