/**
 * A cache of nodes in front of the projection, for the names that are asked for again and again.
 *
 * Every change of a zone is a step of its serial, so what is kept of a zone holds as long as the
 * serial that findZone reports, which every look-up asks first and in the same turn of the event
 * loop. When the cache is full it starts anew: hot names are back at once, and a flood of made-up
 * names costs no bookkeeping.
 */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { NodeOutline } from '../query/node-reader.ts';
import type { NodeSource } from './answer.ts';
import { nameserverLimits } from './limits.ts';

interface KnownZone {
  readonly serial: number;
  readonly nodes: Map<NameKey, readonly ResourceRecord[]>;
  readonly outlines: Map<NameKey, NodeOutline>;
  readonly below: Map<NameKey, boolean>;
  readonly ownersUpTo: Map<NameKey, NameKey | undefined>;
  readonly nsec3OwnersUpTo: Map<NameKey, NameKey | undefined>;
}

/** Bytes that an entry takes besides its RDATA: a guess, on the high side. */
const entryBytes = 300;

export function cacheNodes(
  source: NodeSource,
  maxBytes: number = nameserverLimits.cachedNodeBytes,
): NodeSource {
  const zones = new Map<number, KnownZone>();
  let bytes = 0;

  /** Drops what is known of a zone at another serial. */
  function checked(zone: Zone | undefined): Zone | undefined {
    if (zone !== undefined && zones.get(zone.id)?.serial !== zone.serial) {
      makeRoom(entryBytes);
      zones.set(zone.id, {
        serial: zone.serial,
        nodes: new Map(),
        outlines: new Map(),
        below: new Map(),
        ownersUpTo: new Map(),
        nsec3OwnersUpTo: new Map(),
      });
    }
    return zone;
  }

  function makeRoom(added: number): void {
    bytes += added;
    if (bytes <= maxBytes) return;
    // What a dropped serial held still counts until here, which only makes this come sooner.
    zones.clear();
    bytes = added;
  }

  /** What is known of an owner, or else read and kept; the zone may leave the cache for it. */
  function remembered<T>(known: Map<NameKey, T> | undefined, owner: NameKey, read: () => T): T {
    const kept = known?.get(owner);
    if (kept !== undefined) return kept;
    const found = read();
    makeRoom(entryBytes);
    known?.set(owner, found);
    return found;
  }

  return {
    findZone: (name) => checked(source.findZone(name)),
    findZoneAbove: (apex) => checked(source.findZoneAbove(apex)),
    node(zoneId, owner) {
      const known = zones.get(zoneId)?.nodes.get(owner);
      if (known !== undefined) return known;
      const read = source.node(zoneId, owner);
      // RDATA are views into blocks of many names; a copy keeps no block alive.
      const records = read.map((record) => ({ ...record, rdata: Buffer.from(record.rdata) }));
      makeRoom(records.reduce((sum, { rdata }) => sum + rdata.length + entryBytes, entryBytes));
      zones.get(zoneId)?.nodes.set(owner, records);
      return records;
    },
    outline: (zoneId, owner) =>
      remembered(zones.get(zoneId)?.outlines, owner, () => source.outline(zoneId, owner)),
    hasBelow: (zoneId, owner) =>
      remembered(zones.get(zoneId)?.below, owner, () => source.hasBelow(zoneId, owner)),
    ownerUpTo: (zoneId, owner) =>
      remembered(zones.get(zoneId)?.ownersUpTo, owner, () => source.ownerUpTo(zoneId, owner)),
    nsec3OwnerUpTo: (zoneId, owner) =>
      remembered(zones.get(zoneId)?.nsec3OwnersUpTo, owner, () =>
        source.nsec3OwnerUpTo(zoneId, owner),
      ),
  };
}
