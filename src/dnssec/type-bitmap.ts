/**
 * Type bitmaps of NSEC and NSEC3 (RFC 4034 4.1.2): windows of 256 types, each with as many octets as
 * its highest type needs, windows without a type left out.
 *
 * A zone has few different sets of types, in few orders, so each bitmap is made once and shared.
 */

/** Bitmaps kept at most: sets of types come from outside, so their number is bounded here. */
const keptBitmaps = 4096;

const made = new Map<string, Buffer>();

/** The bitmap of a set of types, in any order, without repetitions. */
export function typeBitmap(types: readonly number[]): Buffer {
  const key = types.join();
  const known = made.get(key);
  if (known !== undefined) return known;
  const bitmap = buildBitmap(types.toSorted((a, b) => a - b));
  if (made.size >= keptBitmaps) made.clear();
  made.set(key, bitmap);
  return bitmap;
}

function buildBitmap(sorted: readonly number[]): Buffer {
  const windows = Map.groupBy(sorted, (type) => type >> 8);
  const parts: Buffer[] = [];
  for (const [window, types] of windows) {
    const octets = ((types.at(-1)! & 0xff) >> 3) + 1;
    const bits = Buffer.alloc(octets);
    for (const type of types) bits[(type & 0xff) >> 3]! |= 0x80 >> (type & 7);
    parts.push(Buffer.of(window, octets), bits);
  }
  return Buffer.concat(parts);
}
