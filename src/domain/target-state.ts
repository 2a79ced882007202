/**
 * What stands at the name that a record points at, in the zone that holds the record: looked up as a name
 * server would (RFC 1034 4.3.2, RFC 4592 wildcards, RFC 6672 DNAME), in as much of the zone as one caller may
 * read. What the caller may not read has no part in the result, so nothing can be learnt from it.
 *
 * Costs the labels of the name, not the zone.
 */
import { Memory } from '../base/memory.ts';
import {
  emptyName,
  isWithin,
  type NameKey,
  parentOf,
  parseAbsoluteName,
  wildcardBelow,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Rights } from './access/rights.ts';
import type { StateView } from './decision.ts';
import { ZonesOfNames } from './zone-change.ts';

/** The user records of a zone in one state of it, by owners relative to its apex. */
export interface ZoneRecords {
  at(owner: NameKey): readonly ResourceRecord[];
  /** Whether any record stands below the owner. */
  hasBelow(owner: NameKey): boolean;
}

/** The zone that is looked up in, and who asks. */
export interface LookupScope {
  readonly apex: NameKey;
  readonly zoneId: number;
  readonly rights: Rights;
  /** Whether a deeper zone that the caller sees answers for an absolute name. */
  isElsewhere(name: NameKey): boolean;
}

export type TargetState =
  /** The caller may not read what decides it, or another zone answers for the name. */
  | { readonly kind: 'unknown' }
  /** At or below the delegation at `cut`; `records` are glue. */
  | { readonly kind: 'delegated'; readonly cut: NameKey; readonly records: Records }
  /** Below the DNAME at `owner`. */
  | { readonly kind: 'redirected'; readonly owner: NameKey }
  /** Its own records or a wildcard's; none of a name that is there only because of names below it. */
  | { readonly kind: 'found'; readonly records: Records }
  /** `isCertain`: the caller may read all names below it, and there is none. */
  | { readonly kind: 'missing'; readonly isCertain: boolean };

type Records = readonly ResourceRecord[];

/** Answers `isElsewhere` for one caller. */
export function deeperZones(
  view: Pick<StateView, 'zoneByName'>,
  apex: NameKey,
  rights: Pick<Rights, 'sees'>,
): (name: NameKey) => boolean {
  let zones: ZonesOfNames | undefined;
  return (name) => {
    // Most changes have no target that it is asked about.
    zones ??= new ZonesOfNames(view);
    const zone = zones.enclosing(name);
    if (zone === undefined || !rights.sees(zone.id)) return false;
    return parseAbsoluteName(zone.name).length > apex.length;
  };
}

export class TargetLookup {
  readonly #records: ZoneRecords;
  readonly #scope: LookupScope;
  readonly #readsAll: boolean;
  readonly #known = new Memory<NameKey, Records>();
  readonly #states = new Memory<NameKey, TargetState>();

  constructor(records: ZoneRecords, scope: LookupScope) {
    this.#records = records;
    this.#scope = scope;
    this.#readsAll = scope.rights.whole('record:read', scope.zoneId);
  }

  /** The records at an owner that the caller may read. */
  at(owner: NameKey): Records {
    const { rights, zoneId } = this.#scope;
    return this.#known.of(owner, () => {
      const all = this.#records.at(owner);
      if (this.#readsAll) return all;
      return all.filter(({ type }) => rights.onRecord('record:read', zoneId, owner, type));
    });
  }

  stateOf(owner: NameKey): TargetState {
    return this.#states.of(owner, () => (this.#mayRead(owner) ? this.#find(owner) : unknown));
  }

  #find(owner: NameKey): TargetState {
    for (const above of ancestorsOf(owner)) {
      const records = this.at(above);
      if (above !== emptyName && holds(records, rrtype.NS)) {
        return { kind: 'delegated', cut: above, records: this.at(owner) };
      }
      if (holds(records, rrtype.DNAME)) return { kind: 'redirected', owner: above };
    }
    const records = this.at(owner);
    if (owner !== emptyName && holds(records, rrtype.NS)) {
      return { kind: 'delegated', cut: owner, records };
    }
    const { apex, isElsewhere } = this.#scope;
    if (owner !== emptyName && isElsewhere((apex + owner) as NameKey)) return unknown;
    if (records.length > 0 || owner === emptyName || this.#hasBelow(owner)) {
      return { kind: 'found', records };
    }
    return this.#fromWildcard(owner);
  }

  /** Nothing stands at the owner: the wildcard below its closest encloser answers, or nobody. */
  #fromWildcard(owner: NameKey): TargetState {
    for (let above = parentOf(owner); above !== undefined; above = parentOf(above)) {
      const wildcard = wildcardBelow(above);
      if (!this.#mayRead(wildcard)) return unknown;
      const records = this.at(wildcard);
      if (records.length > 0 || this.#hasBelow(wildcard)) return { kind: 'found', records };
      if (this.at(above).length > 0 || this.#hasBelow(above)) break;
    }
    return { kind: 'missing', isCertain: this.#mayReadBelow(owner) };
  }

  #mayRead(owner: NameKey): boolean {
    const { rights, zoneId } = this.#scope;
    return this.#readsAll || rights.onRecord('record:read', zoneId, owner, undefined);
  }

  #mayReadBelow(owner: NameKey): boolean {
    const { rights, zoneId } = this.#scope;
    return this.#readsAll || rights.onSubtree('record:read', zoneId, owner);
  }

  #hasBelow(owner: NameKey): boolean {
    return this.#mayReadBelow(owner) && this.#records.hasBelow(owner);
  }
}

const unknown: TargetState = { kind: 'unknown' };

/** The names above an owner from the apex down, itself left out. */
export function ancestorsOf(owner: NameKey): NameKey[] {
  const above: NameKey[] = [];
  for (let name = parentOf(owner); name !== undefined; name = parentOf(name)) above.push(name);
  return above.reverse();
}

export function holds(records: Records, type: number): boolean {
  return records.some((record) => record.type === type);
}

/** The first of some sorted owners that stands below one. */
export function hasOwnerBelow(sorted: readonly NameKey[], owner: NameKey): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= owner) low = middle + 1;
    else high = middle;
  }
  const next = sorted[low];
  return next !== undefined && isWithin(next, owner);
}
