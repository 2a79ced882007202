/**
 * What records are found by: their owner, by any part of three characters, and keys of their value. An address is one
 * key, so that the addresses of a prefix stand together; other values have one for each word, so that the words
 * with the same beginning do, and more for the addresses that may be a part of them.
 */
import { lowerAscii, type NameKey, printLabels } from '../dns/name.ts';
import { AddressPrefix } from '../dns/rdata/address-prefix.ts';
import { presentedValue } from '../dns/rdata/asked-value.ts';
import { rrtype } from '../dns/rrtype.ts';

/** Characters that a part of a name, and a word, have at least. */
export const minCharacters = 3;
/** Characters of a word that are in its key, and words of one value that have one. */
const wordCharacters = 64;
const wordsOfValue = 64;

/** Addresses of one value that have a key. */
const quadsOfValue = 64;

/** First byte of a key. */
const tagOfWord = 'w';
const tagOfQuad = 'q';
/** A key that a value has, or has not. */
const withManyQuads: SearchKey = tagOfQuad;
const withColons: SearchKey = 'c';
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
  if (type === rrtype.A) return [tagOf(type) + rdata.toString('latin1')];
  const text = presentedValue(type, rdata);
  if (type === rrtype.AAAA) return [tagOf(type) + rdata.toString('latin1'), ...quadsIn(text)];
  const keys = new Set<SearchKey>();
  for (const word of wordsIn(text)) {
    keys.add(keyOfWord(word));
    if (keys.size === wordsOfValue) break;
  }
  return [...keys, ...quadsIn(text), ...(/:[\da-f]*:/i.test(text) ? [withColons] : [])];
}

/**
 * A key for each four numbers with dots between them: the two in the middle, which are whole in every text that such
 * an address is a part of.
 */
function quadsIn(text: string): readonly SearchKey[] {
  const keys = new Set<SearchKey>();
  for (const [run] of text.matchAll(/[\d.]+/g)) {
    const numbers = run.split('.');
    for (let at = 1; at + 2 < numbers.length; at++) {
      const isQuad = numbers.slice(at - 1, at + 3).every((number) => number !== '');
      const [second, third] = [numbers[at]!, numbers[at + 1]!];
      if (!isQuad || second.length > 3 || third.length > 3) continue;
      keys.add(keyOfQuad(second, third));
      if (keys.size === quadsOfValue) return [withManyQuads];
    }
  }
  return [...keys];
}

const keyOfQuad = (second: string, third: string): SearchKey => `${tagOfQuad}${second}.${third}`;

/**
 * Where all values stand that an IPv4 address, or a prefix, may be a part of or all of; each is to be compared
 * with it. Undefined for other texts, and for an IPv6 address: a part of another one may look like it.
 */
export function rangesOfAddress(text: string): readonly SearchRange[] | undefined {
  const prefix = AddressPrefix.parse(text);
  const [, first, second, third, last] =
    /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/\d+)?$/.exec(text) ?? [];
  if (first === undefined) {
    return prefix === undefined || text.trim() !== text
      ? undefined
      : [rangeOfPrefix(prefix), only(withColons)];
  }
  const inTexts = [only(withManyQuads), only(keyOfQuad(second!, third!))];
  if (prefix !== undefined) return [rangeOfPrefix(prefix), ...inTexts];
  if (text.includes('/')) return undefined;
  const between = String.fromCharCode(Number(second), Number(third));
  const ranges: SearchRange[] = [];
  for (const from of bytes.filter((byte) => String(byte).endsWith(first))) {
    const beginning = tagOf(rrtype.A) + String.fromCharCode(from) + between;
    for (const to of bytes.filter((byte) => String(byte).startsWith(last!))) {
      ranges.push(only(beginning + String.fromCharCode(to)));
    }
  }
  return [...ranges, ...inTexts];
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte);

const only = (key: SearchKey): SearchRange => ({ from: key, to: `${key}\0` });

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
