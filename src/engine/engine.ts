/**
 * The engine: the only door through which anything is written.
 *
 *   submit -> queue -> [ decide, journal, fold ] x many -> one durable commit -> answers
 *
 * The queue is drained once per turn of the loop, so commands that arrive together share one fsync.
 * A refused one leaves nothing behind and the others go on: the law refuses before anything changes.
 * What is accepted is gathered in memory and written together. When a command fails in any other way,
 * the batch is undone and each of its commands gets a commit of its own, so that it fails alone.
 * Callers are answered, and listeners told, only after the commit is on disk. Dry runs are decided
 * in the same place and write nothing.
 */
import type { Clock } from '../base/clock.ts';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { assert, Problem, type ProblemCode } from '../base/problem.ts';
import { compareRecords } from '../dns/record.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import type { SecretChange } from '../domain/access/secret.ts';
import type { CounterName, Decision, DecisionContext } from '../domain/decision.ts';
import { type DomainEvent, isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import { normaliseZoneName, type Zone, type ZoneDefaults } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import type { Journal } from '../journal/journal.ts';
import { AccessQueries } from '../projection/access-queries.ts';
import { Fold } from '../projection/fold.ts';
import { Pending } from '../projection/pending.ts';
import { RightsReader } from '../projection/rights-reader.ts';
import { ProjectedState } from '../projection/state.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Actor, type SubmitOptions, type ZoneChange, zoneChangeOf } from './submission.ts';

export type { Actor, SubmitOptions, ZoneChange } from './submission.ts';

interface Submission {
  /** What is decided and written; `undefined` events change nothing. */
  readonly run: () => Decision<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Settled {
  readonly submission: Submission;
  readonly outcome?: unknown;
  readonly error?: Problem;
}

export interface EngineServices {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Puts and deletes secrets in the commit of their event; needed by commands that have some. */
  readonly keystore?: { apply(change: SecretChange): void };
}

export interface EngineOptions {
  readonly zoneDefaults: ZoneDefaults;
  readonly catalogZoneName: string;
}

export class Engine {
  readonly #services: EngineServices;
  readonly #pending: Pending;
  readonly #state: ProjectedState;
  readonly #access: AccessQueries;
  /** What roles may do now; doors that read ask it too. */
  readonly rights: RightsReader;
  readonly #fold: Fold;
  readonly #listeners: ((changes: readonly ZoneChange[]) => void)[] = [];
  readonly #queue: Submission[] = [];
  readonly #held = new Map<string, (() => void)[]>();
  #options: EngineOptions;
  #scheduled = false;
  #closed = false;
  #drained: (() => void) | undefined;

  constructor(services: EngineServices, options: EngineOptions) {
    this.#services = services;
    this.#options = options;
    this.#pending = new Pending(services.connection);
    this.#state = new ProjectedState(services.connection, this.#pending);
    this.#access = new AccessQueries(services.connection);
    this.rights = new RightsReader(this.#access);
    this.#fold = new Fold(services.connection, this.#pending);
  }

  /** Takes new defaults for zones created from now on. */
  configure(options: Partial<EngineOptions>): void {
    this.#options = { ...this.#options, ...options };
  }

  /**
   * Decides a command and, unless it is a dry run, makes it durable. Rejects with a Problem when it
   * is refused, and with OVERLOADED when too many commands wait.
   */
  submit<C extends Command>(command: C, options: SubmitOptions): Promise<OutcomeOf<C>> {
    const submission = () => this.#enqueue(() => this.#run(command, options));
    const held = options.isHolder ? undefined : this.#heldFor(command);
    if (held === undefined) return submission() as Promise<OutcomeOf<C>>;
    if (held.length >= limits.queuedCommands) return Promise.reject(tooManyWait());
    return new Promise((resolve, reject) => {
      held.push(() => void submission().then(resolve as (outcome: unknown) => void, reject));
    });
  }

  /**
   * Lets the commands about one zone wait, save those of the holder, until `release` is called. Held by one
   * at a time: a second holder waits for nothing and gets in the way of the first.
   */
  hold(zoneName: string): () => void {
    const waiting: (() => void)[] = [];
    assert(!this.#held.has(zoneName), 'a zone has one holder');
    this.#held.set(zoneName, waiting);
    return () => {
      this.#held.delete(zoneName);
      for (const submit of waiting) submit();
    };
  }

  /** What waits beside a command that has to wait. */
  #heldFor(command: Command): (() => void)[] | undefined {
    if (this.#held.size === 0) return undefined;
    const zone = this.#zoneOf(command);
    return zone && this.#held.get(zone.name);
  }

  /** The stored zone that a command is about, when it is about one. */
  #zoneOf(command: Command): Zone | undefined {
    if ('zoneName' in command && command.zoneName !== undefined) {
      return this.#state.zoneByName(normaliseZoneName(command.zoneName));
    }
    if (command.kind !== 'update-record' && command.kind !== 'delete-record') return undefined;
    const found = this.#state.recordById(command.id);
    return found && this.#state.zoneById(found.zoneId);
  }

  /**
   * Runs work of the service's own in the next commit: it writes what no reader sees, so it has no event.
   * Resolves when that is durable.
   */
  write<Result>(work: (pending: Pending) => Result): Promise<Result> {
    return this.#enqueue(() => {
      this.#flush();
      return { event: undefined, outcome: work(this.#pending) };
    }) as Promise<Result>;
  }

  #enqueue(run: Submission['run']): Promise<unknown> {
    if (this.#closed || this.#queue.length >= limits.queuedCommands) {
      const stopping = new Problem('OVERLOADED', 'the service is stopping', 1);
      return Promise.reject(this.#closed ? stopping : tooManyWait());
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, resolve, reject });
      this.#schedule();
    });
  }

  /** Listeners hear of changes after they are durable, in order; they must not throw. */
  onCommit(listener: (changes: readonly ZoneChange[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Takes no more commands and ends when those in the queue are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length === 0 && !this.#scheduled) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#drain();
      if (this.#queue.length > 0) this.#schedule();
      else this.#drained?.();
    });
  }

  /** One batch: one transaction, one fsync. */
  #drain(): void {
    const started = monotonicMs();
    const next = (): Submission | undefined =>
      monotonicMs() - started > limits.batchMs ? undefined : this.#queue.shift();
    const taken: Submission[] = [];
    try {
      this.#commit(next, taken);
    } catch (error) {
      const { connection } = this.#services;
      // Out of space or memory ends the transaction by itself; then no other way is tried.
      const isOpen = connection.inTransaction;
      if (isOpen) connection.exec('ROLLBACK');
      this.forget();
      // A transaction that does not even begin must not keep its callers waiting for the next.
      if (taken.length === 0) taken.push(...this.#queue.splice(0, limits.batchCommands));
      // Where one of many commands failed half-way, each gets a transaction of its own.
      if (error instanceof HalfWay && isOpen && taken.length > 1) this.#commitOneByOne(taken);
      else for (const submission of taken) submission.reject(causeOf(error));
    }
  }

  #commitOneByOne(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      const only = [submission];
      try {
        this.#commit(() => only.shift(), []);
      } catch (error) {
        const { connection } = this.#services;
        if (connection.inTransaction) connection.exec('ROLLBACK');
        this.forget();
        submission.reject(causeOf(error));
      }
    }
  }

  /** Runs commands in one transaction, and answers their callers once it is on disk. */
  #commit(next: () => Submission | undefined, taken: Submission[]): void {
    const { connection, metrics } = this.#services;
    const started = monotonicMs();
    const settled: Settled[] = [];
    const zoneEvents: ZoneEvent[] = [];
    let events = 0;
    connection.exec('BEGIN IMMEDIATE');
    while (taken.length < limits.batchCommands) {
      const submission = next();
      if (submission === undefined) break;
      taken.push(submission);
      try {
        const { outcome, event } = submission.run();
        settled.push({ submission, outcome });
        if (event === undefined) continue;
        events++;
        if (isZoneEvent(event)) zoneEvents.push(event);
      } catch (error) {
        if (!(error instanceof Problem)) throw new HalfWay(error);
        settled.push({ submission, error });
      }
    }
    try {
      this.#flush();
    } catch (error) {
      throw new HalfWay(error);
    }
    connection.exec('COMMIT');
    if (events > 0) {
      metrics.journalEvents.inc(events);
      metrics.zoneSerialBumps.inc(zoneEvents.filter(({ after }) => after !== null).length);
      metrics.journalCommitDuration.observe((monotonicMs() - started) / 1000);
      metrics.journalBatchSize.observe(taken.length);
    }
    for (const { submission, outcome, error } of settled) {
      if (error === undefined) submission.resolve(outcome);
      else submission.reject(error);
    }
    if (zoneEvents.length > 0) this.#publish(zoneEvents);
  }

  /** Writes what the open transaction has gathered in memory. */
  #flush(): void {
    this.#services.journal.flush();
    this.#pending.flush();
  }

  /** Drops what is kept in memory: after a commit that failed, or tables changed by other means. */
  forget(): void {
    this.#pending.reset();
    this.#services.journal.forget();
    this.rights.forget();
  }

  /** Tells the listeners. Each zone is shown as it is after the commit. */
  #publish(events: readonly ZoneEvent[]): void {
    const changes: ZoneChange[] = [];
    for (const event of events) {
      const change = zoneChangeOf(event, this.#state.zoneById(event.zoneId));
      if (change !== undefined) changes.push(change);
    }
    for (const listener of this.#listeners) listener(changes);
  }

  #run(command: Command, options: SubmitOptions): Decision<OutcomeOf<Command>> {
    const { journal, clock } = this.#services;
    const head = journal.head();
    const now = Math.max(clock(), head.at);
    const rights = this.#rightsOf(options.actor, now);
    // Only these read nothing but what is gathered in memory too.
    if (!recordCommands.has(command.kind)) this.#flush();
    const decision = this.#decideMatched(command, now, rights, options);
    if (options.dryRun) return { ...decision, event: undefined };
    if (decision.event === undefined) return decision;
    const event = inCanonicalOrder(decision.event);
    const provenance = {
      changeSource: options.source,
      actorKind: options.actor?.kind ?? null,
      actorName: options.actor?.name ?? null,
      requestId: options.requestId,
    };
    const { at } = journal.append(event, now, provenance);
    for (const change of decision.secrets ?? []) this.#keystore.apply(change);
    this.#fold.apply(event, at);
    if (!isZoneEvent(event) || event.after === null) this.rights.forget();
    return { ...decision, event };
  }

  /**
   * Decides, and refuses with PRECONDITION_FAILED when the zone is not the one that the caller saw: after
   * what hides and forbids, before every other rule (RFC 9110 13.1.1).
   */
  #decideMatched(
    command: Command,
    now: number,
    rights: Rights,
    { dryRun, ifMatch }: SubmitOptions,
  ): Decision<OutcomeOf<Command>> {
    const check = () => {
      if (ifMatch === undefined) return;
      const zone = this.#zoneOf(command);
      if (zone?.id === ifMatch.zoneId && zone.serial === ifMatch.serial) return;
      const now = zone === undefined ? 'is not there' : `is at serial ${zone.serial} now`;
      throw new Problem('PRECONDITION_FAILED', `the zone ${now}; read it again`);
    };
    try {
      const decision = this.#decide(command, now, rights, dryRun);
      check();
      return decision;
    } catch (error) {
      const isHidden = error instanceof Problem && /NOT_FOUND|FORBIDDEN/.test(error.code);
      if (error instanceof Problem && !isHidden) check();
      throw error;
    }
  }

  get #keystore(): NonNullable<EngineServices['keystore']> {
    const { keystore } = this.#services;
    assert(keystore !== undefined, 'commands with secrets need a keystore');
    return keystore;
  }

  /** Read in the transaction, so that a revoke takes effect with the next command. */
  #rightsOf(actor: Actor | null, now: number): Rights {
    if (actor === null) return fullRights;
    if (actor.kind === 'tsig_key') {
      const key = this.#access.tsigKeyByName(actor.name);
      return key?.id === actor.id ? this.rights.ofRole(key.roleId) : noRights;
    }
    const token = this.rights.token(actor.id);
    if (token === undefined || (token.expiresAt !== null && token.expiresAt <= now)) {
      throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
    }
    return this.rights.ofRole(token.roleId);
  }

  #decide(
    command: Command,
    now: number,
    rights: Rights,
    dryRun: boolean,
  ): Decision<OutcomeOf<Command>> {
    const allocated = new Map<CounterName, number>();
    const context: DecisionContext = {
      view: this.#state,
      now,
      rights,
      ...this.#options,
      allocateId: (kind) => {
        if (dryRun) return 0;
        const id = (allocated.get(kind) ?? this.#state.counter(kind)) + 1;
        if (id > limits.id) throw idsExhausted(kind);
        allocated.set(kind, id);
        return id;
      },
    };
    return decide(command, context);
  }
}

