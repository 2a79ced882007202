/**
 * Runs one command inside the open transaction: rights, domain rules, journal, fold. What comes of it is
 * buffered in memory until `flush`.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { assert, Problem, type ProblemCode } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { compareRecords } from '../dns/record.ts';
import { LateSigning } from '../dnssec/late-signing.ts';
import { requireReason, unknownToken } from '../domain/access/require.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import { endOfSession, sessionEnded } from '../domain/access/session-end.ts';
import type { Expectation } from '../domain/change-zones.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import type { Decision, DecisionContext, SecretChange, StateView } from '../domain/decision.ts';
import type { CounterName } from '../domain/epoch.ts';
import { type DomainEvent, isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import {
  type GuardDefaults,
  type GuardQuestion,
  type HeldBack,
  heldBackOf,
} from '../domain/guard.ts';
import { withKeyTags } from '../domain/signing.ts';
import { heldItems } from '../domain/external-dns-items.ts';
import type { Zone, ZoneDefaults } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import type { Provenance } from '../journal/event-row.ts';
import type { Journal } from '../journal/journal.ts';
import type { WriteGate } from '../journal/storage.ts';
import { AccessQueries } from '../query/access-queries.ts';
import { Fold } from '../projection/fold.ts';
import { Pending } from '../projection/pending.ts';
import { RightsReader } from '../query/rights-reader.ts';
import { stateOn } from '../query/state.ts';
import { namesOf, zoneNamed, zoneOf } from './command-zones.ts';
import { Signers, type SigningKeys } from './signers.ts';
import {
  type Actor,
  type BySession,
  type CommitFigures,
  type JournalledEvent,
  requireMatch,
  type SubmitOptions,
  reportedEventOf,
  provenanceOf,
} from './submission.ts';
import { type SigningTimes, ZoneSigner } from './zone-signer.ts';

export interface WriterServices {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Hears of each commit with events, once it is on disk. */
  readonly measure?: (figures: CommitFigures) => void;
  /** Hears how many signatures were made. */
  readonly signed?: (signatures: number) => void;
  /** Judges what fails, and tells whether anything can be written. */
  readonly storage?: WriteGate;
  /** Its first place is counted up when a commit begins to wait for the disk, and when it ends. */
  readonly commits?: Int32Array | undefined;
  /** Puts and deletes secrets in the commit of their event; needed by commands that have some. */
  readonly keystore?: { apply(change: SecretChange): void } & SigningKeys;
}

export interface WriterOptions {
  readonly zoneDefaults: ZoneDefaults;
  readonly catalogZoneName: string;
  /** Nothing is held back where there are none. */
  readonly guardDefaults?: GuardDefaults | undefined;
}

/** Commands that need no flush first: all that they read includes what is pending in memory. */
const recordCommands: ReadonlySet<Command['kind']> = new Set([
  'create-records',
  'update-record',
  'delete-record',
  'delete-records',
  'dynamic-update',
  'apply-external-dns',
  'change-zones',
]);

export class Executor {
  readonly pending: Pending;
  readonly state: StateView;
  /** What roles may do, as the open commit has it. */
  readonly #rights: RightsReader;
  readonly #services: WriterServices;
  readonly #fold: Fold;
  readonly #late = new LateSigning();
  readonly #signers: Signers;
  readonly #zoneSigner: ZoneSigner;
  #options: WriterOptions;
  /** Whether the open commit has changed nothing but by steps of record commands. */
  #isUnstaged = true;
  #journalled: JournalledEvent[] = [];

  constructor(services: WriterServices, options: WriterOptions) {
    const { connection } = services;
    this.#services = services;
    this.#options = options;
    this.pending = new Pending(connection, () => this.#late.join());
    this.state = stateOn(connection, this.pending);
    this.#rights = new RightsReader(new AccessQueries(connection));
    this.#fold = new Fold(connection, this.pending);
    this.#signers = new Signers(services.keystore, this.#late);
    this.#zoneSigner = new ZoneSigner(
      this.state,
      this.pending,
      (key) => this.#signers.of(key),
      this.#late,
      (signatures) => services.signed?.(signatures),
    );
  }

  configure(options: Partial<WriterOptions>): void {
    this.#options = { ...this.#options, ...options };
  }

  /** Writes what is pending, once all of its signatures are there. */
  flush(): void {
    this.#late.join();
    this.#services.journal.flush();
    this.pending.flush();
    this.#isUnstaged = false;
  }

