/**
 * The guard of a zone: writes that delete more than somebody may have meant, touch what is protected, or come while the
 * zone is locked are held back. It is judged on what a change comes to, whichever interface it came by, and lets
 * one through that says exactly how many records it deletes. Signing is exempt, and so is a zone as a whole.
 */
import { parseTime } from '../base/clock.ts';
import { DetailedProblem } from '../base/problem.ts';
import { joinNames, type NameKey, printAbsoluteName } from '../dns/name.ts';
import { parseType, printType } from '../dns/rrtype.ts';
import type { Rights } from './access/rights.ts';
import type { StateView } from './decision.ts';
import { countsOf, type Deletions, type ZoneEvent } from './event.ts';
import { type Guarded, protectedOwner, storedGuard } from './guard-setting.ts';
import type { ZoneRecord } from './record.ts';
import { holds } from './target-state.ts';
import { apexOf, changedSettings, type Zone } from './zone.ts';

/** What zones are held to that say nothing of their own. */
export interface GuardDefaults {
  readonly maxDeletePercent: number;
  readonly maxDeletes: number;
  /** Zones with fewer records are held to no percentage, and only to a number of their own. */
  readonly minRecords: number;
}

/** RRsets that a refusal names. */
const namedRrsets = 20;

/** Whether the zone has records of a type at an owner before the change. */
type Stands = (owner: NameKey, type: number) => boolean;

/** Counts what goes of a zone, owner by owner, and finds what is protected and becomes another. */
export class DeletionCount {
  readonly #isProtecting: boolean;
  readonly #protects: (owner: NameKey, type: number) => boolean;
  readonly #rrsets = new Map<string, readonly [NameKey, number]>();
  readonly #protected = new Map<string, readonly [NameKey, number]>();
  #count = 0;

  constructor(zone: Guarded | undefined) {
    const { protect = [] } = zone === undefined ? {} : storedGuard(zone);
    const all = protect.map(
      ({ name, type }) => [protectedOwner(name), type && parseType(type)] as const,
    );
    this.#isProtecting = all.length > 0;
    this.#protects = (owner, type) =>
      all.find(([name, only]) => name === owner && (only ?? type) === type) !== undefined;
  }

