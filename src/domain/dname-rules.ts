/**
 * Nothing stands below a DNAME (RFC 6672 2.4): what does is never answered, and Knot refuses the zone.
 *
 * A stored zone has no such records, and that makes the question cheap: of all names before a new owner only the last
 * one can be a DNAME above it, for whatever stands between a DNAME and a name below it is below the DNAME too.
 */
import { Problem } from '../base/problem.ts';
import {
  emptyName,
  isWithin,
  joinNames,
  type NameKey,
  parentOf,
  printAbsoluteName,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { StateView } from './decision.ts';
import type { NodeChange } from './diff.ts';
import { holds } from './target-state.ts';

export function hasDname(records: readonly ResourceRecord[]): boolean {
  return holds(records, rrtype.DNAME);
}

/** A name with records below a DNAME. */
export interface Occlusion {
  readonly owner: NameKey;
  readonly dname: NameKey;
}

/** Whether a caller may hear of records at an owner, of one type or of any: it reads them, or writes them itself. */
export type KnowsOwner = (owner: NameKey, type: number | undefined) => boolean;

/** Names what the caller may hear of. */
export function occlusionProblem(
  apex: NameKey,
  { owner, dname }: Occlusion,
  knows: KnowsOwner,
): Problem {
  const print = (key: NameKey) => printAbsoluteName(joinNames(key, apex));
  const name = knows(owner, undefined) ? print(owner) : 'a name with records';
  const above = knows(dname, rrtype.DNAME) ? `the DNAME at ${print(dname)}` : 'a DNAME';
  return new Problem('RECORD_CONFLICT', `${name} is below ${above}: no record can stand there`);
}

/** Whether there are records, of one type or of any. */
export function hasAny(records: readonly ResourceRecord[], type: number | undefined): boolean {
  return type === undefined ? records.length > 0 : holds(records, type);
}

/** Finds occlusions in a zone whose owners come in canonical order. */
export class DnameWalk {
  #dname: NameKey | undefined;
  #hasApexDname = false;

  /** Whether the apex, once it was passed, has a DNAME. */
  get hasApexDname(): boolean {
    return this.#hasApexDname;
  }

  /** Whether the names that come next may be below a DNAME; else a new owner without one need not be passed. */
  get isOpen(): boolean {
    return this.#dname !== undefined;
  }

  /** The next owner that has records. */
  pass(owner: NameKey, isDname: boolean): Occlusion | undefined {
    const dname = this.#dname;
    if (dname !== undefined && isWithin(owner, dname)) return { owner, dname };
    this.#dname = isDname ? owner : undefined;
    if (owner === emptyName) this.#hasApexDname = isDname;
    return undefined;
  }

  /** Some owners are left out, which are all before `next`, one that is stored; undefined when none comes. */
  skipTo(next: NameKey | undefined): Occlusion | undefined {
    const dname = this.#dname;
    this.#dname = undefined;
    return dname !== undefined && next !== undefined && isWithin(next, dname)
      ? { owner: next, dname }
      : undefined;
  }
}

/** The occlusions among all owners of a zone, which come in any order. */
export function* occlusionsAmong(
  nodes: ReadonlyMap<NameKey, readonly ResourceRecord[]>,
): Generator<Occlusion> {
  const owners = [...nodes.keys()].filter((owner) => nodes.get(owner)!.length > 0);
  if (!owners.some((owner) => hasDname(nodes.get(owner)!))) return;
  const walk = new DnameWalk();
  for (const owner of owners.sort()) {
    const occlusion = walk.pass(owner, hasDname(nodes.get(owner)!));
    if (occlusion !== undefined) yield occlusion;
  }
}

/**
 * Refuses a DNAME at the apex of a zone with NSEC3: the owners of NSEC3 are below it, and Knot refuses the zone.
 * NSEC has no such owners.
 */
export function refuseApexDname(zoneName: string): never {
  throw new Problem(
    'RECORD_CONFLICT',
    `zone '${zoneName}': a DNAME at the apex and NSEC3 exclude each other; a policy with denial nsec allows it`,
  );
}

type Neighbours = Pick<StateView, 'recordsAt' | 'ownerBefore' | 'ownerBelow'>;

export interface ChangedZone {
  readonly id: number;
  /** User records that the zone will have. */
  readonly recordCount: number;
}

/**
 * The occlusions that changes of some owners lead to; of what is below a new DNAME the first one. `view` has the zone
 * as it is; `changes` have each changed owner once, in any order.
 */
export function* occlusionsOf(
  view: Neighbours,
  zone: ChangedZone,
  changes: readonly NodeChange[],
): Generator<Occlusion> {
  const after = new Map(changes.map((change) => [change.owner, change.after]));
  const at = (owner: NameKey) => after.get(owner) ?? view.recordsAt(zone.id, owner);
  const dnames = new Set<NameKey>();
  for (const change of changes) if (hasDname(change.after)) dnames.add(change.owner);
  for (const change of changes) {
    const { owner } = change;
    const isNew = change.before.length === 0 && change.after.length > 0;
    if (isNew) {
      const dname = ancestorIn(dnames, owner) ?? storedDnameAbove(view, zone.id, owner, at);
      if (dname !== undefined) yield { owner, dname };
    }
    if (!hasDname(change.after) || hasDname(change.before)) continue;
    const below = ownerBelow(view, zone, owner, at);
    if (below !== undefined) yield { owner: below, dname: owner };
  }
}

function ancestorIn(dnames: ReadonlySet<NameKey>, owner: NameKey): NameKey | undefined {
  if (dnames.size === 0) return undefined;
  let above = parentOf(owner);
  while (above !== undefined && !dnames.has(above)) above = parentOf(above);
  return above;
}

type RecordsAt = (owner: NameKey) => readonly ResourceRecord[];

function storedDnameAbove(
  view: Neighbours,
  zoneId: number,
  owner: NameKey,
  at: RecordsAt,
): NameKey | undefined {
  if (owner === emptyName) return undefined;
  if (hasDname(at(emptyName))) return emptyName;
  const isBelowApex = owner.indexOf('\0') === owner.length - 1;
  if (isBelowApex) return undefined;
  const before = view.ownerBefore(zoneId, owner);
  return before !== undefined && isWithin(owner, before) && hasDname(at(before))
    ? before
    : undefined;
}

/** A name below a new DNAME that keeps records, or gets some. */
function ownerBelow(
  view: Neighbours,
  { id, recordCount }: ChangedZone,
  dname: NameKey,
  at: RecordsAt,
): NameKey | undefined {
  // Names below the apex are all the others; those of NSEC3 among them are not gone through.
  if (dname === emptyName && recordCount === at(emptyName).length) return undefined;
  let owner = view.ownerBelow(id, dname, dname);
  while (owner !== undefined && at(owner).length === 0) owner = view.ownerBelow(id, dname, owner);
  return owner;
}
