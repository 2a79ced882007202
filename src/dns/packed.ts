/**
 * The **packed form** of a record: its wire form (RFC 1035 4.1.3) with the owner's labels relative to the apex
 * and closed by the pointer C0 0C. In every message whose question is the apex, the name at byte 12, packed
 * records can be sent as they are (RFC 5936 3.4). Class is always IN; names inside RDATA are not compressed,
 * so a rename of the zone leaves packed records as they are.
 *
 * ```
 *   start    labelsEnd                                rdataStart      end
 *     | labels | C0 0C | type | class | TTL | length | RDATA         |
 *                 2       2      2      4      2
 * ```
 * Blocks and deltas hold such records one after the other, in canonical order. They are walked over and
 * compared in place here; nothing is made of a record that nobody asks for.
 */
import { Memory } from '../base/memory.ts';
import { emptyName, keyFromWire, labelsToWire, type NameKey } from './name.ts';

/** Byte of a message at which the question's name starts. */
const apexOffset = 12;
const pointerToApex: number = 0xc000 | apexOffset;
/** The first byte of a pointer; no label is so long. */
const minPointerByte = 0xc0;

/** Bytes of a packed record besides its owner labels and RDATA: pointer, type, class, TTL, length. */
export const fixedBytes = 12;
const typeOffset = 2;
const classOffset = 4;
const ttlOffset = 6;
const lengthOffset = 10;

const classIn = 1;

/** Writes what stands between labels and RDATA, for which there is room; gives the index behind it. */
export function writeFixed(
  type: number,
  ttl: number,
  rdataBytes: number,
  into: Buffer,
  at: number,
): number {
  into.writeUInt16BE(pointerToApex, at);
  into.writeUInt16BE(type, at + typeOffset);
  into.writeUInt16BE(classIn, at + classOffset);
  into.writeUInt32BE(ttl, at + ttlOffset);
  return into.writeUInt16BE(rdataBytes, at + lengthOffset);
}

/** Where the labels of the owner end that start at `at`. */
function labelsEndOf(packed: Uint8Array, at: number): number {
  let end = at;
  while (packed[end]! < minPointerByte) end += packed[end]! + 1;
  return end;
}

/** The end of the packed record that starts at `at`. */
export function packedEndOf(packed: Uint8Array, at: number): number {
  const fixed = labelsEndOf(packed, at);
  return (
    fixed + fixedBytes + ((packed[fixed + lengthOffset]! << 8) | packed[fixed + lengthOffset + 1]!)
  );
}

/** The owners of records whose labels have more bytes than `maxBytes`, once for each record. */
export function* longOwnersIn(packed: Buffer, maxBytes: number): Generator<NameKey> {
  const cursor = new PackedCursor(packed);
  while (cursor.next()) if (cursor.labelsEnd - cursor.start > maxBytes) yield cursor.owner;
}

/** Walks over packed records, one after the other. */
export class PackedCursor {
  packed: Buffer;
  /** The first byte of the record, of the pointer behind its labels, and the byte behind its RDATA. */
  start = 0;
  labelsEnd = 0;
  end: number;
  /** The labels that `owner` was made of last. */
  #ownerLabels: Buffer | undefined;
  #owner: NameKey = emptyName;

  /** Begins before the record at `at`. */
  constructor(packed: Buffer, at = 0) {
    this.packed = packed;
    this.end = at;
  }

  /** Begins before the first record of other bytes. */
  open(packed: Buffer, at = 0): this {
    this.packed = packed;
    this.end = at;
    // The bytes may stand in the memory of those before them.
    this.#ownerLabels = undefined;
    return this;
  }

  /** Moves to the next record; false behind the last, where the cursor stays on that. */
  next(): boolean {
    if (this.end >= this.packed.length) return false;
    this.start = this.end;
    this.labelsEnd = labelsEndOf(this.packed, this.start);
    this.end = this.rdataStart + this.packed.readUInt16BE(this.labelsEnd + lengthOffset);
    return true;
  }

  get type(): number {
    return this.packed.readUInt16BE(this.labelsEnd + typeOffset);
  }

  get ttl(): number {
    return this.packed.readUInt32BE(this.labelsEnd + ttlOffset);
  }

  get rdataStart(): number {
    return this.labelsEnd + fixedBytes;
  }

  /** A view, as are the labels and the whole record. */
  get rdata(): Buffer {
    return this.packed.subarray(this.rdataStart, this.end);
  }

  get labels(): Buffer {
    return this.packed.subarray(this.start, this.labelsEnd);
  }

  get record(): Buffer {
    return this.packed.subarray(this.start, this.end);
  }

  /** Relative to the apex. Kept while records have the same labels, as they come grouped by owner. */
  get owner(): NameKey {
    if (this.#ownerLabels === undefined || !this.hasLabels(this.#ownerLabels)) {
      this.#ownerLabels = this.labels;
      this.#owner = keyFromWire(this.#ownerLabels);
    }
    return this.#owner;
  }

  /** True when the owner has these labels. */
  hasLabels(labels: Uint8Array): boolean {
    if (labels.length !== this.labelsEnd - this.start) return false;
    for (let at = 0; at < labels.length; at++) {
      if (labels[at] !== this.packed[this.start + at]) return false;
    }
    return true;
  }
}

