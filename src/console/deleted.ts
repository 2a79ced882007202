/**
 * The deleted zone that the page looks at: its name and its id are in the address, `bin/NAME/ID/TAB`. The screens of a
 * zone are the same for it; they read by its id, and change nothing.
 */
import { computed } from '@preact/signals';
import { type DeletedZone, get, type Listed, type Zone, zonePath } from './api.ts';
import { counted } from './counted.ts';
import { tagsText } from './key-groups.ts';
import { isEarlier } from './moment.ts';
import { may } from './permissions.ts';
import { hrefOf, path } from './router.ts';
import type { Write } from './write.ts';

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

/** Zones of the bin that are asked for at once. */
const pageZones = 100;

/** Undefined when it was restored or purged. */
export async function readDeletedZone(
  name: string,
  id: number,
  signal: AbortSignal,
): Promise<DeletedZone | undefined> {
  for (let offset = 0; ; offset += pageZones) {
    const query = { deleted: 'true', search: name, offset, limit: pageZones };
    const { items, pagination } = await get<Listed<DeletedZone>>('/zones', query, signal);
    const found = items.find((zone) => zone.id === id);
    if (found !== undefined || offset + pageZones >= pagination.total) return found;
  }
}

/** Grants name a zone by its id, and end with it. */
function lostGrants({ roles_lost: roles }: DeletedZone): string {
  const lost = 'Grants that named only this zone do not come back';
  if (roles === null) {
    return may(undefined, 'access:manage')
      ? `${lost}. Which there were was not written down when it was deleted.`
      : `${lost}. Who has access:manage sees which roles had any.`;
  }
  if (roles.length === 0) return 'No grant named only this zone: none is lost.';
  return `${lost}. Roles that had some: ${roles.join(', ')}. Give them anew on the page Access.`;
}

function whatTheParentNeeds({ ds_key_tags: tags }: DeletedZone): readonly string[] {
  if (tags.length === 0) return ['It was not signed: the parent must have no DS for it.'];
  const which = tags.length === 1 ? 'that key' : 'one of them';
  return [
    `It was signed, and is signed again with ${tagsText(tags)}: the parent needs the DS of ${which}.`,
    'Without a DS validators take the zone for unsigned; where no DS fits they find it bogus. ' +
      'Its page DNSSEC shows the DS, and asks the parent.',
  ];
}

export function restoreOf(zone: DeletedZone): Write {
  const { id, name, records, serial } = zone;
  const facts = async () => {
    const { items } = await get<Listed<Zone>>('/zones', { name });
    return [
      items.length === 0
        ? 'Its name is free.'
        : 'The name belongs to another zone now: the service refuses it until that one has another.',
      `All ${counted(records, 'record')} and the history come back, with a serial above ${serial}.`,
      lostGrants(zone),
      ...whatTheParentNeeds(zone),
    ];
  };
  return {
    title: `Restore zone ${name}`,
    button: 'Restore zone',
    method: 'POST',
    path: zonePath(name, '/restore'),
    query: { id },
    hasDryRun: false,
    facts,
    advice: { ZONE_CONFLICT: 'Rename or delete the zone that has the name now.' },
    leadsTo: hrefOf(['zones', name, 'records'], { at: undefined }),
  };
}
