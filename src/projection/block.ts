/**
 * Blocks: a zone's records in packed form, in canonical order, in runs of about 32 owners.
 *
 * Where a block begins is a function of the owner alone: one owner in 32, chosen by a hash of its name,
 * and the apex, begins a block. So the layout depends on what a zone holds and not on how it got there, a replay gives
 * the same bytes, and a change rewrites one block. An owner's records are never split.
 */
import type { NameKey } from '../dns/name.ts';
import { packedOctets, packRecord, type ResourceRecord, unpackRecords } from '../dns/record.ts';

export interface Block {
  readonly first: NameKey;
  readonly count: number;
  readonly records: Buffer;
}

const ownersPerBlock = 32;

/** True when the owner begins a block: FNV-1a over its octets, one in 32; the apex always does. */
export function beginsBlock(owner: NameKey): boolean {
  if (owner === '') return true;
  let hash = 0x811c9dc5;
  for (let at = 0; at < owner.length; at++) {
    hash = Math.imul(hash ^ owner.charCodeAt(at), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % ownersPerBlock === 0;
}

/**
 * Applies a step to the records of one block. `removed` and `added` stand in canonical order; each
 * of `removed` must be there, and none of `added` after that: anything else is a bug.
 */
export function mergeRecords(
  current: Iterable<ResourceRecord>,
  removed: readonly ResourceRecord[],
  added: readonly ResourceRecord[],
): ResourceRecord[] {
  const merged: ResourceRecord[] = [];
  let nextRemoved = 0;
  let nextAdded = 0;
  for (const record of current) {
    const gone = removed[nextRemoved];
    if (gone !== undefined && orderOf(gone, record) === 0) {
      nextRemoved++;
      continue;
    }
    while (nextAdded < added.length && orderOf(added[nextAdded]!, record) < 0) {
      merged.push(added[nextAdded++]!);
    }
    merged.push(record);
  }
  while (nextAdded < added.length) merged.push(added[nextAdded++]!);
  if (nextRemoved !== removed.length) {
    throw new Error('a block does not hold a record that a step removes');
  }
  return merged;
}

/** Canonical order; the TTL does not count, so a changed TTL replaces in place. */
function orderOf(a: ResourceRecord, b: ResourceRecord): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  return a.type - b.type || Buffer.compare(a.rdata, b.rdata);
}

/** Cuts records in canonical order into blocks; the first block begins with `first`. */
export function cutBlocks(first: NameKey, records: readonly ResourceRecord[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  let blockFirst = first;
  let owner = first;
  for (let index = 0; index < records.length; index++) {
    const next = records[index]!.owner;
    if (next === owner) continue;
    owner = next;
    if (beginsBlock(owner)) {
      if (index > start || blockFirst === '') blocks.push(packBlock(blockFirst, records, start, index));
      start = index;
      blockFirst = owner;
    }
  }
  if (records.length > start || blockFirst === '') {
    blocks.push(packBlock(blockFirst, records, start, records.length));
  }
  return blocks;
}

function packBlock(
  first: NameKey,
  records: readonly ResourceRecord[],
  start: number,
  end: number,
): Block {
  let octets = 0;
  for (let index = start; index < end; index++) octets += packedOctets(records[index]!);
  const packed = Buffer.allocUnsafe(octets);
  let at = 0;
  for (let index = start; index < end; index++) at = packRecord(records[index]!, packed, at);
  return { first, count: end - start, records: packed };
}

/** The records at one owner of a block. */
export function recordsAtOwner(packed: Buffer, owner: NameKey): ResourceRecord[] {
  const found: ResourceRecord[] = [];
  for (const record of unpackRecords(packed)) {
    if (record.owner === owner) found.push(record);
    else if (record.owner > owner) break;
  }
  return found;
}
