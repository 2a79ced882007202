/**
 * What teams want of a zone: RRsets that a team owns, with what each is to be. An RRset has one owner at most.
 *
 * Ownership moves only by what a team applies. Whoever changes the records of an owned RRset otherwise, by hand, by an
 * import or by a rollback, leaves it to its owner, who sees the difference as drift.
 */
import { type NameKey, parseAbsoluteName, printAbsoluteName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';

export interface RrsetName {
  /** Relative to the apex. */
  readonly owner: NameKey;
  readonly type: number;
}

export interface DesiredRrset extends RrsetName {
  readonly team: string;
  /** Seconds. */
  readonly ttl: number;
  /** RDATA in hexadecimal, sorted; at least one. */
  readonly values: readonly string[];
}

/** What an event does to the ownership of RRsets. A checkpoint puts all that the zone has. */
export interface DesiredFact {
  readonly put: readonly DesiredRrset[];
  readonly released: readonly RrsetName[];
}

interface StoredName {
  /** Relative to the apex, without a dot at the end; empty for the apex. */
  readonly name: string;
  readonly type: number;
}

/** The same in the payload of an event. */
export interface StoredDesired {
  readonly put: readonly (StoredName & Omit<DesiredRrset, 'owner'>)[];
  readonly released: readonly StoredName[];
}

export function storedDesired({ put, released }: DesiredFact): StoredDesired {
  const named = ({ owner, type }: RrsetName) => {
    return { name: printAbsoluteName(owner).slice(0, -1), type };
  };
  return {
    put: put.map((rrset) => {
      const { team, ttl, values } = rrset;
      return { ...named(rrset), team, ttl, values };
    }),
    released: released.map(named),
  };
}

export function desiredFrom({ put, released }: StoredDesired): DesiredFact {
  const named = ({ name, type }: StoredName) => ({ owner: parseAbsoluteName(`${name}.`), type });
  return {
    put: put.map((rrset) => {
      const { team, ttl, values } = rrset;
      return { ...named(rrset), team, ttl, values };
    }),
    released: released.map(named),
  };
}

/** The RRset that some records of one owner, type and TTL are. */
export function desiredOf(team: string, records: readonly ResourceRecord[]): DesiredRrset {
  const [{ owner, type, ttl }] = records as readonly [ResourceRecord];
  const values = records.map(({ rdata }) => rdata.toString('hex')).sort();
  return { owner, type, team, ttl, values };
}

export function recordsOf({ owner, type, ttl, values }: DesiredRrset): ResourceRecord[] {
  return values.map((value) => ({ owner, type, ttl, rdata: Buffer.from(value, 'hex') }));
}

export function isSameDesired(a: DesiredRrset, b: DesiredRrset): boolean {
  return a.team === b.team && a.ttl === b.ttl && a.values.join() === b.values.join();
}

/** A text that is equal for equal RRsets. */
export function rrsetKey({ owner, type }: RrsetName): string {
  return `${type} ${owner}`;
}
