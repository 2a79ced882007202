/**
 * APL: lists of address prefixes (RFC 3123 4), `1:192.0.2.0/24 !2:2001:db8::/32`: family, prefix length,
 * negation, address without the zero bytes at its end. The list may be empty.
 *
 * Refused: families besides IPv4 (1) and IPv6 (2), because they have no text form; prefixes longer
 * than an address; zero bytes at the end of an address on the wire.
 */
import { parseIpv4, parseIpv6, printIpv4, printIpv6 } from './fields/address.ts';
import { listField } from './fields/form.ts';
import type { Field, FormatRows } from './format.ts';
import type { TokenReader } from './token-reader.ts';
import type { WireReader } from './wire-reader.ts';

interface AddressFamily {
  readonly width: number;
  readonly parse: (text: string) => Buffer | undefined;
  readonly print: (bytes: Buffer) => string;
}

const families = new Map<number, AddressFamily>([
  [1, { width: 4, parse: parseIpv4, print: printIpv4 }],
  [2, { width: 16, parse: parseIpv6, print: printIpv6 }],
]);

const negation = 0x80;
const headerBytes = 4;
const label = 'prefixes';

const prefix: Field = {
  label,
  parse: (tokens, out) => out.add(parsePrefix(tokens)),
  read: (wire, out) => {
    const header = wire.bytes(headerBytes, label);
    const address = wire.bytes(header[3]! & ~negation, label);
    checkPrefix(wire, header, address);
    out.add(header);
    out.add(address);
  },
  print: printPrefix,
};

export const aplTypes = { APL: { fields: [listField(prefix)] } } satisfies FormatRows;

function parsePrefix(tokens: TokenReader): Buffer {
  const text = tokens.word(label);
  const parts = /^(!?)(\d{1,5}):([^/]+)\/(\d{1,3})$/.exec(text);
  const family = parts === null ? undefined : families.get(Number(parts[2]));
  const address = family?.parse(parts![3]!);
  const bits = Number(parts?.[4]);
  if (family === undefined || address === undefined || bits > family.width * 8) {
    throw tokens.refuse(label, 'are like 1:192.0.2.0/24 or !2:2001:db8::/32', text);
  }
  let used = address.length;
  while (used > 0 && address[used - 1] === 0) used--;
  const flag = parts![1] === '!' ? negation : 0;
  const header = Buffer.of(0, Number(parts![2]), bits, flag | used);
  return Buffer.concat([header, address.subarray(0, used)]);
}

function checkPrefix(wire: WireReader, header: Buffer, address: Buffer): void {
  const family = families.get(header.readUInt16BE(0));
  if (family === undefined) throw wire.refuse('address family', 'is 1 (IPv4) or 2 (IPv6)');
  if (header[2]! > family.width * 8 || address.length > family.width) {
    throw wire.refuse('prefix', 'is longer than an address');
  }
  if (address.at(-1) === 0) throw wire.refuse('address', 'ends in a byte 0');
}

function printPrefix(wire: WireReader): string {
  const number = wire.u16(label);
  const bits = wire.u8(label);
  const flagAndLength = wire.u8(label);
  const family = families.get(number)!;
  const address = Buffer.alloc(family.width);
  wire.bytes(flagAndLength & ~negation, label).copy(address);
  const sign = flagAndLength >= negation ? '!' : '';
  return `${sign}${number}:${family.print(address)}/${bits}`;
}
