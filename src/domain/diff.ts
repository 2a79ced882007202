/**
 * Record diffs: what one step, or the way between two versions, changed, RRset by RRset.
 *
 * Entries stand in canonical order of name, then type. A change of TTL or priority alone is one
 * `changed` entry. `from` and `to` hold the whole RRset before and after.
 */
import type { NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';

export interface DiffEntry {
  readonly change: 'added' | 'removed' | 'changed';
  /** Relative to the apex. */
  readonly owner: NameKey;
  readonly type: number;
  readonly from: readonly ResourceRecord[];
  readonly to: readonly ResourceRecord[];
}

export interface RecordDiff {
  /** Absolute key of the apex that the owners are relative to. */
  readonly apex: NameKey;
  readonly entries: readonly DiffEntry[];
}

export function countDiff(diff: RecordDiff): { added: number; changed: number; removed: number } {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const entry of diff.entries) counts[entry.change]++;
  return counts;
}

/** Makes the diff of the RRsets that hold any of `before` and `after`; equal RRsets drop out. */
export function diffRecords(
  apex: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
): RecordDiff {
  const rrsets = new Map<string, { from: ResourceRecord[]; to: ResourceRecord[] }>();
  const rrsetOf = (record: ResourceRecord) => {
    const key = `${record.owner} ${record.type}`;
    let rrset = rrsets.get(key);
    if (rrset === undefined) {
      rrset = { from: [], to: [] };
      rrsets.set(key, rrset);
    }
    return rrset;
  };
  for (const record of before) rrsetOf(record).from.push(record);
  for (const record of after) rrsetOf(record).to.push(record);
  const entries: DiffEntry[] = [];
  for (const { from, to } of rrsets.values()) {
    if (from.length > 1) from.sort(compareRecords);
    if (to.length > 1) to.sort(compareRecords);
    if (sameRecords(from, to)) continue;
    const { owner, type } = (from[0] ?? to[0])!;
    const change = from.length === 0 ? 'added' : to.length === 0 ? 'removed' : 'changed';
    entries.push({ change, owner, type, from, to });
  }
  entries.sort((a, b) =>
    a.owner === b.owner ? a.type - b.type : a.owner < b.owner ? -1 : 1,
  );
  return { apex, entries };
}

function sameRecords(a: readonly ResourceRecord[], b: readonly ResourceRecord[]): boolean {
  return (
    a.length === b.length &&
    a.every((record, index) => {
      const other = b[index]!;
      return record.ttl === other.ttl && record.rdata.equals(other.rdata);
    })
  );
}
