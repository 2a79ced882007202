/** A text that is sought, and what it may be a part of. */
import { isBeyondAscii, toAsciiName } from '../dns/idn.ts';
import { lowerAscii, type NameKey } from '../dns/name.ts';
import { AskedValue, presentedValue } from '../dns/rdata/asked-value.ts';
import {
  keysOfValue,
  minCharacters,
  rangesOf,
  type SearchKey,
  searchedName,
  type SearchRange,
} from '../projection/search-terms.ts';

export class SearchText {
  readonly ranges: readonly SearchRange[];
  /** As names have it: in small letters, and in ASCII. */
  readonly name: string;
  /** The question for the table of names. */
  readonly trigrams: string;
  readonly #folded: string;
  readonly #value: AskedValue;

  constructor(text: string) {
    const asked = text.trim();
    this.#folded = lowerAscii(asked);
    this.#value = new AskedValue(asked);
    this.ranges = rangesOf(asked);
    const ascii = isBeyondAscii(asked) ? (toAsciiName(asked) ?? asked) : asked;
    this.name = lowerAscii(ascii).replace(/\.$/, '');
    const parts = new Set<string>();
    for (let at = 0; at + minCharacters <= this.name.length; at++) {
      parts.add(`"${this.name.slice(at, at + minCharacters).replaceAll('"', '""')}"`);
    }
    this.trigrams = [...parts].join(' AND ');
  }

  /** What may be a relative name and the beginning of the name of its zone. */
  get splits(): readonly { readonly relative: string; readonly beginning: string }[] {
    const labels = this.name.split('.');
    if (labels.includes('')) return [];
    return labels.slice(1).map((_, index) => {
      const beginning = labels.slice(index + 1).join('.');
      return { relative: labels.slice(0, index + 1).join('.'), beginning };
    });
  }

  isPartOf(owner: NameKey): boolean {
    return this.name.length >= minCharacters && searchedName(owner).includes(this.name);
  }

  /** Whether a record at the owner of a position is what that position is for. */
  isFoundAs(
    [range, key]: readonly [number, SearchKey, ...unknown[]],
    type: number,
    rdata: Buffer,
  ): boolean {
    if (range < 0) return true;
    const first = this.#firstOf(keysOfValue(type, rdata));
    if (first === undefined || first[0] !== range || first[1] !== key) return false;
    return (
      this.#value.matches(type, rdata) ||
      lowerAscii(presentedValue(type, rdata)).includes(this.#folded)
    );
  }

  /** The range and the key by which a value comes first. */
  #firstOf(keys: readonly SearchKey[]): readonly [number, SearchKey] | undefined {
    for (const [index, { from, to }] of this.ranges.entries()) {
      const within = keys.filter((key) => key >= from && key < to).sort();
      if (within[0] !== undefined) return [index, within[0]];
    }
    return undefined;
  }
}