const recordCommands: ReadonlySet<Command['kind']> = new Set([
  'create-records',
  'update-record',
  'delete-record',
  'delete-records',
]);

/** A command failed in a way that no rule foresees: what it changed until then must be undone. */
class HalfWay extends Error {
  constructor(cause: unknown) {
    super('a command failed half-way', { cause });
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof HalfWay ? error.cause : error;
}

function tooManyWait(): Problem {
  return new Problem('OVERLOADED', 'too many changes are waiting', 1);
}

const conflictOf: Record<CounterName, ProblemCode> = {
  zone: 'ZONE_CONFLICT',
  record: 'RECORD_CONFLICT',
  secondary: 'SECONDARY_CONFLICT',
  role: 'ROLE_CONFLICT',
  grant: 'ROLE_CONFLICT',
  token: 'TOKEN_CONFLICT',
  tsig_key: 'TSIG_KEY_CONFLICT',
};

function idsExhausted(kind: CounterName): Problem {
  return new Problem(
    conflictOf[kind],
    `no ${kind} id is left: ${limits.id} were given out, none is reused`,
  );
}

/** Deltas are journalled, sent and folded in canonical order. */
function inCanonicalOrder(event: DomainEvent): DomainEvent {
  if (!isZoneEvent(event)) return event;
  const { removed, added, derivedRemoved, derivedAdded } = event.delta;
  if (removed.length + added.length + derivedRemoved.length + derivedAdded.length < 2) return event;
  const delta = {
    removed: removed.toSorted(compareRecords),
    added: added.toSorted(compareRecords),
    derivedRemoved: derivedRemoved.toSorted(compareRecords),
    derivedAdded: derivedAdded.toSorted(compareRecords),
  };
  return { ...event, delta };
}
