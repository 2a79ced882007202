/** Rows of the table `zone` as values, and back. */
import type { Zone } from '../domain/zone.ts';

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
