/**
 * The catalog zone (RFC 9432, domain/catalog.ts) as the DNS side reads it: among the stored zones for
 * look-ups, and as the source of a transfer.
 *
 * Nobody stores it, so its nodes are made here; whether somebody may see them is for the transfer ACL to say.
 */
import { emptyName, isWithin, type NameKey } from '../dns/name.ts';
import { packRecords, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import {
  catalogHead,
  catalogZone,
  catalogZoneId,
  memberIdOf,
  membersOwner,
} from '../domain/catalog.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import type { CatalogQueries } from '../projection/catalog-queries.ts';
import { outlineOf } from '../query/node-reader.ts';
import type { NodeSource } from './answer.ts';
import {
  type DeltaPart,
  type Difference,
  packSoa,
  type TransferSource,
} from './transfer-source.ts';

/** What is read of the catalog, at one moment. */
export type CatalogReads = Pick<CatalogQueries, 'state' | 'member' | 'members' | 'changes'>;

export interface Catalog {
  /** Without closing dot. */
  readonly name: string;
  /** The present. */
  readonly now: CatalogReads;
  /** Opens the state of this moment; throws Problem OVERLOADED when too many are open. */
  open(): { readonly catalog: CatalogReads; close(): void };
}

/** The stored zones and the catalog beside them. */
export function withCatalog(nodes: NodeSource, { name, now }: Catalog): NodeSource {
  const apex = apexOf({ name });
  return {
    findZone(wanted) {
      const stored = nodes.findZone(wanted);
      if (!isWithin(wanted, apex)) return stored;
      // A zone below the catalog's name is a zone like any other.
      if (stored !== undefined && isWithin(apexOf(stored), apex)) return stored;
      return catalogZone(name, now.state());
    },
    findZoneAbove: (below) => nodes.findZoneAbove(below),
    node: (zoneId, owner) =>
      zoneId === catalogZoneId ? catalogNode(now, owner) : nodes.node(zoneId, owner),
    outline: (zoneId, owner) =>
      zoneId === catalogZoneId
        ? outlineOf(catalogNode(now, owner).map(({ type }) => type))
        : nodes.outline(zoneId, owner),
    hasBelow(zoneId, owner) {
      if (zoneId !== catalogZoneId) return nodes.hasBelow(zoneId, owner);
      return owner === emptyName || (owner === membersOwner && now.state().memberCount > 0);
    },
    // The catalog is not signed, so nobody asks these of it.
    ownerUpTo: (zoneId, owner) => nodes.ownerUpTo(zoneId, owner),
    nsec3OwnerUpTo: (zoneId, owner) => nodes.nsec3OwnerUpTo(zoneId, owner),
  };
}

function catalogNode(catalog: CatalogReads, owner: NameKey): readonly ResourceRecord[] {
  const id = memberIdOf(owner);
  if (id === undefined) return catalogHead.filter((record) => record.owner === owner);
  const member = catalog.member(id);
  return member === undefined ? [] : [...unpackRecords(member)];
}

/** Opens the catalog for a transfer. */
export function openCatalogSource({ name, open }: Catalog): TransferSource {
  const snapshot = open();
  try {
    const { catalog } = snapshot;
    const zone = catalogZone(name, catalog.state());
    /** What the steps hold, by their serial: kept from `differences` on, which reads all in one. */
    const partsOf = new Map<number, DeltaPart[]>();
    return {
      zoneName: zone.name,
      serial: zone.serial,
      soa: packSoa(zone.defaultTtl, soaRdata(zone)),
      recordCount: zone.recordCount,
      *blocks() {
        yield { count: catalogHead.length, records: packRecords(catalogHead) };
        yield* catalog.members();
      },
      differences(fromSerial) {
        partsOf.clear();
        const changes = catalog.changes(fromSerial);
        if (changes === undefined) return undefined;
        for (const { serial, change, record } of changes) {
          const part = { change, count: 1, records: record };
          const parts = partsOf.get(serial);
          if (parts === undefined) partsOf.set(serial, [part]);
          else parts.push(part);
        }
        return [...partsOf].map(([serial, parts]) => differenceOf(zone, serial, parts));
      },
      parts: (difference) => partsOf.get(difference.serial) ?? [],
      close: () => snapshot.close(),
    };
  } catch (error) {
    snapshot.close();
    throw error;
  }
}

/** One step of the catalog; its SOAs differ by the serial alone and are made when they are sent. */
function differenceOf(zone: Zone, serial: number, parts: readonly DeltaPart[]): Difference {
  const addedCount = parts.filter(({ change }) => change === 'added').length;
  return {
    serialBefore: serial - 1,
    serial,
    soaTtlBefore: zone.defaultTtl,
    soaTtlAfter: zone.defaultTtl,
    get soaBefore() {
      return soaRdata({ ...zone, serial: serial - 1 });
    },
    get soaAfter() {
      return soaRdata({ ...zone, serial });
    },
    addedCount,
    removedCount: parts.length - addedCount,
  };
}
