/**
 * A zone as a plan will leave it, read owner by owner: what is stored, and what the plan makes of it. Warnings of
 * large changes look targets up in it; a look-up costs some reads of blocks, whatever the zone holds.
 */
import { systemClock } from '../../base/clock.ts';
import { isWithin, type NameKey, parentOf } from '../../dns/name.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { type RolledZone, rolledZone } from '../../domain/roll-warnings.ts';
import { deeperZones, type LookupScope, type ZoneRecords } from '../../domain/target-state.ts';
import type { Zone } from '../../domain/zone.ts';
import type { Connection } from '../../journal/database.ts';
import { SigningQueries } from '../../projection/signing-store.ts';
import type { StoredOwners } from '../../query/stored-owners.ts';
import type { ChangedNode } from '../../query/version-records.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { FileTable } from './file-table.ts';

/** What a plan makes of an owner: of its stored records and those of the table. */
type Merge = (
  owner: NameKey,
  stored: readonly ZoneRecord[],
  table: ReturnType<FileTable['recordsAt']>,
) => readonly ResourceRecord[];

/** The records of a table beside those that are stored. */
export const addedTo: Merge = (_, stored, table) => [...stored, ...table];

/** A zone with the records of a sorted table in it; `stored` is undefined when they replace all it holds. */
export function mergedRecords(
  stored: StoredOwners | undefined,
  table: FileTable,
  merge: Merge,
): ZoneRecords {
  return {
    at(owner) {
      const before = stored?.at(owner) ?? [];
      const named = table.recordsOf(owner);
      return named.length === 0 ? before : merge(owner, before, named);
    },
    hasBelow(owner) {
      let index = table.indexOf(owner);
      if (index < table.count && table.ownerAt(index) === owner) index = table.endOfOwner(index);
      if (index < table.count && isWithin(table.ownerAt(index), owner)) return true;
      return stored?.below(owner, owner) !== undefined;
    },
  };
}

/**
 * A zone that goes back to an earlier version. `changed`: the owners that differ, as they were then before and
 * as they are now after; only what is asked for is kept of them.
 */
export function rolledBackRecords(
  stored: StoredOwners,
  changed: Iterable<Pick<ChangedNode, 'owner' | 'before'>>,
  asked: ReadonlySet<NameKey>,
): ZoneRecords {
  const then = new Map<NameKey, readonly ZoneRecord[]>();
  const emptied = new Set<NameKey>();
  const hasThen = new Set<NameKey>();
  for (const { owner, before } of changed) {
    if (asked.has(owner)) then.set(owner, before);
    for (let above = parentOf(owner); above !== undefined; above = parentOf(above)) {
      if (!asked.has(above)) continue;
      if (before.length === 0) emptied.add(owner);
      else hasThen.add(above);
    }
  }
  return {
    at: (owner) => then.get(owner) ?? stored.at(owner),
    hasBelow(owner) {
      if (hasThen.has(owner)) return true;
      let next = stored.below(owner, owner);
      while (next !== undefined && emptied.has(next)) next = stored.below(owner, next);
      return next !== undefined;
    },
  };
}

/** Undefined while the keys of the zone are not being rolled. */
export function rolledInThread(connection: Connection, zone: Zone): RolledZone | undefined {
  const signing = new SigningQueries(connection).of(zone.id);
  return rolledZone(signing, { before: zone, after: zone, now: systemClock() });
}

/** Where a thread looks names up for a caller. */
export function scopeOfThread(
  zones: Pick<ZoneQueries, 'byName'>,
  apex: NameKey,
  zoneId: number,
  rights: Rights,
): LookupScope {
  const view = { zoneByName: (name: string) => zones.byName(name) };
  return { apex, zoneId, rights, isElsewhere: deeperZones(view, apex, rights) };
}
