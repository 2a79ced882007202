/** Zones as JSON (interface 2.2). */
import { formatTime } from '../../base/clock.ts';
import type { DeletedZone, Zone } from '../../domain/zone.ts';

export function presentZone(zone: Zone) {
  return {
    id: zone.id,
    name: zone.name,
    mname: zone.mname,
    rname: zone.rname,
    default_ttl: zone.defaultTtl,
    minimum_ttl: zone.minimumTtl,
    refresh: zone.refresh,
    retry: zone.retry,
    expire: zone.expire,
    serial: zone.serial,
    description: zone.description,
    enabled: zone.enabled,
  };
}

export function presentDeletedZone(zone: DeletedZone) {
  return { ...presentZone(zone), deleted_at: formatTime(zone.deletedAt) };
}
