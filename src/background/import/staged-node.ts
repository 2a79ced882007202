/** How one owner of a zone goes into a stage: as it is stored, or as a large change leaves it. */
import type { NameKey } from '../../dns/name.ts';
import { compareRecords } from '../../dns/record.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { OwnerGroup } from './owner-groups.ts';
import type { StageWriter } from './stage-writer.ts';

export interface StagedNode {
  readonly owner: NameKey;
  readonly derived: readonly ZoneRecord[];
  /** User records; those that stay are the same objects in both. */
  readonly before: readonly ZoneRecord[];
  readonly after: readonly ZoneRecord[];
}

export async function copyNode(writer: StageWriter, group: OwnerGroup): Promise<void> {
  await begin(writer, group.owner);
  writer.copy(group.records, group.ids);
}

/** The places of new records are the caller's to tell. */
export async function writeNode(writer: StageWriter, node: StagedNode): Promise<void> {
  const { owner, derived, before, after } = node;
  const users = after.toSorted(compareRecords);
  const all = derived.length === 0 ? users : [...users, ...derived].sort(compareRecords);
  if (all.length > 0 || owner === '') {
    await begin(writer, owner);
    const kept = new Set(before);
    for (const record of all) writer.put(record, record.id !== 0 && !kept.has(record));
  }
  if (before.length === 0) return;
  const stays = new Set(after);
  for (const record of before) if (!stays.has(record)) writer.removed(record);
}

async function begin(writer: StageWriter, owner: NameKey): Promise<void> {
  if (writer.owner(owner)) await writer.handOver();
}
