/** The order of the chain of hashed names. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NameKey } from '../dns/name.ts';
import { base32HexText } from '../dns/rdata/fields/binary.ts';
import { HashedLinks } from './sign-whole.ts';

function chainOf(hashes: readonly Uint8Array[]): HashedLinks {
  const links = new HashedLinks();
  for (const hash of hashes) links.add(`${base32HexText(hash)}\0` as NameKey, Buffer.from(hash));
  links.sort();
  return links;
}

it('is that of the hashes, those that begin alike among them', () => {
  const byte = fc.constantFrom(0, 1, 127, 128, 255);
  const hash = fc.tuple(byte, byte, byte, byte, byte).map((head) => {
    return Uint8Array.from({ length: 20 }, (_, at) => head[at] ?? 7);
  });
  const hashes = fc.uniqueArray(hash, { minLength: 1, maxLength: 200, selector: String });
  fc.assert(
    fc.property(hashes, (all) => {
      const links = chainOf(all);
      const sorted = all.toSorted(Buffer.compare);
      expect(links.count).toBe(all.length);
      for (const [index, each] of sorted.entries()) {
        expect(links.bitmap(index)).toEqual(Buffer.from(each));
        expect(links.owner(index)).toBe(`${base32HexText(each)}\0`);
      }
      expect(links.owner(all.length)).toBe(links.owner(0));
    }),
  );
});

it('refuses two names of one hash', () => {
  const hash = new Uint8Array(20);
  expect(() => chainOf([hash, hash])).toThrow('one NSEC3 hash');
});
