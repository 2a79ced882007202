/**
 * Record diffs: what one step, or the way between two versions, changed, RRset by RRset.
 *
 * Entries are in canonical order of name, then type. A change of TTL or priority alone is one
 * `changed` entry. `from` and `to` hold the whole RRset before and after.
 */
import type { NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import type { Rights } from './access/rights.ts';
import type { Zone } from './zone.ts';

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

export function countDiff(diff: Pick<RecordDiff, 'entries'>) {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const entry of diff.entries) counts[entry.change]++;
  return counts;
}

/** The records at one owner before and after. */
export interface NodeChange {
  readonly owner: NameKey;
  readonly before: readonly ResourceRecord[];
  readonly after: readonly ResourceRecord[];
}

/** All records at one owner. */
export interface OwnerRecords {
  readonly owner: NameKey;
  readonly records: readonly ResourceRecord[];
}

/** Owners with the records of each, before and after, as one; both in canonical order. */
export function* nodesOf(
  before: Generator<OwnerRecords>,
  after: Generator<OwnerRecords>,
): Generator<NodeChange> {
  let one = before.next();
  let other = after.next();
  while (!one.done || !other.done) {
    const isFirst = !one.done && (other.done || one.value.owner <= other.value.owner);
    const isSecond = !other.done && (one.done || other.value.owner <= one.value.owner);
    const { owner } = (isFirst ? one : other).value as OwnerRecords;
    yield {
      owner,
      before: isFirst ? (one.value as OwnerRecords).records : [],
      after: isSecond ? (other.value as OwnerRecords).records : [],
    };
    if (isFirst) one = before.next();
    if (isSecond) other = after.next();
  }
}

/** Makes the diff of the RRsets at some owners; RRsets that are equal drop out. */
export function diffNodes(apex: NameKey, nodes: Iterable<NodeChange>): RecordDiff {
  const entries: DiffEntry[] = [];
  for (const { owner, before, after } of nodes) {
    if (before.length === 0 && after.length === 1) {
      entries.push({ change: 'added', owner, type: after[0]!.type, from: [], to: after.slice() });
    } else {
      diffNode(owner, before, after, entries);
    }
  }
  entries.sort((a, b) => (a.owner === b.owner ? a.type - b.type : a.owner < b.owner ? -1 : 1));
  return { apex, entries };
}

/** Makes the diff of two sets of records, of any owners in any order. */
export function diffRecords(
  apex: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
): RecordDiff {
  const from = Map.groupBy(before, (record) => record.owner);
  const to = Map.groupBy(after, (record) => record.owner);
  const owners = new Set([...from.keys(), ...to.keys()]);
  const nodes = [...owners].map((owner) => ({
    owner,
    before: from.get(owner) ?? [],
    after: to.get(owner) ?? [],
  }));
  return diffNodes(apex, nodes);
}

function diffNode(
  owner: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
  entries: DiffEntry[],
): void {
  const types = new Set([...before, ...after].map((record) => record.type));
  for (const type of types) {
    const from = before.filter((record) => record.type === type).sort(compareRecords);
    const to = after.filter((record) => record.type === type).sort(compareRecords);
    if (sameRecords(from, to)) continue;
    const change = from.length === 0 ? 'added' : to.length === 0 ? 'removed' : 'changed';
    entries.push({ change, owner, type, from, to });
  }
}

/** Whether two RRsets in canonical order are alike; their ids do not count. */
export function sameRecords(a: readonly ResourceRecord[], b: readonly ResourceRecord[]): boolean {
  return (
    a.length === b.length &&
    a.every((record, index) => {
      const other = b[index]!;
      return record.ttl === other.ttl && record.rdata.equals(other.rdata);
    })
  );
}

/**
 * What a caller sees of its own change: all of the RRsets it may read, and of the others only
 * what it wrote.
 */
export function redactDiff(
  diff: RecordDiff,
  rights: Rights,
  zone: Zone,
  added: readonly ResourceRecord[],
): RecordDiff {
  if (rights.isFull) return diff;
  const mine = new Set(added);
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
