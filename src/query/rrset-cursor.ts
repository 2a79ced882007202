/** Cursors of pages in canonical order: the RRset that a page ended with, and numbers that belong to it, as a text. */
import { isNameKey, keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';

export interface RrsetKey {
  readonly owner: NameKey;
  readonly type: number;
}

export interface RrsetCursor extends RrsetKey {
  /** Not negative, of 32 bits. */
  readonly numbers: readonly number[];
}

export function cursorOf({ owner, type }: RrsetKey, ...numbers: readonly number[]): string {
  const head = Buffer.alloc(2 + 4 * numbers.length);
  head.writeUInt16BE(type, 0);
  for (const [index, number] of numbers.entries()) head.writeUInt32BE(number, 2 + 4 * index);
  return Buffer.concat([head, keyToBytes(owner)]).toString('base64url');
}

/** Undefined for a text that no page gave, or one with another count of numbers. */
export function parseCursor(text: string, count = 0): RrsetCursor | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const start = 2 + 4 * count;
  if (bytes.length < start || bytes.toString('base64url') !== text) return undefined;
  const owner = keyFromBytes(bytes.subarray(start));
  if (!isNameKey(owner)) return undefined;
  const numbers = Array.from({ length: count }, (_, index) => bytes.readUInt32BE(2 + 4 * index));
  return { owner, type: bytes.readUInt16BE(0), numbers };
}
