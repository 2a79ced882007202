/**
 * Names, addresses and numbers as bytes of text (RFC 1035 5.1), read and written for very many records: no
 * string is made on the way. A name with escapes or characters beyond ASCII is left to the functions of
 * name.ts, which also say what is wrong with one.
 */
import { limits } from '../base/limits.ts';
import type { ByteWriter } from '../base/byte-writer.ts';

const dot = 0x2e;
const zero = 0x30;

/** Bytes of labels that names show as they are (printLabel). */
export const unescapedCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789_*/+=:-';
const isUnescaped = new Uint8Array(256);
for (const character of unescapedCharacters) {
  isUnescaped[character.charCodeAt(0)] = 1;
}

/** Writes wire labels, dots between them; false when nothing was written, because one needs escapes. */
export function writeLabels(
  wire: Uint8Array,
  start: number,
  end: number,
  into: ByteWriter,
): boolean {
  const room = into.room(end - start);
  let at = into.length;
  for (let label = start; label < end; ) {
    const labelEnd = label + wire[label]! + 1;
    if (label > start) room[at++] = dot;
    for (let from = label + 1; from < labelEnd; from++) {
      const byte = wire[from]!;
      if (isUnescaped[byte] === 0) return false;
      room[at++] = byte;
    }
    label = labelEnd;
  }
  into.length = at;
  return true;
}

/** The same for the labels of a key (dns/name.ts): from the root down, each ended by a byte 0. */
export function writeKey(key: Uint8Array, start: number, end: number, into: ByteWriter): boolean {
  const room = into.room(end - start);
  let at = into.length;
  for (let labelEnd = end - 1; labelEnd > start; ) {
    let labelStart = labelEnd;
    while (labelStart > start && key[labelStart - 1] !== 0) {
      if (isUnescaped[key[--labelStart]!] === 0) return false;
    }
    if (labelEnd < end - 1) room[at++] = dot;
    for (let from = labelStart; from < labelEnd; from++) room[at++] = key[from]!;
    labelEnd = labelStart - 1;
  }
  into.length = at;
  return true;
}

/** Characters of an IPv4 address at most. */
const addressCharacters = 15;

/** Writes the four bytes of an address as text. */
export function writeIpv4(bytes: Uint8Array, start: number, into: ByteWriter): void {
  const room = into.room(addressCharacters);
  let at = into.length;
  for (let index = 0; index < 4; index++) {
    const number = bytes[start + index]!;
    if (index > 0) room[at++] = dot;
    if (number >= 100) room[at++] = zero + Math.floor(number / 100);
    if (number >= 10) room[at++] = zero + (Math.floor(number / 10) % 10);
    room[at++] = zero + (number % 10);
  }
  into.length = at;
}

/** Writes a whole number that is not negative. */
export function writeNumber(number: number, into: ByteWriter): void {
  let digits = 1;
  for (let power = 10; power <= number; power *= 10) digits++;
  const room = into.room(digits);
  let rest = number;
  for (let at = into.length + digits - 1; at >= into.length; at--) {
    room[at] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  into.length += digits;
}

/** The number that decimal digits from `start` to `end` say; -1 for other text and more than ten digits. */
export function readNumber(text: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > 10) return -1;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = text[at]! - zero;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/**
 * Writes the wire form, in lower-case, of the name that takes `start` to `end` of the text; a name without a
 * closing dot gets the `origin` behind it, or the root. False, and nothing is written, when a label or the
 * name has no length that it may have.
 */
export function writeUnescapedName(
  text: Uint8Array,
  start: number,
  end: number,
  origin: Buffer | undefined,
  into: ByteWriter,
): boolean {
  const isAbsolute = text[end - 1] === dot;
  const textEnd = isAbsolute ? end - 1 : end;
  if (textEnd === start) return isAbsolute && writeRoot(into);
  const suffixBytes = isAbsolute || origin === undefined ? 1 : origin.length;
  const length = textEnd - start + 1 + suffixBytes;
  if (length > limits.nameBytes) return false;
  const room = into.room(length);
  let lengthAt = into.length;
  let at = lengthAt + 1;
  for (let from = start; from <= textEnd; from++) {
    const byte = from === textEnd ? dot : text[from]!;
    if (byte !== dot) {
      room[at++] = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
      continue;
    }
    const labelBytes = at - lengthAt - 1;
    if (labelBytes === 0 || labelBytes > limits.labelBytes) return false;
    room[lengthAt] = labelBytes;
    lengthAt = at++;
  }
  if (suffixBytes === 1) room[lengthAt] = 0;
  else for (let from = 0; from < suffixBytes; from++) room[lengthAt + from] = origin![from]!;
  into.length += length;
  return true;
}

function writeRoot(into: ByteWriter): boolean {
  into.room(1)[into.length++] = 0;
  return true;
}

/** Writes the IPv4 address that takes `start` to `end` of the text; false when it is none. */
export function readIpv4(
  text: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  offset: number,
): boolean {
  let part = 0;
  let digits = 0;
  let number = 0;
  for (let at = start; at <= end; at++) {
    const byte = at < end ? text[at]! : dot;
    if (byte === dot) {
      if (digits === 0 || part > 3) return false;
      into[offset + part++] = number;
      digits = 0;
      number = 0;
    } else {
      const digit = byte - zero;
      if (digit < 0 || digit > 9) return false;
      // A leading zero means octal to some.
      if (digits > 0 && number === 0) return false;
      number = number * 10 + digit;
      digits++;
      if (number > 255) return false;
    }
  }
  return part === 4;
}

const colon = 0x3a;
const ipv6Bytes = 16;

/** Writes the IPv6 address (RFC 4291 2.2) that takes `start` to `end` of the text; false when it is none. */
export function readIpv6(
  text: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  offset: number,
): boolean {
  let at = start;
  let filled = 0;
  let gapAt = -1;
  if (text[at] === colon) {
    if (at + 1 >= end || text[at + 1] !== colon) return false;
    gapAt = 0;
    at += 2;
  }
  while (at < end) {
    const groupStart = at;
    let group = 0;
    while (at < end && hexDigit(text[at]!) >= 0) group = group * 16 + hexDigit(text[at++]!);
    if (at < end && text[at] === dot) {
      // Only the end of the whole address may be dotted.
      if (filled > ipv6Bytes - 4 || !readIpv4(text, groupStart, end, into, offset + filled)) {
        return false;
      }
      filled += 4;
      at = end;
      break;
    }
    if (at === groupStart || at - groupStart > 4 || filled === ipv6Bytes) return false;
    into[offset + filled++] = group >> 8;
    into[offset + filled++] = group & 0xff;
    if (at === end) break;
    if (text[at++] !== colon || at === end) return false;
    if (text[at] === colon) {
      if (gapAt >= 0) return false;
      gapAt = filled;
      at++;
    }
  }
  if (gapAt < 0) return filled === ipv6Bytes;
  // The gap stands for at least one group.
  if (filled > ipv6Bytes - 2) return false;
  const tailAt = ipv6Bytes - (filled - gapAt);
  into.copyWithin(offset + tailAt, offset + gapAt, offset + filled);
  into.fill(0, offset + gapAt, offset + tailAt);
  return true;
}

/** The value of a hex digit, or -1. */
function hexDigit(byte: number): number {
  if (byte >= zero && byte <= 0x39) return byte - zero;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
