/**
 * Finding owners in packed records without making names of them: octets are compared in place, in
 * the canonical order of RFC 4034 6.1 (labels from the right, octet by octet, shorter first).
 */
import { Memory } from '../base/memory.ts';
import { emptyName, keyFromWire, labelsToWire, type NameKey } from '../dns/name.ts';
import { packedEndOf } from '../dns/record.ts';

/** Packed records close their owner's labels with a pointer, whose first octet is at least this. */
const pointerOctet = 0xc0;

/** Where the labels of the name compared last begin: a name has at most 127, a block no limit. */
const startsOfLabels = new Uint32Array(128);

/** The labels of one owner, ready to be compared with many. */
export class LabelOrder {
  readonly labels: Buffer;
  readonly #starts: number[] = [];

  constructor(labels: Buffer) {
    this.labels = labels;
    for (let at = 0; at < labels.length; at += labels[at]! + 1) this.#starts.push(at);
  }

  /** Negative when the owner at `at` in `packed` comes before this one, 0 when it is this one. */
  compare(packed: Buffer, at: number): number {
    let count = 0;
    let end = at;
    while (packed[end]! < pointerOctet) {
      startsOfLabels[count++] = end;
      end += packed[end]! + 1;
    }
    const starts = this.#starts;
    const common = Math.min(count, starts.length);
    for (let step = 1; step <= common; step++) {
      const theirs = startsOfLabels[count - step]!;
      const difference = this.#compareLabel(packed, theirs, starts[starts.length - step]!);
      if (difference !== 0) return difference;
    }
    return count - starts.length;
  }

  #compareLabel(packed: Buffer, theirs: number, ours: number): number {
    const labels = this.labels;
    const theirLength = packed[theirs]!;
    const ourLength = labels[ours]!;
    const shared = Math.min(theirLength, ourLength);
    for (let index = 1; index <= shared; index++) {
      const difference = packed[theirs + index]! - labels[ours + index]!;
      if (difference !== 0) return difference;
    }
    return theirLength - ourLength;
  }
}

/** Of the owners that were looked for last: a step looks for the same few in one block after another. */
const orders = new Memory<NameKey, LabelOrder>(500);

function labelOrderOf(owner: NameKey): LabelOrder {
  return orders.of(owner, makeOrder);
}

function makeOrder(owner: NameKey): LabelOrder {
  return new LabelOrder(labelsToWire(owner));
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
    const order = labelOrderOf(owner);
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
  skipBefore(order: LabelOrder): void {
    while (this.at < this.#packed.length && order.compare(this.#packed, this.at) < 0) this.#skip();
  }

  /** Moves past the records of `order`. */
  skipOwner(order: LabelOrder): void {
    while (this.at < this.#packed.length && order.compare(this.#packed, this.at) === 0) {
      this.#skip();
    }
  }

  /** The number of records of the owner that comes first; the place stays. */
  countOfFirstOwner(): number {
    const packed = this.#packed;
    let end = 0;
    while (packed[end]! < pointerOctet) end += packed[end]! + 1;
    const scan = new OwnerScan(packed);
    scan.skipOwner(new LabelOrder(packed.subarray(0, end)));
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
  const order = labelOrderOf(owner);
  let last: number | undefined;
  for (let at = 0; at < packed.length && order.compare(packed, at) <= most; ) {
    last = at;
    at = packedEndOf(packed, at);
  }
  if (last === undefined) return undefined;
  let end = last;
  while (packed[end]! < pointerOctet) end += packed[end]! + 1;
  return keyFromWire(packed.subarray(last, end));
}
