/**
 * The domains that a role lets an external DNS controller manage (interface 4.8 rule 5).
 *
 * A grant contributes its zone or, when its pattern is a subtree, that subtree; and only where the role
 * may read, create and delete records of one and the same type at that name, in whichever grants. A
 * domain covers what is below it, so narrower grants are still enforced when changes are applied.
 */
import { emptyName, isWithin, type NameKey } from '../dns/name.ts';
import type { RecordAction } from './access/action.ts';
import type { Rights } from './access/rights.ts';
import { externalTypes } from './external-dns.ts';

/** Replacing a record is deleting and creating, so record:update is not among them. */
const neededActions: readonly RecordAction[] = ['record:read', 'record:create', 'record:delete'];

/** The domains in one zone, as owners relative to its apex, each once. */
export function managedOwners(rights: Rights, zoneId: number): readonly NameKey[] {
  if (rights.isFull) return [emptyName];
  const candidates = new Set<NameKey>();
  for (const names of rights.namesIn(zoneId)) {
    candidates.add(names.kind === 'subtree' ? names.name : emptyName);
  }
  return [...candidates].filter((owner) => isManageable(rights, zoneId, owner)).sort();
}

function isManageable(rights: Rights, zoneId: number, owner: NameKey): boolean {
  for (const type of externalTypes) {
    if (neededActions.every((action) => rights.onRecord(action, zoneId, owner, type))) return true;
  }
  return false;
}

/** Of domains in one zone those that no other covers. */
export function outermost(owners: readonly NameKey[]): readonly NameKey[] {
  return owners.filter((owner) =>
    owners.every((other) => other === owner || !isWithin(owner, other)),
  );
}
