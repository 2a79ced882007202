/**
 * Blocks: a zone's records in packed form, in canonical order, in runs of about 32 owners.
 *
 * Where a block begins is a function of the owner alone: one owner in 32, chosen by a hash of its
 * name, and the apex. So the layout depends on what a zone holds and not on how it got there, a
 * replay gives the same bytes, and a change rewrites one block. An owner's records are never split.
 *
 * A change copies the octets of the owners it does not touch; only touched owners are taken apart.
 */
import { labelsToWire, type NameKey } from '../dns/name.ts';
import { packRecords, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { LabelOrder, OwnerScan } from './owner-scan.ts';

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

/** What one step does at one owner. Both halves stand in canonical order. */
export interface OwnerChange {
  readonly owner: NameKey;
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

/** The outcome of a rewrite: blocks to write, or octets that belong to the block before. */
export interface Rewritten {
  /** What stands before the first owner that begins a block: set when this block's own one is gone. */
  readonly orphans: { readonly count: number; readonly records: Buffer } | undefined;
  readonly blocks: readonly Block[];
}

/** Collects octets of consecutive owners and cuts them into blocks. */
class Cutter {
  readonly #blocks: Block[] = [];
  #first: NameKey | undefined;
  #pieces: Buffer[] = [];
  #count = 0;
  #orphans: Rewritten['orphans'];

  constructor(first: NameKey | undefined) {
    this.#first = first;
  }

  begin(owner: NameKey): void {
    this.#close();
    this.#first = owner;
  }

  take(records: Buffer, count: number): void {
    if (count === 0) return;
    this.#pieces.push(records);
    this.#count += count;
  }

  finish(): Rewritten {
    this.#close();
    return { orphans: this.#orphans, blocks: this.#blocks };
  }

  #close(): void {
    const first = this.#first;
    const count = this.#count;
    const pieces = this.#pieces;
    if (count > 0 || first === '') {
      const records = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      if (first === undefined) this.#orphans = { count, records };
      else this.#blocks.push({ first, count, records });
    }
    this.#pieces = [];
    this.#count = 0;
  }
}

/** Applies changes, in canonical order of their owners, to the block that begins with `first`. */
export function rewriteBlock(
  first: NameKey,
  packed: Buffer,
  changes: readonly OwnerChange[],
): Rewritten {
  const scan = new OwnerScan(packed);
  const firstChange = changes[0]!;
  // Without its first owner a block is none: then what follows belongs to the block before.
  const losesFirst =
    first !== '' && firstChange.owner === first && leavesNothing(scan, firstChange);
  const cutter = new Cutter(losesFirst ? undefined : first);
  for (const change of changes) {
    const order = new LabelOrder(labelsToWire(change.owner));
    const start = scan.at;
    const counted = scan.count;
    scan.skipBefore(order);
    cutter.take(packed.subarray(start, scan.at), scan.count - counted);
    const ownerStart = scan.at;
    const ownerCount = scan.count;
    scan.skipOwner(order);
    const isNew = scan.count === ownerCount;
    const records = mergeRecords(
      unpackRecords(packed.subarray(ownerStart, scan.at)),
      change.removed,
      change.added,
    );
    if (isNew && change.owner !== first && beginsBlock(change.owner)) cutter.begin(change.owner);
    cutter.take(packRecords(records), records.length);
  }
  const start = scan.at;
  const counted = scan.count;
  scan.skipAll();
  cutter.take(packed.subarray(start, scan.at), scan.count - counted);
  return cutter.finish();
}

function leavesNothing(scan: OwnerScan, change: OwnerChange): boolean {
  return change.added.length === 0 && scan.countOfFirstOwner() === change.removed.length;
}

/**
 * Applies a change to the records of one owner. Each of `removed` must be there: anything else is a
 * bug. The TTL does not count in the comparison, so a changed TTL replaces in place.
 */
function mergeRecords(
  current: Iterable<ResourceRecord>,
  removed: readonly ResourceRecord[],
  added: readonly ResourceRecord[],
): ResourceRecord[] {
  const merged: ResourceRecord[] = [];
  let nextRemoved = 0;
  let nextAdded = 0;
  for (const record of current) {
    const gone = removed[nextRemoved];
    if (gone !== undefined && orderInOwner(gone, record) === 0) {
      nextRemoved++;
      continue;
    }
    while (nextAdded < added.length && orderInOwner(added[nextAdded]!, record) < 0) {
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

function orderInOwner(a: ResourceRecord, b: ResourceRecord): number {
  return a.type - b.type || Buffer.compare(a.rdata, b.rdata);
}

/** The records at one owner of a block. */
export function recordsAtOwner(packed: Buffer, owner: NameKey): ResourceRecord[] {
  const order = new LabelOrder(labelsToWire(owner));
  const scan = new OwnerScan(packed);
  scan.skipBefore(order);
  const start = scan.at;
  scan.skipOwner(order);
  return start === scan.at ? [] : [...unpackRecords(packed.subarray(start, scan.at))];
}

/** The first owner of a block after `owner`, or undefined when there is none in it. */
export function ownerAfter(packed: Buffer, owner: NameKey): NameKey | undefined {
  const order = new LabelOrder(labelsToWire(owner));
  const scan = new OwnerScan(packed);
  scan.skipBefore(order);
  scan.skipOwner(order);
  for (const record of unpackRecords(packed.subarray(scan.at))) return record.owner;
  return undefined;
}
