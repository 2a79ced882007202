/**
 * The engine: the only door through which anything is written.
 *
 *   submit -> queue -> [ decide, journal, fold ] x many -> one durable commit -> answers
 *
 * The queue is drained when a turn of the loop brings nothing new, so commands that arrive together
 * share one fsync: a turn reads no more than 32 datagrams.
 * A refused one leaves nothing behind and the others go on: the law refuses before anything changes.
 * What is accepted is gathered in memory and written together. When a command fails in any other way,
 * the batch is undone and each of its commands gets a commit of its own, so that it fails alone.
 * Callers are answered, and listeners told, only after the commit is on disk. Dry runs are decided
 * in the same place and write nothing.
 *
 * Where many ordinary commands come at once, another thread writes what they make, and the next are
 * decided meanwhile (written-apart.ts). Everything else is written here, once that is on disk.
 */
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { assert, Problem } from '../base/problem.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { Statement } from '../journal/database.ts';
import { unguarded, type WriteGate } from '../journal/storage.ts';
import { Writer } from '../journal/writer.ts';
import type { Pending } from '../projection/pending.ts';
import type { RightsReader } from '../projection/rights-reader.ts';
import { Batch, causeOf, HalfWay, type Submission } from './batch.ts';
import { Crowd } from './crowd.ts';
import { type EngineOptions, type EngineServices, Executor } from './executor.ts';
import { isOrdinary } from './ordinary.ts';
import type { JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';
import { WrittenApart } from './written-apart.ts';

export type { EngineOptions, EngineServices } from './executor.ts';
export type { JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';

export class Engine {
  readonly #services: EngineServices;
  readonly #executor: Executor;
  readonly #writer: Writer;
  readonly #apart: WrittenApart;
  readonly #crowd: Crowd;
  readonly #storage: WriteGate;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #listeners: ((changes: readonly ZoneChange[]) => void)[] = [];
  readonly #eventListeners: ((events: readonly JournalledEvent[]) => void)[] = [];
  readonly #queue: Submission[] = [];
  readonly #held = new Map<string, (() => void)[]>();
  #scheduled = false;
  /** Commands of the last commit. */
  #lastBatch = 0;
  #isSynced = true;
  #closed = false;
  #signAhead: ((command: Command, options: SubmitOptions) => Promise<unknown>) | undefined;
  #drained: (() => void) | undefined;

  constructor(services: EngineServices, options: EngineOptions) {
    this.#services = services;
    this.#executor = new Executor(services, options);
    this.#crowd = new Crowd(options.crowd);
    this.#storage = services.storage ?? unguarded;
    this.#begin = services.connection.prepare('BEGIN IMMEDIATE');
    this.#end = services.connection.prepare('COMMIT');
    this.#writer = new Writer(services.connection, services.journal.writes);
    this.#apart = new WrittenApart(this.#executor, services, this.#writer, {
      stored: (batch) => this.#tell(batch),
      redo: (submissions) => this.#commitOneByOne(submissions),
      requeue: (submissions) => void this.#queue.unshift(...submissions),
      goOn: () => this.#goOn(),
    });
  }

  /** What roles may do now; doors that read ask it too. */
  get rights(): RightsReader {
    return this.#executor.rights;
  }

  /** Takes new defaults for zones created from now on. */
  configure(options: Partial<EngineOptions>): void {
    this.#executor.configure(options);
  }

  /**
   * Decides a command and, unless it is a dry run, makes it durable. Rejects with a Problem when it
   * is refused, and with OVERLOADED when too many commands wait.
   */
  submit<C extends Command>(command: C, options: SubmitOptions): Promise<OutcomeOf<C>> {
    const submission = () =>
      this.#enqueue(() => this.#executor.run(command, options), {
        isOrdinary: isOrdinary(command, options),
        signAhead: this.#aheadOf(command, options),
      });
    const waits = !(options.isHolder || options.dryRun);
    const held = waits ? this.#heldFor(command) : undefined;
    if (held === undefined) return submission() as Promise<OutcomeOf<C>>;
    if (held.length >= limits.queuedCommands) return Promise.reject(tooManyWait());
    return new Promise((resolve, reject) => {
      held.push(() => void submission().then(resolve as (outcome: unknown) => void, reject));
    });
  }

  /**
   * Lets the commands about one zone wait, save those of the holder and dry runs, until `release` is called.
   * Who comes second waits for the first.
   */
  async hold(zoneName: string): Promise<() => void> {
    while (this.#held.has(zoneName)) {
      await new Promise<void>((resolve) => this.#held.get(zoneName)!.push(resolve));
    }
    const waiting: (() => void)[] = [];
    this.#held.set(zoneName, waiting);
    return () => {
      this.#held.delete(zoneName);
      for (const submit of waiting) submit();
    };
  }

  /** What waits beside a command that has to wait. */
  #heldFor(command: Command): (() => void)[] | undefined {
    if (this.#held.size === 0) return undefined;
    const zones = this.#executor.zonesOf(command);
    return zones.map(({ name }) => this.#held.get(name)).find((held) => held !== undefined);
  }

  /**
   * Runs work of the service's own in the next commit: it writes what no reader sees, so it has no event.
   * Resolves when that is durable.
   */
  write<Result>(work: (pending: Pending) => Result): Promise<Result> {
    return this.#write(work, false);
  }

  /**
   * The same for what counts only once a later command publishes it. Its commit is not synced: that of
   * any command syncs what was written before it too.
   */
  prepare<Result>(work: (pending: Pending) => Result): Promise<Result> {
    return this.#write(work, true);
  }

  #write<Result>(work: (pending: Pending) => Result, isPreparation: boolean): Promise<Result> {
    const run = () => {
      this.#executor.flush();
      return { event: undefined, outcome: work(this.#executor.pending) };
    };
    return this.#enqueue(run, { isPreparation }) as Promise<Result>;
  }

  /** What is done when the step needs a pass over a whole zone. */
  #aheadOf(command: Command, options: SubmitOptions): Submission['signAhead'] {
    if (options.describesWhole) return undefined;
    return () => {
      assert(this.#signAhead !== undefined, 'somebody signs whole zones ahead');
      return this.#signAhead(command, options);
    };
  }

  /** Who prepares passes over whole zones, and submits the command again with what was prepared. */
  set signAhead(signAhead: (
    command: Command,
    options: SubmitOptions,
  ) => Promise<OutcomeOf<Command>>,) {
    this.#signAhead = signAhead;
  }

  #enqueue(
    run: Submission['run'],
    { isPreparation = false, isOrdinary = false, signAhead }: Partial<Submission>,
  ): Promise<unknown> {
    if (this.#closed || this.#queue.length >= limits.queuedCommands) {
      const stopping = new Problem('OVERLOADED', 'the service is stopping', 1);
      return Promise.reject(this.#closed ? stopping : tooManyWait());
    }
    if (!this.#storage.isWritable) return Promise.reject(this.#storage.refusal);
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, isPreparation, isOrdinary, signAhead, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Returns when everything that was decided is on disk. Until the end of the turn nobody else writes, and
   * the connection may.
   */
  settle(): void {
    this.#apart.settle();
  }

  /** Listeners hear of changes after they are durable, in order; they must not throw. */
  onCommit(listener: (changes: readonly ZoneChange[]) => void): void {
    this.#listeners.push(listener);
  }

  /** The same of every event, those of administration too. */
  onEvents(listener: (events: readonly JournalledEvent[]) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Takes no more commands and ends when those in the queue are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    do {
      while (this.#queue.length > 0 || this.#scheduled) {
        await new Promise<void>((resolve) => {
          this.#drained = resolve;
        });
      }
      this.#apart.settle();
      // What could not be written comes back to the queue.
    } while (this.#queue.length > 0);
    await this.#writer.close();
    this.#executor.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn(0, 1));
  }

  /**
   * Drains the queue. Where the last batch had company, it waits as long as each turn of the loop brings
   * more: the commit of many costs little more than that of one, and a turn takes microseconds.
   */
  #turn(seen: number, turns: number): void {
    const now = this.#queue.length;
    const waits = this.#lastBatch > 1 && turns <= limits.gatheringTurns && now > seen;
    if (waits && !this.#isHalf(now)) {
      setImmediate(() => this.#turn(now, turns + 1));
      return;
    }
    this.#scheduled = false;
    this.#crowd.note(now + this.#apart.size);
    if (this.#goesApart()) this.#gather();
    else {
      this.#apart.settle();
      this.#drain();
    }
    this.#goOn();
  }

  /** Whether ordinary commands are written by another thread now. */
  get writesApart(): boolean {
    return this.#crowd.isLarge && this.#writer.isReady;
  }

  /** Whether half of those who usually come are here: the thread that writes begins, and the rest come. */
  #isHalf(queued: number): boolean {
    return this.writesApart && (queued + this.#apart.gathered) * 2 >= this.#crowd.usual;
  }

  #goOn(): void {
    // What is full has room again when a batch is on disk, which is told of then.
    const isFull = this.#apart.isBusy && this.#apart.gathered >= limits.batchCommands;
    if (this.#queue.length > 0 && !isFull) this.#schedule();
    if (this.#queue.length === 0) this.#drained?.();
  }

  /** Whether the next command is written by another thread. */
  #goesApart(): boolean {
    if (!(this.#crowd.isLarge && this.#storage.isWritable)) return false;
    this.#writer.start();
    return this.writesApart && this.#queue[0]?.isOrdinary === true;
  }

  /** Decides ordinary commands, which another thread writes. */
  #gather(): void {
    const apart = this.#apart;
    const started = monotonicMs();
    // The thread may go away while one of them waits for it.
    while (
      this.writesApart &&
      this.#queue[0]?.isOrdinary &&
      monotonicMs() - started <= limits.batchMs
    ) {
      if (apart.gathered >= limits.batchCommands) {
        apart.handOver();
        if (apart.gathered > 0) break;
      }
      apart.run(this.#queue.shift()!);
    }
    apart.handOver();
  }

  /** One batch: one transaction, one fsync. */
  #drain(): void {
    const { isWritable, refusal } = this.#storage;
    const refused = isWritable ? [] : this.#queue.splice(0);
    for (const { reject } of refused) reject(refusal);
    if (!isWritable) return;
    const started = monotonicMs();
    const batch = new Batch();
    const { taken } = batch;
    // Callers do not wait for what is only prepared: that gets commits of its own.
    const isPreparation = this.#queue[0]?.isPreparation ?? false;
    const next = (): Submission | undefined => {
      const isFull = taken.length > 0 && monotonicMs() - started > limits.batchMs;
      if (isFull || this.#queue[0]?.isPreparation !== isPreparation) return undefined;
      return this.#queue.shift();
    };
    try {
      this.#sync(!isPreparation);
      this.#commit(next, batch);
    } catch (error) {
      // Out of space or memory ends the transaction by itself; then no other way is tried. Where one of many
      // commands failed half-way, each gets a transaction of its own.
      const isOpen = this.#services.connection.inTransaction;
      this.#undo();
      const reason = this.#storage.failed(causeOf(error));
      const isTried = error instanceof HalfWay && isOpen && this.#storage.isWritable;
      // A transaction that does not even begin must not keep its callers waiting for the next.
      if (taken.length === 0) taken.push(...this.#queue.splice(0, limits.batchCommands));
      if (isTried && taken.length > 1) this.#commitOneByOne(taken);
      else batch.reject(reason);
    }
  }

  /** Whether commits from now on are on disk when they end. */
  #sync(isSynced: boolean): void {
    if (isSynced === this.#isSynced) return;
    this.#services.connection.pragma(`synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = isSynced;
  }

  #commitOneByOne(submissions: readonly Submission[]): void {
    this.#sync(true);
    for (const submission of submissions) {
      if (!this.#storage.isWritable) {
        submission.reject(this.#storage.refusal);
        continue;
      }
      const only = [submission];
      try {
        this.#commit(() => only.shift(), new Batch());
      } catch (error) {
        this.#undo();
        submission.reject(this.#storage.failed(causeOf(error)));
      }
    }
  }

  /** Leaves nothing of a commit that failed. */
  #undo(): void {
    const { connection } = this.#services;
    try {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    } catch {
      // What can not even be read back ends the transaction as well.
    }
    this.forget();
  }

  /** Runs commands in one transaction, and answers their callers once it is on disk. */
  #commit(next: () => Submission | undefined, batch: Batch): void {
    this.#begin.run();
    while (batch.taken.length < limits.batchCommands) {
      const submission = next();
      if (submission === undefined) break;
      batch.run(submission);
    }
    try {
      this.#executor.finish();
    } catch (error) {
      throw new HalfWay(error);
    }
    // Before the end, for what is committed is not refused any more: this may have to read.
    batch.close(this.#executor.state, this.#executor.takeJournalled());
    this.#end.run();
    this.#tell(batch);
  }

  /** A batch is on disk: answers its callers, and tells listeners. */
  #tell(batch: Batch): void {
    const { metrics } = this.#services;
    const { taken, journalled, changes } = batch;
    this.#lastBatch = this.#isSynced ? taken.length : 0;
    if (batch.events > 0) {
      metrics.journalEvents.inc(batch.events);
      metrics.zoneSerialBumps.inc(batch.steps);
      metrics.journalCommitDuration.observe((monotonicMs() - batch.begunAt) / 1000);
      metrics.journalBatchSize.observe(taken.length);
    }
    batch.answer();
    if (journalled.length > 0) {
      for (const listener of this.#eventListeners) listener(journalled);
    }
    if (batch.zoneEvents === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  /** Drops what is kept in memory: after a commit that failed, or tables changed by other means. */
  forget(): void {
    this.settle();
    this.#executor.forget();
  }
}

function tooManyWait(): Problem {
  return new Problem('OVERLOADED', 'too many changes are waiting', 1);
}
