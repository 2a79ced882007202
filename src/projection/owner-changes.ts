/** Steps as changes of owners. */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { IdentifiedRecord } from '../journal/identity.ts';
import type { OwnerChange } from './block.ts';

/** The halves of a step by owner, in canonical order. */
export function changesByOwner(
  removed: readonly ResourceRecord[],
  added: readonly IdentifiedRecord[],
): OwnerChange[] {
  const changes: OwnerChange[] = [];
  let removedAt = 0;
  let addedAt = 0;
  while (removedAt < removed.length || addedAt < added.length) {
    const owner = lesser(removed[removedAt]?.owner, added[addedAt]?.owner);
    const removedEnd = endOfOwner(removed, removedAt, owner);
    const addedEnd = endOfOwner(added, addedAt, owner);
    changes.push({
      owner,
      removed: removed.slice(removedAt, removedEnd),
      added: added.slice(addedAt, addedEnd),
    });
    removedAt = removedEnd;
    addedAt = addedEnd;
  }
  return changes;
}

function lesser(a: NameKey | undefined, b: NameKey | undefined): NameKey {
  if (a === undefined) return b!;
  if (b === undefined) return a;
  return a < b ? a : b;
}

function endOfOwner(records: readonly ResourceRecord[], start: number, owner: NameKey): number {
  let end = start;
  while (end < records.length && records[end]!.owner === owner) end++;
  return end;
}
