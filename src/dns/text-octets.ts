/**
 * Names and addresses as octets of text (RFC 1035 5.1), for texts of very many records: no string is made
 * on the way. A label that shows otherwise than it is, with escapes, is left to the printers of strings.
 */
import type { OctetWriter } from '../base/octet-writer.ts';

const dot = 0x2e;
const zero = 0x30;

/** Octets of labels that names show as they are (printLabel). */
export const plainCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789_*/+=:-';
const plain = new Uint8Array(256);
for (const character of plainCharacters) {
  plain[character.charCodeAt(0)] = 1;
}

/** Writes wire labels, dots between them; false when nothing was written, because one needs escapes. */
export function writeLabels(
  wire: Uint8Array,
  start: number,
  end: number,
  into: OctetWriter,
): boolean {
  const room = into.room(end - start);
  let at = into.length;
  for (let label = start; label < end; ) {
    const labelEnd = label + wire[label]! + 1;
    if (label > start) room[at++] = dot;
    for (let from = label + 1; from < labelEnd; from++) {
      const octet = wire[from]!;
      if (plain[octet] === 0) return false;
      room[at++] = octet;
    }
    label = labelEnd;
  }
  into.length = at;
  return true;
}

/** The same for the labels of a key (dns/name.ts): from the root down, each ended by an octet 0. */
export function writeKey(key: Uint8Array, start: number, end: number, into: OctetWriter): boolean {
  const room = into.room(end - start);
  let at = into.length;
  for (let labelEnd = end - 1; labelEnd > start; ) {
    let labelStart = labelEnd;
    while (labelStart > start && key[labelStart - 1] !== 0) {
      if (plain[key[--labelStart]!] === 0) return false;
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

/** Writes the four octets of an address as text. */
export function writeIpv4(octets: Uint8Array, start: number, into: OctetWriter): void {
  const room = into.room(addressCharacters);
  let at = into.length;
  for (let index = 0; index < 4; index++) {
    const number = octets[start + index]!;
    if (index > 0) room[at++] = dot;
    if (number >= 100) room[at++] = zero + Math.floor(number / 100);
    if (number >= 10) room[at++] = zero + (Math.floor(number / 10) % 10);
    room[at++] = zero + (number % 10);
  }
  into.length = at;
}

/** Writes a whole number that is not negative. */
export function writeNumber(number: number, into: OctetWriter): void {
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
