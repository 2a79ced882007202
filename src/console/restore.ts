/** The way back of a zone of the bin, and what comes of it for its grants and at its parent. */
import { type DeletedZone, type Delegation, get, type Listed, type Zone, zonePath } from './api.ts';
import { counted } from './counted.ts';
import { tagsText } from './key-groups.ts';
import { holds, may } from './permissions.ts';
import { hrefOf } from './router.ts';
import type { Write } from './write.ts';

/** Grants name a zone by its id, and end with it. */
function lostGrants({ roles_lost: roles }: DeletedZone): string {
  const lost = 'Grants that named only this zone do not come back';
  if (roles === null) {
    return holds(undefined, 'access:manage')
      ? `${lost}. Which there were was not written down when it was deleted.`
      : `${lost}. Who has access:manage sees which roles had any.`;
  }
  if (roles.length === 0) return 'No grant named only this zone: none is lost.';
  return `${lost}. Roles that had some: ${roles.join(', ')}. Give them anew on the page Access.`;
}

/** Sentences on the DS that the parent is to have. */
export function whatTheParentNeeds(zone: DeletedZone): readonly string[] {
  const { ds_key_tags: tags, ds_withdrawing: isWithdrawing } = zone;
  if (tags.length === 0) return ['It was not signed: the parent must have no DS for it.'];
  if (isWithdrawing) {
    return [
      `It was signed, and is signed again with ${tagsText(tags)}. Its DS was being withdrawn: the parent is asked to ` +
        'remove it again, and may have it or not.',
    ];
  }
  const which = tags.length === 1 ? 'that key' : 'one of them';
  return [
    `It was signed, and is signed again with ${tagsText(tags)}: the parent needs the DS of ${which}.`,
    'Without a DS validators take the zone for unsigned; where no DS fits they find it bogus. ' +
      'Its page DNSSEC shows the DS, and asks the parent.',
  ];
}

/** What the parent servers say of a zone of the bin; '' where the caller may not ask. */
export async function whatTheParentSays(zone: DeletedZone): Promise<string> {
  if (!may(undefined, 'dnssec:read')) return '';
  const query = { deleted_id: zone.id };
  const { delegation } = await get<{ delegation: Delegation }>(
    zonePath(zone.name, '/delegation'),
    query,
  );
  const said = delegationText(zone, delegation);
  const silent = delegation.servers.filter(({ error }) => error !== null);
  // Where none was reached, all is said already.
  if (delegation.parent_has_name === null || silent.length === 0) return said;
  return `${said} These did not answer: ${silent.map(({ address }) => address).join(', ')}.`;
}

function delegationText({ ds_key_tags: own }: DeletedZone, delegation: Delegation): string {
  const { parent_has_name: hasName, ds_key_tags: served, keys, servers } = delegation;
  if (servers.length === 0) return 'No parent server is known of it, so none was asked about it.';
  if (hasName === null) {
    const { address, error } = servers[0]!;
    return `No parent server could be asked whether it still delegates it: ${address}: ${error}.`;
  }
  if (!hasName) return 'The parent has no such name any more: it delegates the zone to nobody.';
  if (served.length === 0) return 'The parent has the name, without a DS.';
  if (keys.find(({ ds_published: isServed }) => isServed) !== undefined) {
    return `The parent has the name, with a DS that fits: ${tagsText(served)}.`;
  }
  if (served.find((tag) => own.includes(tag)) !== undefined) {
    return `Not every server of the parent has a DS that fits: some have that of ${tagsText(served)}.`;
  }
  const why = own.length === 0 ? 'the zone is not signed' : 'it names none of its keys';
  return `The parent has a DS of ${tagsText(served)}, but ${why}: validators will find the zone bogus.`;
}

/** What comes of bringing a zone back. */
export async function restoreFacts(zone: DeletedZone): Promise<readonly string[]> {
  const { items } = await get<Listed<Zone>>('/zones', { name: zone.name });
  return [
    items.length === 0
      ? 'Its name is free.'
      : 'The name belongs to another zone now: the service refuses it until that one has another.',
    `Its ${counted(zone.records, 'record')} and its history come back, with a serial above ${zone.serial}.`,
    lostGrants(zone),
    ...whatTheParentNeeds(zone),
  ];
}

export function restoreOf(zone: DeletedZone): Write {
  const { id, name } = zone;
  return {
    title: `Restore zone ${name}`,
    button: 'Restore zone',
    method: 'POST',
    path: zonePath(name, '/restore'),
    query: { id },
    hasDryRun: false,
    effects: async () => ({ facts: await restoreFacts(zone) }),
    asked: () => whatTheParentSays(zone),
    advice: { ZONE_CONFLICT: 'Rename or delete the zone that has the name now.' },
    leadsTo: hrefOf(['zones', name, 'records'], { at: undefined }),
  };
}
