/** What the DNS side asks of the present state: zones by name, and the records at an owner. */
import { keyFromBytes, keyToBytes, type NameKey, parentOf } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { ownerAfter, recordsAtOwner, typesAtOwner } from '../projection/block.ts';
import { FloorQuery, type PackedBlockRow } from '../projection/block-row.ts';
import { Nsec3OwnerReader } from '../projection/nsec3-owners.ts';
import { lastOwnerUpTo } from '../dns/packed.ts';
import { ZoneQueries } from './zone-queries.ts';

/** What stands at an owner, as far as a walk over it has to know: it costs no records. */
export interface NodeOutline {
  /** There is data, and nothing that hides what is below it. */
  readonly isOpen: boolean;
  readonly hasNsec: boolean;
}

export function outlineOf(types: Iterable<number>): NodeOutline {
  let hasData = false;
  let hides = false;
  let hasNsec = false;
  for (const type of types) {
    hides ||= type === rrtype.NS || type === rrtype.DNAME;
    hasNsec ||= type === rrtype.NSEC;
    // Names made of hashes are none of the zone's (RFC 5155 7.2.8).
    hasData ||= type !== rrtype.NSEC3 && type !== rrtype.RRSIG;
  }
  return { isOpen: hasData && !hides, hasNsec };
}

export class NodeReader {
  readonly #zones: ZoneQueries;
  readonly #floor: FloorQuery;
  readonly #nsec3Owners: Nsec3OwnerReader;

  constructor(connection: Connection) {
    this.#zones = new ZoneQueries(connection);
    this.#floor = new FloorQuery(connection, 'packed');
    this.#nsec3Owners = new Nsec3OwnerReader(connection);
  }

  /** The deepest stored zone that encloses an absolute name, enabled or not. */
  findZone(name: NameKey): Zone | undefined {
    return this.#zones.enclosing(name);
  }

  /** The deepest stored zone above an apex: where a DS of that apex lives. */
  findZoneAbove(apex: NameKey): Zone | undefined {
    const above = parentOf(apex);
    return above === undefined ? undefined : this.findZone(above);
  }

  /** All records, user and DNSSEC, at an owner relative to the apex; the SOA is not among them. */
  node(zoneId: number, owner: NameKey): readonly ResourceRecord[] {
    const row = this.#blockOf(zoneId, owner);
    return row === undefined ? [] : recordsAtOwner(row.records, owner);
  }

  outline(zoneId: number, owner: NameKey): NodeOutline {
    const row = this.#blockOf(zoneId, owner);
    return outlineOf(row === undefined ? [] : typesAtOwner(row.records, owner));
  }

  /** True when any record stands below the owner. */
  hasBelow(zoneId: number, owner: NameKey): boolean {
    const row = this.#blockOf(zoneId, owner);
    if (row === undefined) return false;
    const following = ownerAfter(row.records, owner);
    if (following !== undefined) return following.startsWith(owner);
    return row.next !== null && keyFromBytes(row.next).startsWith(owner);
  }

  /** The last owner of any record at or before `owner`; undefined before the first. */
  ownerUpTo(zoneId: number, owner: NameKey): NameKey | undefined {
    const row = this.#blockOf(zoneId, owner);
    return row && lastOwnerUpTo(row.records, owner);
  }

  /** The owner of the NSEC3 that matches the hash that `owner` is made of, or covers it. */
  nsec3OwnerUpTo(zoneId: number, owner: NameKey): NameKey | undefined {
    return this.#nsec3Owners.upTo(zoneId, owner);
  }

  #blockOf(zoneId: number, owner: NameKey): PackedBlockRow | undefined {
    return this.#floor.get(zoneId, keyToBytes(owner));
  }
}
