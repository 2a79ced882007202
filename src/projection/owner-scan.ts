/**
 * Finding owners in packed records without making names of them: bytes are compared in place, in
 * the canonical order of RFC 4034 6.1 (labels from the right, byte by byte, shorter first).
 */
import { Memory } from '../base/memory.ts';
import { emptyName, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder, PackedCursor, packedEndOf } from '../dns/packed.ts';

/** Of the owners that were looked for last: a step looks for the same few in one block after another. */
const orders = new Memory<NameKey, OwnerOrder>(500);

function ownerOrderOf(owner: NameKey): OwnerOrder {
  return orders.of(owner, makeOrder);
}

function makeOrder(owner: NameKey): OwnerOrder {
  return new OwnerOrder(labelsToWire(owner));
}

/** A place in packed records, and the number of records before it. */
export interface ScanPlace {
  readonly at: number;
  readonly count: number;
}

const nowhere: ScanPlace = { at: 0, count: 0 };

/** Where the records of the owner stand that was looked for last: who changes them has read them before. */
let last: {
  readonly owner: NameKey;
  readonly packed: Buffer;
  readonly start: ScanPlace;
  readonly end: ScanPlace;
} = { owner: emptyName, packed: Buffer.alloc(0), start: nowhere, end: nowhere };

/** A place in packed records that only moves forward. */
export class OwnerScan {
  readonly #packed: Buffer;
  at = 0;
  count = 0;

  constructor(packed: Buffer) {
    this.#packed = packed;
  }

  /** The place as it is now. */
  place(): ScanPlace {
    return { at: this.at, count: this.count };
  }

  /** Moves past the records of an owner, and past all before them; returns where they begin. */
  pass(owner: NameKey): ScanPlace {
    if (last.owner === owner && last.packed === this.#packed && this.at <= last.start.at) {
      this.at = last.end.at;
      this.count = last.end.count;
      return last.start;
    }
    const order = ownerOrderOf(owner);
    const begun = this.at;
    this.skipBefore(order);
    const start = this.place();
    this.skipOwner(order);
    // Who asks for what it has passed already finds nothing, which is no answer for others.
    const isSure = begun === 0 || this.at > begun;
    if (isSure) last = { owner, packed: this.#packed, start, end: this.place() };
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

  /** The number of records of the owner that comes first; the place stays. */
  countOfFirstOwner(): number {
    const first = new PackedCursor(this.#packed);
    first.next();
    const scan = new OwnerScan(this.#packed);
    scan.skipOwner(new OwnerOrder(first.labels));
    return scan.count;
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

/** The last owner whose comparison with `owner` comes to `most` or less. */
function lastOwner(packed: Buffer, owner: NameKey, most: 0 | -1): NameKey | undefined {
  const order = ownerOrderOf(owner);
  let last: number | undefined;
  for (let at = 0; at < packed.length && order.compare(packed, at) <= most; ) {
    last = at;
    at = packedEndOf(packed, at);
  }
  if (last === undefined) return undefined;
  const cursor = new PackedCursor(packed, last);
  cursor.next();
  return cursor.owner;
}
