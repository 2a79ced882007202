/**
 * Fields that are addresses: IPv4 in dotted decimals, IPv6 in the canonical text of RFC 5952, and
 * the EUI forms of RFC 7043.
 *
 * Refused: leading zeros in decimals (some read them as octal), zone indices, ports, masks.
 */
import type { Field } from '../format.ts';

export function ipv4(label: string): Field {
  return addressField(label, 4, 'is an IPv4 address like 192.0.2.1', parseIpv4, printIpv4);
}

export function ipv6(label: string): Field {
  return addressField(label, 16, 'is an IPv6 address like 2001:db8::1', parseIpv6, printIpv6);
}

/** An EUI of `octets` octets: pairs of hex digits joined by hyphens. */
export function eui(label: string, octets: number): Field {
  const form = new RegExp(`^[0-9a-f]{2}(-[0-9a-f]{2}){${octets - 1}}$`, 'i');
  return addressField(
    label,
    octets,
    `is ${octets} pairs of hex digits joined by hyphens`,
    (text) => (form.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined),
    (bytes) =>
      bytes
        .toString('hex')
        .toUpperCase()
        .replace(/..(?!$)/g, '$&-'),
  );
}

function addressField(
  label: string,
  octets: number,
  rule: string,
  parse: (text: string) => Buffer | undefined,
  print: (bytes: Buffer) => string,
): Field {
  return {
    label,
    width: octets,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = parse(text);
      if (bytes === undefined) throw tokens.refuse(label, rule, text);
      out.push(bytes);
    },
    read: (wire, out) => {
      out.push(wire.bytes(octets, label));
    },
    print: (wire) => print(wire.bytes(octets, label)),
  };
}

/** Four octets, or undefined when the text is no IPv4 address. */
export function parseIpv4(text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(4);
  return writeIpv4(text, 0, bytes, 0) ? bytes : undefined;
}

/** Writes the address that takes `text` from `start` to its end; false when it is none. */
function writeIpv4(text: string, start: number, into: Buffer, at: number): boolean {
  let part = 0;
  let digits = 0;
  let number = 0;
  for (let position = start; position <= text.length; position++) {
    const code = position < text.length ? text.charCodeAt(position) : 0x2e;
    if (code === 0x2e) {
      if (digits === 0 || part > 3) return false;
      into[at + part++] = number;
      digits = 0;
      number = 0;
    } else {
      if (code < 0x30 || code > 0x39) return false;
      if (digits > 0 && number === 0) return false;
      number = number * 10 + code - 0x30;
      digits++;
      if (number > 255) return false;
    }
  }
  return part === 4;
}

export function printIpv4(bytes: Buffer): string {
  return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
}

/** Sixteen octets, or undefined when the text is no IPv6 address (RFC 4291 2.2). */
export function parseIpv6(text: string): Buffer | undefined {
  const gap = text.indexOf('::');
  if (gap < 0) {
    const bytes = Buffer.allocUnsafe(16);
    return writeGroups(text, bytes) === 16 ? bytes : undefined;
  }
  const head = Buffer.alloc(16);
  const tail = Buffer.allocUnsafe(16);
  const headOctets = gap === 0 ? 0 : writeGroups(text.slice(0, gap), head);
  const after = text.slice(gap + 2);
  const tailOctets = after === '' ? 0 : writeGroups(after, tail);
  // The gap stands for at least one group, and a dotted part may end only the whole address.
  if (headOctets < 0 || tailOctets < 0 || headOctets + tailOctets > 14) return undefined;
  if (text.slice(0, gap).includes('.')) return undefined;
  tail.copy(head, 16 - tailOctets, 0, tailOctets);
  return head;
}

/** Writes groups of hex digits, the last maybe dotted; returns the octets written or -1. */
function writeGroups(text: string, into: Buffer): number {
  let octets = 0;
  let start = 0;
  while (start <= text.length) {
    const colon = text.indexOf(':', start);
    const end = colon < 0 ? text.length : colon;
    if (colon < 0 && text.indexOf('.', start) >= 0) {
      return octets <= 12 && writeIpv4(text, start, into, octets) ? octets + 4 : -1;
    }
    if (end === start || end - start > 4 || octets === 16) return -1;
    let group = 0;
    for (let at = start; at < end; at++) {
      const digit = hexDigit(text.charCodeAt(at));
      if (digit < 0) return -1;
      group = group * 16 + digit;
    }
    into[octets++] = group >> 8;
    into[octets++] = group & 0xff;
    start = end + 1;
  }
  return octets;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/**
 * Canonical text: lower-case, no leading zeros, the first longest run of two or more zero groups as
 * `::` (RFC 5952 4), IPv4-mapped addresses with a dotted end (RFC 5952 5).
 */
export function printIpv6(bytes: Buffer): string {
  const groups: number[] = [];
  for (let at = 0; at < 16; at += 2) groups.push(bytes.readUInt16BE(at));
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return `::ffff:${printIpv4(bytes.subarray(12))}`;
  }
  let runStart = -1;
  let runLength = 1;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > runLength) {
      runStart = start;
      runLength = end - start;
    }
  }
  const hex = groups.map((group) => group.toString(16));
  if (runStart < 0) return hex.join(':');
  return `${hex.slice(0, runStart).join(':')}::${hex.slice(runStart + runLength).join(':')}`;
}