  /**
   * Takes all records that go of some RRsets and that come to them. As many are deleted as an RRset has fewer
   * afterwards: whether a record got another value, or went while another came, is the same difference. What comes to
   * an RRset that stands changes it.
   */
  take(removed: readonly ZoneRecord[], added: readonly ZoneRecord[], stands: Stands): void {
    for (const { owner, type } of this.#isProtecting ? added : []) {
      if (this.#protects(owner, type) && stands(owner, type)) {
        this.#protected.set(`${type} ${owner}`, [owner, type]);
      }
    }
    if (removed.length === 0) return;
    const replacing = new Map<string, number>();
    for (const { owner, type } of added) {
      const key = `${type} ${owner}`;
      replacing.set(key, (replacing.get(key) ?? 0) + 1);
    }
    for (const { owner, type } of removed) {
      const key = `${type} ${owner}`;
      if (this.#protects(owner, type)) this.#protected.set(key, [owner, type]);
      const left = replacing.get(key) ?? 0;
      replacing.set(key, left - 1);
      if (left > 0) continue;
      this.#count++;
      if (this.#rrsets.size < namedRrsets) this.#rrsets.set(key, [owner, type]);
    }
  }

  get value(): Deletions {
    return {
      count: this.#count,
      rrsets: [...this.#rrsets.values()],
      protected: [...this.#protected.values()],
    };
  }
}

/** What changes a zone by somebody's hand. */
const judged: ReadonlySet<ZoneEvent['kind']> = new Set([
  'records.changed',
  'zone.imported',
  'zone.taken-over',
  'zone.desired',
  'zone.rolled-back',
  'zone.reverted',
  'zone.updated',
  'zone.renamed',
  'zone.deleted',
]);

export interface GuardQuestion {
  readonly defaults: GuardDefaults;
  readonly now: number;
  /** How many deletions the caller says that there are, in all zones together. */
  readonly allowed: number | undefined;
  /** Whether there is a place where it can say so: an UPDATE has none, and needs another guard. */
  readonly canAllow: boolean;
  /** How many there are in a zone at least, by its name: those of changes that these are a part of. */
  readonly known: ReadonlyMap<string, number> | undefined;
  /** Of the caller, who gets no name that it may not read. */
  readonly rights: Rights;
  /** The zones before the changes. */
  readonly view: Pick<StateView, 'recordsAt'>;
}

/** A zone whose change is held back, and why. */
export interface HeldZone {
  readonly zone: Zone;
  readonly message: string;
  /** What who may set the guard does about it, where a change can not say how many records it deletes. */
  readonly remedy: string;
  /** The RRsets without which the change would go through; undefined when all of it is held back. */
  readonly kept?: Deletions['protected'];
}

/** One that goes through with the number of its deletions. */
interface Held extends HeldZone {
  readonly deleted: number;
  readonly limit: number;
  readonly rrsets: Deletions['rrsets'];
}

/** One that nothing lets through before its time. */
interface Locked extends HeldZone {
  readonly guarded: Readonly<Record<string, unknown>>;
}

/** Why guards hold changes back, and in which zones. */
export interface HeldBack {
  readonly problem: DetailedProblem;
  readonly zones: readonly HeldZone[];
}

/** What the guards of their zones hold back of changes; undefined when all go through. */
export function heldBackOf(
  changes: readonly (readonly [event: ZoneEvent, zone: Zone | undefined])[],
  question: GuardQuestion,
): HeldBack | undefined {
  const locks: Locked[] = [];
  const all: Held[] = [];
  for (const [event, zone] of changes) {
    if (zone === undefined || !judged.has(event.kind) || event.before === null) continue;
    if (setsGuardAlone(event)) continue;
    const locked = lockOf(zone, question.now);
    if (locked !== undefined) locks.push(locked);
    const isWhole = locked !== undefined || event.after === null;
    const held = isWhole ? undefined : heldIn(event, zone, question);
    if (held !== undefined) all.push(held);
  }
  const deleted = all.reduce((total, held) => total + held.deleted, 0);
  const held = question.allowed === deleted ? [] : all;
  const [lock] = locks;
  if (lock !== undefined) {
    const { message, guarded } = lock;
    const problem = new DetailedProblem('GUARDED', message, { guarded });
    return { problem, zones: [...locks, ...held] };
  }
  return held.length === 0
    ? undefined
    : { problem: problemOf(held, deleted, question), zones: held };
}

/** With what lets the changes through: the number of deletions, or another guard. */
function problemOf(
  all: readonly Held[],
  deleted: number,
  question: GuardQuestion,
): DetailedProblem {
  const sum = (of: (held: Held) => number) => all.reduce((total, held) => total + of(held), 0);
  const names = all.flatMap(({ zone, rrsets }) => namesOf(zone, rrsets, question.rights));
  const also = all.length === 1 ? '' : `, and so in ${all.length - 1} more`;
  const how = question.canAllow
    ? `Zonebook-Allow-Deletes: ${deleted} (--allow-deletes ${deleted}) lets it through`
    : all[0]!.remedy;
  // How many records a zone has is known to who may read all of them.
  const isKnown = all.every(({ zone }) => question.rights.whole('record:read', zone.id));
  const figures = {
    of: isKnown ? sum(({ zone }) => zone.recordCount) : null,
    limit: isKnown ? sum(({ limit }) => limit) : null,
  };
  return new DetailedProblem('GUARDED', `${all[0]!.message}${also}; ${how}`, {
    guarded: { deleted, ...figures, names: names.slice(0, namedRrsets) },
  });
}

/** Setting the guard is free by any command, its undo too, so that it can be lifted. */
function setsGuardAlone(event: ZoneEvent): boolean {
  const { before, after } = event;
  if (before === null || after === null) return false;
  const { removed, added } = countsOf(event);
  const changed = changedSettings(before, after).filter((name) => name !== 'serial');
  return removed + added === 0 && changed.join() === 'guard';
}

/** The command that sets what a zone is held to. */
function guardCommand({ name }: Zone): string {
  return `zonebook zone guard ${name}`;
}

function lockOf(zone: Zone, now: number): Locked | undefined {
  const { lockedUntil, lockReason = null } = storedGuard(zone);
  if (lockedUntil === undefined) return undefined;
  // A time that can not be read, as an older version may have stored it, ends no lock.
  if ((parseTime(lockedUntil) ?? Number.POSITIVE_INFINITY) <= now) return undefined;
  const why = lockReason === null ? '' : `: ${lockReason}`;
  const message = `zone '${zone.name}' is locked until ${lockedUntil}${why}`;
  const guarded = { locked_until: lockedUntil, lock_reason: lockReason };
  const remedy = `${guardCommand(zone)} --unlock unlocks it`;
  return { zone, message, remedy, guarded };
}

function heldIn(
  event: ZoneEvent,
  zone: Zone,
  { defaults, known, rights, view }: GuardQuestion,
): Held | undefined {
  const guard = storedGuard(zone);
  const deletions = event.staged?.deletions ?? deletionsOf(event, zone, view);
  const { rrsets, protected: kept } = deletions;
  const count = Math.max(deletions.count, known?.get(zone.name) ?? 0);
  const of = zone.recordCount;
  const isSmall = of < defaults.minRecords;
  const { maxDeletes = isSmall ? of : defaults.maxDeletes } = guard;
  const percent = isSmall ? 100 : (guard.maxDeletePercent ?? defaults.maxDeletePercent);
  const limit = Math.min(maxDeletes, Math.floor((of * percent) / 100));
  const held = { zone, deleted: count, limit };
  if (count > limit) {
    const message = rights.whole('record:read', zone.id)
      ? `it deletes ${count} of ${of} records of zone '${zone.name}', more than ${limit}`
      : `it deletes ${count} records of zone '${zone.name}', more than its guard allows`;
    const limits = `--max-deletes ${count} --max-delete-percent 100`;
    const remedy = `${guardCommand(zone)} ${limits} lets it through`;
    return { ...held, message, remedy, rrsets };
  }
  if (kept.length === 0) return undefined;
  const message = `it changes what zone '${zone.name}' protects`;
  const remedy = `${guardCommand(zone)} with all but this under --protect lets it through`;
  return { ...held, message, remedy, rrsets: kept, kept };
}

function namesOf(zone: Zone, rrsets: Deletions['rrsets'], rights: Rights) {
  const apex = apexOf(zone);
  return rrsets
    .filter(([owner, type]) => rights.onRecord('record:read', zone.id, owner, type))
    .map(([owner, type]) => {
      return { name: printAbsoluteName(joinNames(owner, apex)), type: printType(type) };
    });
}

function deletionsOf(
  { delta }: ZoneEvent,
  zone: Zone,
  view: Pick<StateView, 'recordsAt'>,
): Deletions {
  const count = new DeletionCount(zone);
  const stands: Stands = (owner, type) => holds(view.recordsAt(zone.id, owner), type);
  count.take(delta.removed, delta.added, stands);
  return count.value;
}