  /** The same at the end of a commit. */
  finish(): void {
    this.#late.join();
    this.#services.journal.flush();
    if (this.#isUnstaged) this.pending.flushAndKeep();
    else this.pending.flush();
    this.#isUnstaged = true;
  }

  /** Ends the thread that signs. */
  close(): void {
    this.#late.close();
  }

  /** Drops what is kept in memory. */
  forget(): void {
    this.#late.forget();
    this.#isUnstaged = true;
    this.pending.reset();
    this.#services.journal.forget();
    this.#rights.forget();
    this.#journalled = [];
    this.#zoneSigner.forget();
  }

  /** The events written since the last call, with who caused them. */
  takeJournalled(): readonly JournalledEvent[] {
    const taken = this.#journalled;
    this.#journalled = [];
    return taken;
  }

  /** The names of all zones that a command is about. */
  namesOf(command: Command): readonly string[] {
    return namesOf(command, this.state);
  }

  run(command: Command, options: SubmitOptions): Decision<OutcomeOf<Command>> {
    const { journal, clock } = this.#services;
    const head = journal.last();
    const clockNow = clock();
    const now = Math.max(clockNow, head.at);
    if (options.session !== undefined) this.#requireOpen(options.session, clockNow);
    const rights = this.#rightsOf(options.actor, now);
    requireReason(rights, options);
    if (!recordCommands.has(command.kind)) this.flush();
    const decision = this.#decideMatched(command, { now, clockNow }, rights, options);
    if (decision.event === undefined) return decision;
    const { secrets = [], more: others = [] } = decision;
    const decided = [decision.event, ...others];
    for (const each of decided) if (isZoneEvent(each)) this.#zoneSigner.check(each);
    const held = this.#heldBack(command, decided, { rights, now, allowed: options.allowDeletes });
    if (options.dryRun) {
      this.#signers.expect(secrets);
      const times = { now: clockNow, isBehind: now > clockNow };
      const opened = held === undefined ? decided.filter(isZoneEvent) : [];
      for (const each of opened) this.#zoneSigner.openKeys(each, times);
      return { ...decision, event: undefined, outcome: warned(decision, held) };
    }
    if (held !== undefined) throw this.#problemOf(command, held);
    // All are made ready before the first is written, so that what can not be leaves nothing behind.
    this.#signers.expect(secrets);
    const times = { now: clockNow, isBehind: now > clockNow, isAlone: others.length === 0 };
    const events: DomainEvent[] = [];
    for (const each of decided) {
      events.push(isZoneEvent(each) ? this.#signed(each, decision, times, options) : each);
    }
    const provenance = provenanceOf(options);
    for (const change of secrets) this.#keystore.apply(change);
    for (const each of events) this.#write(each, now, provenance);
    const [event, ...more] = events;
    return { ...decision, event, more: more.filter(isZoneEvent) };
  }

  /** What the guards of its zones hold back. */
  #heldBack(
    command: Command,
    decided: readonly DomainEvent[],
    of: Pick<GuardQuestion, 'rights' | 'now' | 'allowed'>,
  ): HeldBack | undefined {
    const defaults = this.#options.guardDefaults;
    if (defaults === undefined) return undefined;
    const changes = decided
      .filter(isZoneEvent)
      .map((each) => [each, this.state.zoneById(each.zoneId)] as const);
    const known = command.kind === 'apply-external-dns' ? command.deletions : undefined;
    const canAllow = command.kind !== 'dynamic-update';
    return heldBackOf(changes, { ...of, canAllow, defaults, known, view: this.state });
  }

  #problemOf(command: Command, held: HeldBack): Problem {
    return command.kind === 'apply-external-dns'
      ? heldItems(command, held, this.state)
      : held.problem;
  }

