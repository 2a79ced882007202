/** What comes of bringing a deleted zone back, in sentences for people. */
import type { DeletedZone } from '../domain/zone.ts';
import type { Deletion } from '../query/zone-events.ts';

/** `seesRoles`: whether the caller may know of roles. */
export function whatRestoringDoes(zone: DeletedZone & Deletion, seesRoles: boolean): string[] {
  const { recordCount: records, serial } = zone;
  return [
    `Its ${records} ${records === 1 ? 'record' : 'records'} and its history come back, with a serial above ${serial}.`,
    lostGrants(zone, seesRoles),
    ...whatTheParentNeeds(zone),
  ];
}

/** Grants name a zone by its id, and end with it. */
function lostGrants({ rolesLost: roles }: Deletion, seesRoles: boolean): string {
  const lost = 'Grants that named only this zone do not come back';
  if (!seesRoles) return `${lost}. Who has access:manage sees which roles had any.`;
  if (roles === null) return `${lost}. Which there were was not written down when it was deleted.`;
  if (roles.length === 0) return 'No grant named only this zone: none is lost.';
  return `${lost}. Roles that had some: ${roles.join(', ')}. Give them anew.`;
}

/** The DS that the parent is to have. */
function whatTheParentNeeds({ dsKeyTags: tags, dsWithdrawing: isWithdrawing }: Deletion): string[] {
  if (tags.length === 0) return ['It was not signed: the parent must have no DS for it.'];
  const keys = `${tags.length === 1 ? 'key' : 'keys'} ${tags.join(' and ')}`;
  if (isWithdrawing) {
    return [
      `It was signed, and is signed again with ${keys}. Its DS was being withdrawn: the parent is asked to remove it ` +
        'again, and may have it or not.',
    ];
  }
  const which = tags.length === 1 ? 'that key' : 'one of them';
  return [
    `It was signed, and is signed again with ${keys}: the parent needs the DS of ${which}.`,
    'Without a DS validators take the zone for unsigned; where no DS fits they find it bogus. ' +
      'How it is signed shows the DS then, and asks the parent.',
  ];
}
