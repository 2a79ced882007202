/**
 * Sorts keys of names (dns/name.ts) that stand among other bytes: by radix, byte after byte, because
 * comparing a million keys twenty million times takes longer than reading the file they come from.
 */

export interface Keys {
  readonly bytes: Uint8Array;
  readonly starts: Float64Array;
  readonly lengths: Uint16Array;
}

/** Keys that are sorted by comparing: fewer are not worth counting. */
const insertionSortMax = 32;

/** Puts the numbers of keys into canonical order; equal ones stay as they are. */
export function sortKeys(keys: Keys, order: Uint32Array): void {
  sortRange(keys, order, new Uint32Array(order.length), 0, order.length, 0);
}

/** `depth`: bytes that all keys of the range begin with. */
function sortRange(
  keys: Keys,
  order: Uint32Array,
  spare: Uint32Array,
  start: number,
  end: number,
  depth: number,
): void {
  const { bytes, starts, lengths } = keys;
  for (let at = depth; ; at++) {
    if (end - start <= insertionSortMax) {
      insert(keys, order, start, end, at);
      return;
    }
    // Where the keys end; then those that go on with byte 0, 1, and so on.
    const ends = new Uint32Array(257);
    for (let index = start; index < end; index++) {
      const key = order[index]!;
      ends[at < lengths[key]! ? bytes[starts[key]! + at]! + 1 : 0]!++;
    }
    const first = order[start]!;
    const bucketOfFirst = at < lengths[first]! ? bytes[starts[first]! + at]! + 1 : 0;
    if (ends[bucketOfFirst] === end - start) {
      if (bucketOfFirst === 0) return;
      continue;
    }
    let sum = start;
    for (let bucket = 0; bucket < 257; bucket++) {
      sum += ends[bucket]!;
      ends[bucket] = sum - ends[bucket]!;
    }
    spare.set(order.subarray(start, end), start);
    for (let index = start; index < end; index++) {
      const key = spare[index]!;
      const bucket = at < lengths[key]! ? bytes[starts[key]! + at]! + 1 : 0;
      order[ends[bucket]!++] = key;
    }
    for (let bucket = 1; bucket < 257; bucket++) {
      const from = ends[bucket - 1]!;
      if (ends[bucket]! - from > 1) sortRange(keys, order, spare, from, ends[bucket]!, at + 1);
    }
    return;
  }
}

function insert(keys: Keys, order: Uint32Array, start: number, end: number, depth: number): void {
  for (let index = start + 1; index < end; index++) {
    const key = order[index]!;
    let target = index;
    while (target > start && compareKeys(keys, order[target - 1]!, key, depth) > 0) {
      order[target] = order[target - 1]!;
      target--;
    }
    order[target] = key;
  }
}

/** Canonical order of two keys that are equal up to `depth`. */
export function compareKeys(
  { bytes, starts, lengths }: Keys,
  a: number,
  b: number,
  depth: number,
): number {
  const startA = starts[a]!;
  const startB = starts[b]!;
  const shorter = Math.min(lengths[a]!, lengths[b]!);
  for (let at = depth; at < shorter; at++) {
    const difference = bytes[startA + at]! - bytes[startB + at]!;
    if (difference !== 0) return difference;
  }
  return lengths[a]! - lengths[b]!;
}