  /** Journals one event and folds it. */
  #write(event: DomainEvent, now: number, provenance: Provenance): void {
    const { at } = this.#services.journal.append(event, now, provenance);
    this.#fold.apply(event, { at, actorName: provenance.actorName });
    this.#journalled.push({ event: reportedEventOf(event), provenance });
    if (!isZoneEvent(event) || event.after === null) this.#rights.forget();
    if (!isZoneEvent(event)) this.#zoneSigner.forgetPolicies();
  }

  /** The event with its DNSSEC records, when it is a change of a signed zone. Changes nothing yet. */
  #signed(
    event: ZoneEvent,
    decision: Decision<unknown>,
    times: SigningTimes,
    { prepared }: SubmitOptions,
  ): ZoneEvent {
    const signed = this.#zoneSigner.sign(event, times, decision.signing, prepared);
    const { signing } = signed;
    if (signing === undefined) return inCanonicalOrder(signed);
    const tagged = withKeyTags(signing, this.state.signing(event.zoneId));
    return inCanonicalOrder({ ...signed, signing: tagged });
  }

  /**
   * Decides, and refuses with PRECONDITION_FAILED when a zone is not the one that the caller saw: after
   * what hides and forbids, before every other rule (RFC 9110 13.1.1).
   */
  #decideMatched(
    command: Command,
    times: Pick<DecisionContext, 'now' | 'clockNow'>,
    rights: Rights,
    options: SubmitOptions,
  ): Decision<OutcomeOf<Command>> {
    if (options.ifMatch === undefined && command.kind !== 'change-zones') {
      return this.#decide(command, times, rights, options);
    }
    const check = () => {
      for (const [expected, zone] of this.#expectations(command, options)) {
        requireMatch(expected, zone !== undefined && rights.sees(zone.id) ? zone : undefined);
      }
    };
    try {
      const decision = this.#decide(command, times, rights, options);
      check();
      return decision;
    } catch (error) {
      const isHidden = error instanceof Problem && /NOT_FOUND|FORBIDDEN/.test(error.code);
      if (error instanceof Problem && !isHidden) check();
      throw error;
    }
  }

  /** What is expected of which zone. */
  *#expectations(
    command: Command,
    { ifMatch }: SubmitOptions,
  ): Generator<[Expectation, Zone | undefined]> {
    if (ifMatch !== undefined) yield [ifMatch, zoneOf(command, this.state)];
    if (command.kind !== 'change-zones') return;
    for (const { zoneName, ifMatch: expected } of command.zones) {
      if (expected !== undefined) yield [expected, zoneNamed(zoneName, this.state)];
    }
  }

  get #keystore(): NonNullable<WriterServices['keystore']> {
    const { keystore } = this.#services;
    assert(keystore !== undefined, 'commands with secrets need a keystore');
    return keystore;
  }

  /**
   * Read in the transaction: much may wait between a request and its commit, and who closes a session wants nothing
   * more to come of it. By the clock, as a session is everywhere.
   */
  #requireOpen({ id, seenAt, ...times }: BySession, clockNow: number): void {
    const stored = this.state.sessionById(id);
    if (stored !== undefined) {
      const used = { ...stored, seenAt: Math.max(stored.seenAt, seenAt) };
      if (endOfSession(used, times) > clockNow) return;
    }
    throw sessionEnded();
  }

  /** Read in the transaction, so that a revoke takes effect with the next command. */
  #rightsOf(actor: Actor | null, now: number): Rights {
    if (actor === null) return fullRights;
    if (actor.kind === 'tsig_key') {
      const key = this.#rights.tsigKey(actor.name);
      return key?.id === actor.id ? this.#rights.ofRole(key.roleId) : noRights;
    }
    const token = this.#rights.token(actor.id);
    if (token === undefined || (token.expiresAt !== null && token.expiresAt <= now)) {
      throw unknownToken();
    }
    return this.#rights.ofRole(token.roleId);
  }

  #decide(
    command: Command,
    times: Pick<DecisionContext, 'now' | 'clockNow'>,
    rights: Rights,
    { dryRun, firstRecordId, session }: SubmitOptions,
  ): Decision<OutcomeOf<Command>> {
    const allocated = new Map<CounterName, number>();
    if (firstRecordId !== undefined) allocated.set('record', firstRecordId - 1);
    const context: DecisionContext = {
      view: this.state,
      ...times,
      rights,
      bySession: session?.id,
      ...this.#options,
      allocateId: (kind) => {
        if (dryRun) return 0;
        const id = (allocated.get(kind) ?? this.state.counter(kind)) + 1;
        if (id > limits.id) throw idsExhausted(kind);
        allocated.set(kind, id);
        return id;
      },
    };
    return decide(command, context);
  }
}

const conflictOf: Record<CounterName, ProblemCode> = {
  zone: 'ZONE_CONFLICT',
  record: 'RECORD_CONFLICT',
  secondary: 'SECONDARY_CONFLICT',
  policy: 'DNSSEC_POLICY_CONFLICT',
  signing_key: 'DNSSEC_ROLLOVER_IN_PROGRESS',
  role: 'ROLE_CONFLICT',
  grant: 'ROLE_CONFLICT',
  token: 'TOKEN_CONFLICT',
  tsig_key: 'TSIG_KEY_CONFLICT',
  webhook: 'WEBHOOK_CONFLICT',
};

function idsExhausted(kind: CounterName): Problem {
  return new Problem(
    conflictOf[kind],
    `no ${kind} id is left: ${limits.id} were given out, none is reused`,
  );
}

/** The outcome of a dry run, which says what would be held back. */
function warned(
  { outcome }: Decision<OutcomeOf<Command>>,
  held: HeldBack | undefined,
): OutcomeOf<Command> {
  if (held === undefined) return outcome;
  const { problem, zones: heldZones } = held;
  const zoneIds = new Set(heldZones.map(({ zone }) => zone.id));
  const warning = { code: 'GUARDED', name: null, type: null, message: problem.message } as const;
  const warn = <Warned extends { readonly warnings: readonly Warning[] }>(one: Warned) => {
    return { ...one, warnings: [warning, ...one.warnings] };
  };
  if ('warnings' in outcome) return warn(outcome) as OutcomeOf<Command>;
  assert('planHash' in outcome, 'what a guard holds back has a place for the warning');
  const zones = outcome.zones.map((one) => (zoneIds.has(one.zone.id) ? warn(one) : one));
  return { ...outcome, zones };
}

/** Deltas are journalled, sent and folded in canonical order. */
function inCanonicalOrder(event: ZoneEvent): ZoneEvent {
  const { removed, added, dnssecRemoved, dnssecAdded } = event.delta;
  if (removed.length + added.length + dnssecRemoved.length + dnssecAdded.length < 2) return event;
  const delta = {
    removed: removed.toSorted(compareRecords),
    added: added.toSorted(compareRecords),
    dnssecRemoved: dnssecRemoved.toSorted(compareRecords),
    dnssecAdded: dnssecAdded.toSorted(compareRecords),
  };
  return { ...event, delta };
}
