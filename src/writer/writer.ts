/**
 * The writer: the only place where anything is written.
 *
 *   submit -> queue -> [ decide, journal, fold ] x many -> one durable commit -> answers
 *
 * The queue is drained when a turn of the loop brings nothing new, so commands that arrive together
 * share one fsync: a turn reads no more than 32 datagrams.
 * A refused one leaves nothing behind and the others go on: the domain rules refuse before anything changes.
 * What is accepted is buffered in memory and written together. When a command fails in any other way,
 * the batch is undone and each of its commands gets a commit of its own, so that it fails alone.
 * Callers are answered, and listeners notified, only after the commit is on disk. Dry runs are decided
 * in the same place and write nothing.
 */
import type { MessagePort } from 'node:worker_threads';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem, serviceStops, tooManyWait } from '../base/problem.ts';
import { failureOf, type ThreadFailure } from '../base/storage-problem.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { Statement } from '../journal/database.ts';
import { unguarded, type WriteGate } from '../journal/storage.ts';
import { Batch, causeOf, UnforeseenFailure, type Submission } from './batch.ts';
import { type WriterOptions, type WriterServices, Executor } from './executor.ts';
import { isPreparation, type Operation, Operations, type ResultOf } from './operation.ts';
import type { JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';
import { WholePassNeeded } from './zone-signer.ts';

export type { WriterOptions, WriterServices } from './executor.ts';
export type { JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';

/** The part of the time of a commit that the next one waits for those who come again. */
const comesAgainShare = 4;
/** Milliseconds that it waits for them at most: who stood still may not come again. */
const comesAgainMs = 50;
/** Commands that need no more company: what each of them costs by itself is the larger part then. */
const companyEnough = 16;

type StoredKeys = ReadonlyMap<number, Uint8Array>;

/** Those of the keys that are stored, by their ids. */
export type SentKeys = { readonly keys: StoredKeys } | { readonly failure: ThreadFailure };

export class Writer {
  readonly #services: WriterServices;
  readonly #executor: Executor;
  readonly #operations: Operations;
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
  /** Milliseconds that its end on disk took, and when that was. */
  #syncMs = 0;
  #syncedAt = 0;
  /** Those commands, and the ones that waited then. */
  #company = 0;
  #isSynced = true;
  #closed = false;
  #signAhead: ((command: Command, options: SubmitOptions) => Promise<unknown>) | undefined;
  #drained: (() => void) | undefined;

  constructor(services: WriterServices, options: WriterOptions) {
    const { connection } = services;
    this.#services = services;
    this.#executor = new Executor(services, options);
    const { pending, state } = this.#executor;
    this.#operations = new Operations(connection, pending, state);
    this.#storage = services.storage ?? unguarded;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#end = connection.prepare('COMMIT');
  }

  /** Takes new defaults for zones created from now on. */
  configure(options: Partial<WriterOptions>): void {
    this.#executor.configure(options);
  }

  /**
   * Decides a command and, unless it is a dry run, makes it durable. Rejects with a Problem when it
   * is refused, and with OVERLOADED when too many commands wait.
   */
  async submit<C extends Command>(command: C, options: SubmitOptions): Promise<OutcomeOf<C>> {
    try {
      return (await this.#submit(command, options)) as OutcomeOf<C>;
    } catch (error) {
      const signAhead = options.describesWhole ? undefined : this.#signAhead;
      if (!(error instanceof WholePassNeeded) || signAhead === undefined) throw error;
      return (await signAhead(command, options)) as OutcomeOf<C>;
    }
  }

  #submit(command: Command, options: SubmitOptions): Promise<unknown> {
    const { heldName, dryRun } = options;
    const held = dryRun || this.#closed ? undefined : this.#heldFor(command, heldName);
    if (held === undefined) {
      return this.#enqueue(() => this.#executor.run(command, options), false);
    }
    // Two that wait for each other would wait for ever.
    if (heldName !== undefined) return Promise.reject(otherIsHeld());
    if (held.length >= limits.queuedCommands) return Promise.reject(tooManyWait());
    // Another of its zones may be held by then.
    return new Promise((resolve, reject) => {
      held.push(() => void this.#submit(command, options).then(resolve, reject));
    });
  }

  /**
   * Lets the commands about one name wait, save those of the holder and dry runs, until `release` is called: also those
   * that make a zone of that name or purge one. Who comes second waits for the first; a holder of another name, whom
   * others wait for, is refused. Rejects with OVERLOADED once the writer is closed.
   */
  async hold(zoneName: string): Promise<() => void> {
    while (this.#held.has(zoneName) && !this.#closed) {
      await new Promise<void>((resolve) => this.#held.get(zoneName)!.push(resolve));
    }
    if (this.#closed) throw serviceStops();
    const waiting: (() => void)[] = [];
    this.#held.set(zoneName, waiting);
    return () => {
      this.#held.delete(zoneName);
      for (const submit of waiting) submit();
    };
  }

  /** What waits beside a command that has to wait, of whoever holds a name or none. */
  #heldFor(command: Command, heldName: string | undefined): (() => void)[] | undefined {
    if (this.#held.size === 0) return undefined;
    const names = this.#executor.namesOf(command).filter((name) => name !== heldName);
    return names.map((name) => this.#held.get(name)).find((held) => held !== undefined);
  }

  /** Runs an operation of the service's own. Resolves when it is durable, save what only prepares something. */
  operate<O extends Operation>(operation: O): Promise<ResultOf<O>> {
    const run = () => {
      this.#executor.flush();
      return { event: undefined, outcome: this.#operations.run(operation) };
    };
    return this.#enqueue(run, isPreparation(operation)) as Promise<ResultOf<O>>;
  }

  /** A stage that was opened is prepared no more: unless it was published, it is cleared away. */
  endStage(number: number): void {
    this.#operations.endStage(number);
  }

  /**
   * Sends the private halves of stored keys, PKCS #8 in DER, through a port (SentKeys): to the thread that signs a
   * whole zone, and to nobody on the way.
   */
  sendKeys(keyIds: readonly number[], port: MessagePort): void {
    const { keystore } = this.#services;
    let sent: SentKeys;
    try {
      const found = keyIds.map((id) => [id, keystore?.signingKey(id)] as const);
      sent = { keys: new Map(found.filter(([, key]) => key !== undefined)) as StoredKeys };
    } catch (error) {
      sent = { failure: failureOf(error) };
    }
    port.postMessage(sent);
  }

  /**
   * Who prepares passes over whole zones, and submits the command again with what was prepared. Without one,
   * callers are refused with WholePassNeeded.
   */
  set signAhead(signAhead: (
    command: Command,
    options: SubmitOptions,
  ) => Promise<OutcomeOf<Command>>,) {
    this.#signAhead = signAhead;
  }

  #enqueue(run: Submission['run'], isPreparation: boolean): Promise<unknown> {
    if (this.#closed || this.#queue.length >= limits.queuedCommands) {
      return Promise.reject(this.#closed ? serviceStops() : tooManyWait());
    }
    if (!this.#storage.isWritable) return Promise.reject(this.#storage.writeProblem);
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, isPreparation, resolve, reject });
      this.#schedule();
    });
  }

  /** Listeners hear of changes after they are durable, in order; they must not throw. */
  onCommit(listener: (changes: readonly ZoneChange[]) => void): void {
    this.#listeners.push(listener);
  }

  /** The same of every event, those of administration too. */
  onEvents(listener: (events: readonly JournalledEvent[]) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Takes no more commands, refuses those that wait for a zone, and ends when those in the queue are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#held.values()) {
      for (const goOn of waiting.splice(0)) goOn();
    }
    while (this.#queue.length > 0 || this.#scheduled) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    this.#executor.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn(0, 1));
  }

  /**
   * Drains the queue. Where the last batch had company, it waits as long as each turn of the loop brings
   * more: the commit of many costs little more than that of one, and a turn takes microseconds. Where the disk is slow,
   * it also waits for those who were answered just now to come again, or they and those who wait would take turns.
   */
  #turn(seen: number, turns: number): void {
    const now = this.#queue.length;
    if (this.#lastBatch > 1 && turns <= limits.gatheringTurns && now > seen) {
      setImmediate(() => this.#turn(now, turns + 1));
      return;
    }
    const waitMs = Math.min(this.#syncMs / comesAgainShare, comesAgainMs);
    const restMs = this.#syncedAt + waitMs - monotonicMs();
    if (now < Math.min(this.#company, companyEnough) && restMs >= 1) {
      setTimeout(() => this.#turn(now, turns), 1);
      return;
    }
    this.#scheduled = false;
    this.#drain();
    if (this.#queue.length > 0) this.#schedule();
    else this.#drained?.();
  }

  /** One batch: one transaction, one fsync. */
  #drain(): void {
    if (!this.#storage.isWritable) {
      const { writeProblem } = this.#storage;
      for (const { reject } of this.#queue.splice(0)) reject(writeProblem);
      return;
    }
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
      const isTried = error instanceof UnforeseenFailure && isOpen && this.#storage.isWritable;
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
        submission.reject(this.#storage.writeProblem);
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
      // Before the end, for what is committed is not refused any more: this may have to read.
      batch.close(this.#executor.state, this.#executor.takeJournalled());
    } catch (error) {
      throw new UnforeseenFailure(error);
    }
    const ending = monotonicMs();
    this.#endOnDisk();
    this.#syncedAt = monotonicMs();
    this.#syncMs = this.#syncedAt - ending;
    const answered = batch.taken.length;
    // By then those are in the queue who came while the disk was waited for.
    setImmediate(() => {
      this.#company = answered + this.#queue.length;
    });
    this.#tell(batch);
  }

  #endOnDisk(): void {
    const { commits } = this.#services;
    if (commits !== undefined) Atomics.add(commits, 0, 1);
    try {
      this.#end.run();
    } finally {
      if (commits !== undefined) Atomics.add(commits, 0, 1);
    }
  }

  /** A batch is on disk: answers its callers, and tells listeners. */
  #tell(batch: Batch): void {
    const { taken, journalled, changes } = batch;
    this.#lastBatch = this.#isSynced ? taken.length : 0;
    if (journalled.length > 0) this.#services.measure?.(batch.figures);
    batch.answer();
    if (journalled.length > 0) {
      for (const listener of this.#eventListeners) listener(journalled);
    }
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  /** Drops what is kept in memory: after a commit that failed, or tables changed by other means. */
  forget(): void {
    this.#executor.forget();
    this.#operations.forget();
  }
}

function otherIsHeld(): Problem {
  return new Problem('OVERLOADED', 'a large change of another of the zones is being made', 5);
}
