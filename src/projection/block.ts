/**
 * Blocks: a zone's records in packed form, in canonical order, in runs of up to about 32 owners; beside
 * them the identities of the user records.
 *
 * Whether an owner begins a block is a function of its name and of how many bytes its records have
 * (block-cut.ts), and the apex always does. So the layout depends on what a zone holds and not on how
 * it got there, a replay gives the same bytes, and a change of an owner rewrites one block, and the one
 * before it when the owner begins none any more. An owner's records are never split.
 *
 * A change copies the bytes of the owners it does not touch; only touched owners are taken apart.
 */
import type { NameKey } from '../dns/name.ts';
import { OwnerScan, PackedCursor, type PackedOffset } from '../dns/packed.ts';
import { packedBytes, packRecord, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import {
  createdAt,
  type IdentifiedRecord,
  idAt,
  identityBytes,
  writeIdentity,
} from '../journal/identity.ts';
import type { BlockCut } from './block-cut.ts';
import type { OwnerChange } from './owner-changes.ts';

/** Records of consecutive owners. */
export interface BlockRecords {
  /** Records, and user records among them. */
  readonly count: number;
  readonly userCount: number;
  readonly records: Buffer;
  /** One identity for each record (journal/identity.ts). */
  readonly ids: Buffer;
}

export interface Block extends BlockRecords {
  readonly first: NameKey;
}

/** The outcome of a rewrite: blocks to write, or bytes that belong to the block before. */
export interface Rewritten {
  /** What stands before the first owner that begins a block: set when this block's own one begins none now. */
  readonly leftovers: BlockRecords | undefined;
  readonly blocks: readonly Block[];
}

/** Collects the bytes of consecutive owners and cuts them into blocks. */
class Cutter {
  readonly #records: Buffer;
  readonly #ids: Buffer;
  readonly #blocks: Block[] = [];
  #first: NameKey | undefined;
  #start = 0;
  #at = 0;
  #firstRecord = 0;
  #count = 0;
  #leftovers: BlockRecords | undefined;

  /** `bytes` and `count`: of all that will be taken, at most. */
  constructor(first: NameKey, bytes: number, count: number) {
    this.#first = first;
    this.#records = Buffer.allocUnsafe(bytes);
    this.#ids = Buffer.allocUnsafe(count * identityBytes);
  }

  begin(owner: NameKey): void {
    this.#close();
    this.#first = owner;
  }

  /** What comes now, before all else, stands in no block of its own. */
  beginNone(): void {
    this.#first = undefined;
  }

  /** Takes the records between two offsets of a scan as they are. */
  copy(block: Pick<Block, 'records' | 'ids'>, from: PackedOffset, to: PackedOffset): void {
    if (to.at === from.at) return;
    this.#at += block.records.copy(this.#records, this.#at, from.at, to.at);
    const start = this.#count * identityBytes;
    block.ids.copy(this.#ids, start, from.count * identityBytes, to.count * identityBytes);
    this.#count += to.count - from.count;
  }

  put(record: IdentifiedRecord): void {
    this.#at = packRecord(record, this.#records, this.#at);
    writeIdentity(record, this.#ids, this.#count * identityBytes);
    this.#count++;
  }

  finish(): Rewritten {
    this.#close();
    return { leftovers: this.#leftovers, blocks: this.#blocks };
  }

  #close(): void {
    const first = this.#first;
    const count = this.#count - this.#firstRecord;
    if (count > 0 || first === '') {
      const ids = this.#ids.subarray(
        this.#firstRecord * identityBytes,
        this.#count * identityBytes,
      );
      const records = this.#records.subarray(this.#start, this.#at);
      const packed = { count, userCount: countIds(ids, count), records, ids };
      if (first === undefined) this.#leftovers = packed;
      else this.#blocks.push({ first, ...packed });
    }
    this.#start = this.#at;
    this.#firstRecord = this.#count;
  }
}

/** User records among the first `count`. */
export function countIds(ids: Buffer, count: number): number {
  let users = 0;
  for (let index = 0; index < count; index++) if (idAt(ids, index) !== 0) users++;
  return users;
}

/** Applies changes, in canonical order of their owners, to the block that begins with `first`. */
export function rewriteBlock(
  cut: BlockCut,
  first: NameKey,
  block: Pick<Block, 'count' | 'records' | 'ids'>,
  changes: readonly OwnerChange[],
): Rewritten {
  const scan = new OwnerScan(block.records);
  let bytes = block.records.length;
  let count = block.count;
  for (const { added } of changes) {
    bytes += bytesOf(added);
    count += added.length;
  }
  const cutter = new Cutter(first, bytes, count);
  for (const { owner, removed, added } of changes) {
    const start = scan.offset();
    const ownerStart = scan.pass(owner);
    cutter.copy(block, start, ownerStart);
    const ownerBytes = scan.at - ownerStart.at - bytesOf(removed) + bytesOf(added);
    const begins = ownerBytes > 0 && cut.begins(owner, ownerBytes);
    // An owner that is deleted, or has become small, may leave its block without a first one.
    if (begins && owner !== first) cutter.begin(owner);
    if (!begins && owner === first && first !== '') cutter.beginNone();
    if (scan.count > ownerStart.count) {
      const current = identifiedRecords(block, ownerStart, scan);
      for (const record of mergeRecords(current, removed, added)) cutter.put(record);
    } else {
      if (removed.length > 0) throw notThere();
      for (const record of added) cutter.put(record);
    }
  }
  cutter.copy(block, scan, { at: block.records.length, count: block.count });
  return cutter.finish();
}

/** Bytes of records when they are packed. */
export function bytesOf(records: readonly ResourceRecord[]): number {
  return records.reduce((bytes, record) => bytes + packedBytes(record), 0);
}

/** The records between two offsets with their identities. */
function* identifiedRecords(
  block: Pick<Block, 'records' | 'ids'>,
  from: PackedOffset,
  to: PackedOffset,
): Generator<ZoneRecord> {
  let index = from.count;
  for (const { owner, type, ttl, rdata } of unpackRecords(block.records.subarray(from.at, to.at))) {
    const id = idAt(block.ids, index);
    yield { owner, type, ttl, rdata, id, createdAt: createdAt(block.ids, index) };
    index++;
  }
}

function notThere(): Error {
  return new Error('a block does not hold a record that a step removes');
}

/**
 * Applies a change to the records of one owner. Each of `removed` must be there: anything else is a
 * bug. The TTL does not count in the comparison, so a changed TTL replaces in place.
 */
function mergeRecords(
  current: Iterable<ZoneRecord>,
  removed: readonly ResourceRecord[],
  added: readonly IdentifiedRecord[],
): IdentifiedRecord[] {
  const merged: IdentifiedRecord[] = [];
  let nextRemoved = 0;
  let nextAdded = 0;
  for (const record of current) {
    const old = removed[nextRemoved];
    if (old !== undefined && orderInOwner(old, record) === 0) {
      nextRemoved++;
      continue;
    }
    while (nextAdded < added.length && orderInOwner(added[nextAdded]!, record) < 0) {
      merged.push(added[nextAdded++]!);
    }
    merged.push(record);
  }
  while (nextAdded < added.length) merged.push(added[nextAdded++]!);
  if (nextRemoved !== removed.length) throw notThere();
  return merged;
}

function orderInOwner(a: ResourceRecord, b: ResourceRecord): number {
  return a.type - b.type || Buffer.compare(a.rdata, b.rdata);
}

/** Two contents of one block, the second behind the first. */
export function joinRecords(before: BlockRecords, after: BlockRecords): BlockRecords {
  return {
    count: before.count + after.count,
    userCount: before.userCount + after.userCount,
    records: Buffer.concat([before.records, after.records]),
    ids: Buffer.concat([before.ids, after.ids]),
  };
}

/** The records at one owner of a block. */
export function recordsAtOwner(packed: Buffer, owner: NameKey): ResourceRecord[] {
  const scan = new OwnerScan(packed);
  const start = scan.pass(owner).at;
  return start === scan.at ? [] : [...unpackRecords(packed.subarray(start, scan.at))];
}

/** The types of the records at an owner, which are not made for it; each as often as there are some. */
export function* typesAtOwner(packed: Buffer, owner: NameKey): Generator<number> {
  const scan = new OwnerScan(packed);
  const start = scan.pass(owner).at;
  const cursor = new PackedCursor(packed.subarray(0, scan.at), start);
  while (cursor.next()) yield cursor.type;
}

/**
 * Reads the user records at owners of a block, which are asked for in canonical order. Their RDATA are
 * views into the block.
 */
export class UserRecordScan {
  readonly #block: Pick<Block, 'records' | 'ids'>;
  readonly #scan: OwnerScan;

  constructor(block: Pick<Block, 'records' | 'ids'>) {
    this.#block = block;
    this.#scan = new OwnerScan(block.records);
  }

  at(owner: NameKey): readonly ZoneRecord[] {
    const scan = this.#scan;
    const start = scan.pass(owner);
    if (scan.count === start.count) return noRecords;
    const records: ZoneRecord[] = [];
    for (const record of identifiedRecords(this.#block, start, scan)) {
      if (record.id !== 0) records.push(record);
    }
    return records;
  }
}

const noRecords: readonly ZoneRecord[] = [];

/** All records of a block, in canonical order; DNSSEC records have the id 0. */
export function identifiedRecordsOf(block: Pick<Block, 'records' | 'ids'>): Generator<ZoneRecord> {
  const end = { at: block.records.length, count: block.ids.length / identityBytes };
  return identifiedRecords(block, { at: 0, count: 0 }, end);
}

/** All user records of a block, in canonical order. */
export function* userRecordsOf(block: Pick<Block, 'records' | 'ids'>): Generator<ZoneRecord> {
  for (const record of identifiedRecordsOf(block)) if (record.id !== 0) yield record;
}

/** The records of a block whose owners come after `owner`, in canonical order; DNSSEC records have the id 0. */
export function recordsAfter(
  block: Pick<Block, 'records' | 'ids'>,
  owner: NameKey,
): Generator<ZoneRecord> {
  const scan = new OwnerScan(block.records);
  scan.pass(owner);
  const end = { at: block.records.length, count: block.ids.length / identityBytes };
  return identifiedRecords(block, scan, end);
}

/** The first owner of a block after `owner`, or undefined when there is none in it. */
export function ownerAfter(packed: Buffer, owner: NameKey): NameKey | undefined {
  const scan = new OwnerScan(packed);
  scan.pass(owner);
  for (const record of unpackRecords(packed.subarray(scan.at))) return record.owner;
  return undefined;
}
