/**
 * What records are found by: their owner, by any part of three characters, and keys of their value. An address is one
 * key, so that the addresses of a prefix stand together; other values have one for each word, so that the words
 * with the same beginning do.
 */
import { lowerAscii, type NameKey, printLabels } from '../dns/name.ts';
import { AddressPrefix } from '../dns/rdata/address-prefix.ts';
import { shownValue } from '../dns/rdata/asked-value.ts';
import { rrtype } from '../dns/rrtype.ts';

/** Characters that a part of a name, and a word, have at least. */
export const minCharacters = 3;
/** Characters of a word that are in its key, and words of one value that have one. */
const wordCharacters = 64;
const wordsOfValue = 64;

/** First byte of a key. */
const tagOfWord = 'w';
const tagOf = (type: number) => (type === rrtype.A ? '4' : '6');

/** A key, byte for character: short in messages, and compared by `===`. */
export type SearchKey = string;

/** Keys from the first up to before the last. */
export interface SearchRange {
  readonly from: SearchKey;
  readonly to: SearchKey;
}

/** The text of an owner that parts are sought in: relative to the apex, in small letters. */
export function searchedName(owner: NameKey): string {
  return lowerAscii(printLabels(owner));
}

export function keysOfValue(type: number, rdata: Buffer): readonly SearchKey[] {
  if (type === rrtype.A || type === rrtype.AAAA) return [tagOf(type) + rdata.toString('latin1')];
  const keys = new Set<SearchKey>();
  for (const word of wordsIn(shownValue(type, rdata))) {
    keys.add(keyOfWord(word));
    if (keys.size === wordsOfValue) break;
  }
  return [...keys];
}

/** Where the values stand that a text may be found in, in order; each of them is to be compared with it. */
export function rangesOf(text: string): readonly SearchRange[] {
  const asked = text.trim();
  const prefix = AddressPrefix.parse(asked) ?? AddressPrefix.parse(`${asked}/${bitsOf(asked)}`);
  const ranges = prefix === undefined ? addressesFrom(asked) : [rangeOfPrefix(prefix)];
  const longest = wordsIn(asked).sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) ranges.push(beginningWith(keyOfWord(longest)));
  return ranges.sort((a, b) => (a.from < b.from ? -1 : 1));
}

function bitsOf(address: string): number {
  return address.includes(':') ? 128 : 32;
}

/** No key has 17 of these bytes behind what it begins with: UTF-8 has none, and an address 16. */
const beyond = '\xff'.repeat(17);

function beginningWith(first: SearchKey, last = first): SearchRange {
  return { from: first, to: last + beyond };
}

function rangeOfPrefix(prefix: AddressPrefix): SearchRange {
  const [first, last] = prefix
    .bounds()
    .map((bytes) => tagOf(prefix.type) + bytes.toString('latin1'));
  return beginningWith(first!, last);
}

/** IPv4 addresses whose text begins so, as with `192.0.2` and `192.0.`. */
function addressesFrom(text: string): SearchRange[] {
  const [, whole, begun] = /^((?:\d{1,3}\.){1,3})(\d{0,3})$/.exec(text) ?? [];
  if (whole === undefined || begun === undefined) return [];
  const bytes = whole.split('.').slice(0, -1).map(Number);
  if (bytes.some((byte) => byte > 255)) return [];
  const first = tagOf(rrtype.A) + String.fromCharCode(...bytes);
  if (begun === '') return [beginningWith(first)];
  const ranges: SearchRange[] = [];
  for (let digits = 0; begun.length + digits <= 3; digits++) {
    const from = Number(begun) * 10 ** digits;
    const to = Math.min(255, from + 10 ** digits - 1);
    if (from > 255 || (digits > 0 && from === 0)) break;
    const keyOf = (byte: number) => first + String.fromCharCode(byte);
    ranges.push(beginningWith(keyOf(from), keyOf(to)));
  }
  return ranges;
}

const separators = /[\s"'`;,:=()<>[\]{}|\\!?]+/;

/** Words in small letters. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().split(separators);
  return words.map((word) => word.replace(/\.+$/, '')).filter(isLongEnough);
}

function isLongEnough(text: string): boolean {
  return text.length >= minCharacters;
}

function keyOfWord(word: string): SearchKey {
  return tagOfWord + Buffer.from(word.slice(0, wordCharacters)).toString('latin1');
}
