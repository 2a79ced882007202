/**
 * The deleted zone that the page looks at: its name and its id are in the address, `bin/NAME/ID/TAB`. The screens of a
 * zone are the same for it; they read by its id, and change nothing.
 */
import { computed } from '@preact/signals';
import { type DeletedZone, get, type Listed, type Zone } from './api.ts';
import { counted } from './counted.ts';
import { dayMs } from './duration.ts';
import { absolute, isEarlier } from './moment.ts';
import { hrefOf, path } from './router.ts';

/** Undefined on every other screen. */
export const deletedId = computed(() => {
  const [screen, , id] = path.value;
  return screen === 'bin' && id !== undefined ? Number(id) : undefined;
});

export const isReadOnly = computed(() => isEarlier.value || deletedId.value !== undefined);

/** The zone whose permissions count: those for all zones alone reach a deleted one. */
export function scopeOf(zone: string): string | undefined {
  return deletedId.value === undefined ? zone : undefined;
}

/** A tab of the zone of the page. */
export function tabHref(zone: string, tab: string, parameters: Parameters<typeof hrefOf>[1] = {}) {
  const id = deletedId.value;
  return hrefOf(id === undefined ? ['zones', zone, tab] : deletedPath(zone, id, tab), parameters);
}

export function deletedPath(name: string, id: number, tab = 'records'): readonly string[] {
  return ['bin', name, String(id), tab];
}

/** How the events of the zone are asked for, of one owner or of all (''). By an id alone owners are absolute. */
export function eventsOf({ name: zone }: Pick<Zone, 'name'>, owner = '') {
  if (deletedId.value === undefined) return { zone, name: owner };
  return { zone_id: deletedId.value, name: absoluteName(owner, zone) };
}

function absoluteName(owner: string, zone: string): string {
  if (owner === '' || owner.endsWith('.')) return owner;
  return owner === '@' ? `${zone}.` : `${owner}.${zone}.`;
}

/** When a zone of the bin is purged, and the days until then. */
export function purgeText(time: string): string {
  const days = Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / dayMs));
  return `${absolute(time)} (${days === 0 ? 'now due' : counted(days, 'day')})`;
}

/** Zones of the bin that are asked for at once. */
const pageZones = 100;

/** Undefined when it was restored or purged. */
export async function readDeletedZone(
  name: string,
  id: number,
  signal?: AbortSignal,
): Promise<DeletedZone | undefined> {
  for (let offset = 0; ; offset += pageZones) {
    const query = { deleted: 'true', search: name, offset, limit: pageZones };
    const { items, pagination } = await get<Listed<DeletedZone>>('/zones', query, signal);
    const found = items.find((zone) => zone.id === id);
    if (found !== undefined || offset + pageZones >= pagination.total) return found;
  }
}
