/**
 * The chain of hashed names of a whole zone: gathered in the order of the names, read in the order of
 * the hashes. Of each name its owner of NSEC3 and its bitmap are held, some 100 octets.
 */
import { assert } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';

/** Characters of a hash, of five bits each, that are sorted by as numbers, which is ten times as fast. */
const sortedCharacters = 5;
/** Room for the place of a name beside them, in a number of 53 bits. */
const placeSpan = 2 ** (53 - 5 * sortedCharacters);

export class HashedLinks {
  readonly #owners: NameKey[] = [];
  readonly #bitmaps: Buffer[] = [];
  #order = new Uint32Array(0);

  get count(): number {
    return this.#owners.length;
  }

  /** `owner`: of the NSEC3, a hash in base32hex. */
  add(owner: NameKey, bitmap: Buffer): void {
    this.#owners.push(owner);
    this.#bitmaps.push(bitmap);
  }

  /** To be called once, after the last name and before anything is read. */
  sort(): void {
    const owners = this.#owners;
    const numbers = Float64Array.from(owners, (owner, at) => prefixOf(owner) * placeSpan + at);
    numbers.sort();
    const order = Uint32Array.from(numbers, (number) => number % placeSpan);
    // Few have the same first characters; those stand side by side.
    for (let index = 1; index < order.length; index++) {
      const moved = order[index]!;
      let to = index;
      while (to > 0 && owners[order[to - 1]!]! > owners[moved]!) {
        order[to] = order[to - 1]!;
        to--;
      }
      order[to] = moved;
    }
    for (let index = 1; index < order.length; index++) {
      const isOther = owners[order[index]!] !== owners[order[index - 1]!];
      assert(isOther, 'no two names have one NSEC3 hash');
    }
    this.#order = order;
  }

  /** The owner at a place of the chain; going around at the end, undefined never. */
  owner(index: number): NameKey {
    return this.#owners[this.#order[index % this.#order.length]!]!;
  }

  bitmap(index: number): Buffer {
    return this.#bitmaps[this.#order[index]!]!;
  }
}

/** The first characters of base32hex as a number, in the same order. */
function prefixOf(owner: NameKey): number {
  let prefix = 0;
  for (let at = 0; at < sortedCharacters; at++) {
    const code = owner.charCodeAt(at);
    prefix = prefix * 32 + (code <= nineCode ? code - zeroCode : code - aCode + 10);
  }
  return prefix;
}

const zeroCode = 0x30;
const nineCode = 0x39;
const aCode = 0x61;
