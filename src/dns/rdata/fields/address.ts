/**
 * Fields that are addresses: IPv4 in dotted decimals, IPv6 in the canonical text of RFC 5952, the EUI forms of
 * RFC 7043 and the 64-bit values of ILNP.
 *
 * Refused: leading zeros in decimals (some read them as octal), zone indices, ports, masks.
 */
import { readIpv4, readIpv6 } from '../../text-bytes.ts';
import type { Field } from '../format.ts';
import { fixedField } from './form.ts';

export function ipv4(label: string): Field {
  return ipField(label, 4, 'is an IPv4 address like 192.0.2.1', readIpv4, printIpv4);
}

export function ipv6(label: string): Field {
  return ipField(label, 16, 'is an IPv6 address like 2001:db8::1', readIpv6, printIpv6);
}

/** Reads straight from the bytes of the text: addresses come by the million. */
function ipField(
  label: string,
  width: number,
  rule: string,
  readAddress: typeof readIpv4,
  print: (bytes: Buffer) => string,
): Field {
  return {
    label,
    width,
    parse: (tokens, out) => {
      tokens.takeWord(label);
      const room = out.room(width);
      if (!readAddress(tokens.bytes, tokens.start, tokens.end, room, out.length)) {
        throw tokens.refuse(label, rule, tokens.text);
      }
      out.length += width;
    },
    read: (wire, out) => wire.copy(width, label, out),
    print: (wire) => print(wire.bytes(width, label)),
  };
}

/** An EUI of `width` bytes: pairs of hex digits joined by hyphens. */
export function eui(label: string, width: number): Field {
  const form = new RegExp(`^[0-9a-f]{2}(-[0-9a-f]{2}){${width - 1}}$`, 'i');
  return fixedField(label, width, {
    rule: `is ${width} pairs of hex digits joined by hyphens`,
    parse: (text) => (form.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined),
    print: (bytes) =>
      bytes
        .toString('hex')
        .toUpperCase()
        .replace(/..(?!$)/g, '$&-'),
  });
}

/**
 * Four groups of hex digits joined by colons (RFC 6742 2.1.2 and 2.3.2), printed lower-case with all four
 * digits of each group.
 */
export function hexGroups(label: string): Field {
  return fixedField(label, 8, {
    rule: 'is four groups of hex digits like 0014:4fff:ff20:ee64',
    parse: (text) => {
      if (!/^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}$/i.test(text)) return undefined;
      const digits = text.split(':').map((group) => group.padStart(4, '0'));
      return Buffer.from(digits.join(''), 'hex');
    },
    print: (bytes) => bytes.toString('hex').replace(/....(?!$)/g, '$&:'),
  });
}

/** Four bytes, or undefined when the text is no IPv4 address. */
export function parseIpv4(text: string): Buffer | undefined {
  const address = Buffer.allocUnsafe(4);
  return readIpv4(Buffer.from(text), 0, text.length, address, 0) ? address : undefined;
}

export function printIpv4(bytes: Buffer): string {
  return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
}

/** Sixteen bytes, or undefined when the text is no IPv6 address. */
export function parseIpv6(text: string): Buffer | undefined {
  const address = Buffer.allocUnsafe(16);
  return readIpv6(Buffer.from(text), 0, text.length, address, 0) ? address : undefined;
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
