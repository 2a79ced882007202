/**
 * What an external DNS controller may manage and what is there: domains, and the RRsets of all of them
 * (interface 4.8).
 *
 * A name belongs to the deepest zone there is, so what a zone holds at names of a deeper one is left
 * out, also when the caller does not see that one: a change would not go there.
 */
import { and, gt, lt } from 'drizzle-orm';
import { inLists } from '../base/lists.ts';
import {
  emptyName,
  joinNames,
  keyFromBytes,
  keyToBytes,
  type NameKey,
  printAbsoluteName,
  printLabels,
  relativeTo,
} from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { printType } from '../dns/rrtype.ts';
import type { Rights } from '../domain/access/rights.ts';
import {
  externalTypes,
  managedOwners,
  outermost,
  type StoredExternalRecord,
} from '../domain/external-dns.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { BlockScan } from './block-scan.ts';
import { allOwners, type KeyRange, rangeOfPattern } from './key-range.ts';
import { RecordCursor } from './record-cursor.ts';
import { zone } from '../projection/schema.ts';
import { type Tables, tablesOf } from '../projection/tables.ts';
import { ZoneQueries } from './zone-queries.ts';

/** RRsets of one part of the answer. */
const rrsetsPerPart = 500;

export class ExternalDnsQueries {
  readonly #zones: ZoneQueries;
  readonly #scan: BlockScan;
  readonly #tables: Tables;

  constructor(connection: Connection) {
    this.#zones = new ZoneQueries(connection);
    this.#scan = new BlockScan(connection);
    this.#tables = tablesOf(connection);
  }

  /** About how many zones and records have to be looked at. */
  cost(): number {
    const { zones, records } = this.#zones.counts();
    return zones + records;
  }

  /** Names without closing dot, in canonical order of their zones. */
  domains(rights: Rights): readonly string[] {
    const domains = new Set<string>();
    for (const { zone, owners } of this.#managed(rights)) {
      const apex = apexOf(zone);
      for (const owner of owners) {
        domains.add(owner === emptyName ? zone.name : printLabels(joinNames(owner, apex)));
      }
    }
    return [...domains];
  }

  /** In canonical order within each zone, one entry for each name and type. */
  records(rights: Rights): Generator<readonly StoredExternalRecord[]> {
    return inLists(this.#records(rights), rrsetsPerPart);
  }

  *#records(rights: Rights): Generator<StoredExternalRecord> {
    for (const { zone, owners } of this.#managed(rights)) {
      const isVisible = this.#testOf(rights, zone);
      for (const owner of outermost(owners)) {
        const range =
          owner === emptyName ? allOwners : rangeOfPattern({ kind: 'subtree', name: owner });
        yield* this.#recordsIn(zone, range, isVisible);
      }
    }
  }

  *#managed(rights: Rights): Generator<{ zone: Zone; owners: readonly NameKey[] }> {
    for (const zone of this.#zones.inOrder(false, rights.visibleZones())) {
      const owners = managedOwners(rights, zone.id);
      if (owners.length > 0) yield { zone, owners };
    }
  }

  /** Whether the caller may read an RRset of the zone, and no deeper zone hides it. */
  #testOf(rights: Rights, zone: Zone): (owner: NameKey, type: number) => boolean {
    const deeper = this.#zonesBelow(apexOf(zone));
    return (owner, type) => {
      for (let end = owner.indexOf('\0'); deeper.size > 0 && end >= 0; ) {
        if (deeper.has(owner.slice(0, end + 1))) return false;
        end = owner.indexOf('\0', end + 1);
      }
      return rights.onRecord('record:read', zone.id, owner, type);
    };
  }

  /** The apexes below one, relative to it. */
  #zonesBelow(apex: NameKey): ReadonlySet<string> {
    const { from, to } = rangeOfPattern({ kind: 'subtree', name: apex });
    const isBelow = and(gt(zone.apex, keyToBytes(from)), lt(zone.apex, keyToBytes(to!)));
    const zones = this.#tables.select({ bytes: zone.apex }).from(zone).where(isBelow).all();
    return new Set(zones.map(({ bytes }) => relativeTo(keyFromBytes(bytes), apex)!));
  }

  *#recordsIn(
    zone: Zone,
    range: KeyRange,
    isVisible: (owner: NameKey, type: number) => boolean,
  ): Generator<StoredExternalRecord> {
    const apex = apexOf(zone);
    const cursor = new RecordCursor();
    for (const block of this.#scan.ascending(zone.id, range)) {
      // The records of one owner are never in two blocks, and those of one RRset follow each other.
      let rrset: OpenRrset | undefined;
      cursor.openBlock(block);
      while (cursor.next()) {
        const { type } = cursor;
        if (!externalTypes.has(type)) continue;
        const { owner } = cursor;
        if (owner < range.from) continue;
        if (range.to !== undefined && owner >= range.to) break;
        if (rrset === undefined || rrset.owner !== owner || rrset.type !== type) {
          if (rrset?.isVisible) yield closed(rrset, apex);
          rrset = { owner, type, ttl: cursor.ttl, isVisible: isVisible(owner, type), values: [] };
        }
        if (rrset.isVisible) rrset.values.push(printRdata(type, cursor.rdata));
      }
      if (rrset?.isVisible) yield closed(rrset, apex);
    }
  }
}

interface OpenRrset {
  readonly owner: NameKey;
  readonly type: number;
  readonly ttl: number;
  readonly isVisible: boolean;
  readonly values: string[];
}

function closed({ owner, type, ttl, values }: OpenRrset, apex: NameKey): StoredExternalRecord {
  const name = printAbsoluteName(joinNames(owner, apex));
  return { name, type: printType(type), ttl, values: values.sort() };
}
