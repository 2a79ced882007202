/** Rows of the table `zone` as values, and back. */
import { keyToBytes, type NameKey, parentOf } from '../dns/name.ts';
import type { Zone } from '../domain/zone.ts';
import type { Statement } from '../journal/database.ts';

export type ZoneRow = Omit<Zone, 'enabled'> & { readonly enabled: number };

/** The columns of a zone, named as the fields of ZoneRow. */
export const zoneColumns = `zone.id, zone.name, zone.mname, zone.rname,
  zone.default_ttl AS defaultTtl, zone.minimum_ttl AS minimumTtl, zone.refresh, zone.retry,
  zone.expire, zone.serial, zone.description, zone.enabled, zone.created_at AS createdAt,
  zone.record_count AS recordCount, zone.derived_count AS derivedCount,
  zone.history_from_serial AS historyFromSerial`;

export function zoneOf(row: ZoneRow): Zone {
  return { ...row, enabled: row.enabled === 1 };
}

/** Finds a zone by its apex, for enclosingZone. */
export const zoneByApexQuery = `SELECT ${zoneColumns} FROM zone WHERE apex = ?`;

/** The deepest stored zone that encloses an absolute name, enabled or not. */
export function enclosingZone(zoneByApex: Statement, name: NameKey): Zone | undefined {
  for (let apex: NameKey | undefined = name; apex !== undefined; apex = parentOf(apex)) {
    const row = zoneByApex.get(keyToBytes(apex)) as ZoneRow | undefined;
    if (row !== undefined) return zoneOf(row);
  }
  return undefined;
}
