/**
 * What a caller is shown of its own change: all of the RRsets it may read, and of the others only
 * what it wrote.
 */
import type { ResourceRecord } from '../../dns/record.ts';
import type { DiffEntry, RecordDiff } from '../diff.ts';
import type { Zone } from '../zone.ts';
import type { Rights } from './rights.ts';

export function redactDiff(
  diff: RecordDiff,
  rights: Rights,
  zone: Zone,
  written: readonly ResourceRecord[],
): RecordDiff {
  if (rights.isFull) return diff;
  const mine = new Set(written);
  const entries: DiffEntry[] = [];
  for (const entry of diff.entries) {
    if (rights.onRecord('record:read', zone.id, entry.owner, entry.type)) {
      entries.push(entry);
      continue;
    }
    const to = entry.to.filter((record) => mine.has(record));
    if (to.length > 0) entries.push({ ...entry, change: 'added', from: [], to });
  }
  return { ...diff, entries };
}
