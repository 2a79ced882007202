/** Changes of a zone by owner. */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { IdentifiedRecord } from '../journal/identity.ts';

/** What a change does at one owner. Removed and added records stand in canonical order. */
export interface OwnerChange<Added extends ResourceRecord = IdentifiedRecord> {
  readonly owner: NameKey;
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly Added[];
}

/** A change, which is in canonical order, by owner. */
export function* changesByOwner<Added extends ResourceRecord>(
  removed: readonly ResourceRecord[],
  added: readonly Added[],
): Generator<OwnerChange<Added>> {
  let removedAt = 0;
  let addedAt = 0;
  while (removedAt < removed.length || addedAt < added.length) {
    const owner = lesser(removed[removedAt]?.owner, added[addedAt]?.owner);
    const removedEnd = endOfOwner(removed, removedAt, owner);
    const addedEnd = endOfOwner(added, addedAt, owner);
    yield {
      owner,
      removed: removed.slice(removedAt, removedEnd),
      added: added.slice(addedAt, addedEnd),
    };
    removedAt = removedEnd;
    addedAt = addedEnd;
  }
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
