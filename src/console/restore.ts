/** The way back of a zone of the bin, and what its parent says of it. */
import { type DeletedZone, type Delegation, get, type Listed, type Zone, zonePath } from './api.ts';
import { tagsText } from './key-groups.ts';
import { may } from './permissions.ts';
import { hrefOf } from './router.ts';
import type { Write } from './write.ts';

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
export async function restoreFacts({ name, restoring }: DeletedZone): Promise<readonly string[]> {
  const { items } = await get<Listed<Zone>>('/zones', { name });
  const first =
    items.length === 0
      ? 'Its name is free.'
      : 'The name belongs to another zone now: the service refuses it until that one has another.';
  return [first, ...restoring];
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
    facts: () => restoreFacts(zone),
    asked: () => whatTheParentSays(zone),
    advice: { ZONE_CONFLICT: 'Rename or delete the zone that has the name now.' },
    leadsTo: hrefOf(['zones', name, 'records'], { at: undefined }),
  };
}