/** Labels that a name has at most. */
const maxLabels = 127;

/** The labels of one owner, to be compared with many in canonical order (RFC 4034 6.1). */
export class OwnerOrder {
  readonly labels: Buffer;
  /** Where a scan found it last: who changes records has read them before. */
  found: FoundOwner | undefined;
  readonly #starts: number[] = [];
  /** Where the labels of the other owner begin. */
  readonly #otherStarts = new Uint32Array(maxLabels);

  constructor(labels: Buffer) {
    this.labels = labels;
    for (let at = 0; at < labels.length; at += labels[at]! + 1) this.#starts.push(at);
  }

  /** Negative when the owner of the record at `at` comes before this one, 0 when it is this one. */
  compare(packed: Uint8Array, at: number): number {
    const others = this.#otherStarts;
    let count = 0;
    for (let start = at; packed[start]! < minPointerByte; start += packed[start]! + 1) {
      others[count++] = start;
    }
    const starts = this.#starts;
    const common = Math.min(count, starts.length);
    for (let fromEnd = 1; fromEnd <= common; fromEnd++) {
      const other = others[count - fromEnd]!;
      const difference = this.#compareLabel(packed, other, starts[starts.length - fromEnd]!);
      if (difference !== 0) return difference;
    }
    return count - starts.length;
  }

  #compareLabel(packed: Uint8Array, other: number, own: number): number {
    const { labels } = this;
    const otherBytes = packed[other]!;
    const ownBytes = labels[own]!;
    const shared = Math.min(otherBytes, ownBytes);
    for (let index = 1; index <= shared; index++) {
      const difference = packed[other + index]! - labels[own + index]!;
      if (difference !== 0) return difference;
    }
    return otherBytes - ownBytes;
  }
}

/** Of the owners that were looked for last: a step looks for the same few in one block after another. */
const orders = new Memory<NameKey, OwnerOrder>(500);

function ownerOrderOf(owner: NameKey): OwnerOrder {
  return orders.of(owner, makeOrder);
}

function makeOrder(owner: NameKey): OwnerOrder {
  return new OwnerOrder(labelsToWire(owner));
}

/** A byte offset in packed records, and the number of records before it. */
export interface PackedOffset {
  readonly at: number;
  readonly count: number;
}

/** Where the records of an owner stand in some packed records. */
interface FoundOwner {
  readonly packed: Buffer;
  readonly start: PackedOffset;
  readonly end: PackedOffset;
}

/**
 * Finds owners in packed records without making names of them. The offset only moves forward, in
 * canonical order.
 */
export class OwnerScan {
  readonly #packed: Buffer;
  at = 0;
  count = 0;

  constructor(packed: Buffer) {
    this.#packed = packed;
  }

  /** The offset as it is now. */
  offset(): PackedOffset {
    return { at: this.at, count: this.count };
  }

  /** Moves past the records of an owner, and past all before them; returns where they begin. */
  pass(owner: NameKey): PackedOffset {
    const order = ownerOrderOf(owner);
    const { found } = order;
    if (found !== undefined && found.packed === this.#packed && this.at <= found.start.at) {
      this.at = found.end.at;
      this.count = found.end.count;
      return found.start;
    }
    const begun = this.at;
    this.skipBefore(order);
    const start = this.offset();
    this.skipOwner(order);
    // Who asks for what it has passed already finds nothing, which is no answer for others.
    const isSure = begun === 0 || this.at > begun;
    if (isSure) order.found = { packed: this.#packed, start, end: this.offset() };
    return start;
  }

  /** Moves to the first record whose owner does not come before `order`. */
  skipBefore(order: OwnerOrder): void {
    while (this.at < this.#packed.length && order.compare(this.#packed, this.at) < 0) this.#skip();
  }

  /** Moves past the records of `order`. */
  skipOwner(order: OwnerOrder): void {
    while (this.at < this.#packed.length && order.compare(this.#packed, this.at) === 0) {
      this.#skip();
    }
  }

  #skip(): void {
    this.at = packedEndOf(this.#packed, this.at);
    this.count++;
  }
}

/** The last owner in packed records that does not come after `owner`. */
export function lastOwnerUpTo(packed: Buffer, owner: NameKey): NameKey | undefined {
  return lastOwner(packed, owner, 0);
}

/** The last owner in packed records that comes before `owner`. */
export function lastOwnerBefore(packed: Buffer, owner: NameKey): NameKey | undefined {
  return lastOwner(packed, owner, -1);
}

/** The last owner whose comparison with `owner` comes to `max` or less. */
function lastOwner(packed: Buffer, owner: NameKey, max: 0 | -1): NameKey | undefined {
  const order = ownerOrderOf(owner);
  let last: number | undefined;
  for (let at = 0; at < packed.length && order.compare(packed, at) <= max; ) {
    last = at;
    at = packedEndOf(packed, at);
  }
  if (last === undefined) return undefined;
  const cursor = new PackedCursor(packed, last);
  cursor.next();
  return cursor.owner;
}
