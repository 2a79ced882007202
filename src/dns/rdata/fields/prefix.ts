/**
 * Address prefixes of APL (RFC 3123 4): family, prefix length, negation, address without the zero
 * octets at its end.
 *
 * Refused: families besides IPv4 (1) and IPv6 (2), because they have no text form; prefixes longer
 * than an address; zero octets at the end of an address on the wire.
 */
import { RdataError } from '../error.ts';
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';
import type { WireReader } from '../wirereader.ts';
import { parseIpv4, parseIpv6, printIpv4, printIpv6 } from './address.ts';

interface AddressFamily {
  readonly octets: number;
  readonly parse: (text: string) => Buffer | undefined;
  readonly print: (bytes: Buffer) => string;
}

const families = new Map<number, AddressFamily>([
  [1, { octets: 4, parse: parseIpv4, print: printIpv4 }],
  [2, { octets: 16, parse: parseIpv6, print: printIpv6 }],
]);

const negation = 0x80;
const fixedOctets = 4;

/** A list of prefixes to the end of the RDATA, maybe empty. */
export function addressPrefixes(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      while (tokens.hasMore) out.push(parsePrefix(tokens, label));
    },
    read: (wire, out) => {
      while (wire.remaining > 0) {
        const header = wire.bytes(fixedOctets, label);
        const address = wire.bytes(header[3]! & ~negation, label);
        checkPrefix(wire, header, address);
        out.push(header, address);
      }
    },
    print: (wire) => {
      const texts: string[] = [];
      while (wire.remaining > 0) texts.push(printPrefix(wire, label));
      return texts.length === 0 ? undefined : texts.join(' ');
    },
  };
}

function parsePrefix(tokens: TokenReader, label: string): Buffer {
  const text = tokens.word(label);
  const parts = /^(!?)(\d{1,5}):([^/]+)\/(\d{1,3})$/.exec(text);
  const family = parts === null ? undefined : families.get(Number(parts[2]));
  const address = family?.parse(parts![3]!);
  const bits = Number(parts?.[4]);
  if (family === undefined || address === undefined || bits > family.octets * 8) {
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
  if (family === undefined) {
    throw new RdataError(`${wire.mnemonic} address family is 1 (IPv4) or 2 (IPv6)`);
  }
  if (header[2]! > family.octets * 8 || address.length > family.octets) {
    throw new RdataError(`${wire.mnemonic} prefix is longer than an address`);
  }
  if (address.length > 0 && address[address.length - 1] === 0) {
    throw new RdataError(`${wire.mnemonic} address ends in an octet 0`);
  }
}

function printPrefix(wire: WireReader, label: string): string {
  const number = wire.u16(label);
  const bits = wire.u8(label);
  const flagAndLength = wire.u8(label);
  const family = families.get(number)!;
  const address = Buffer.alloc(family.octets);
  wire.bytes(flagAndLength & ~negation, label).copy(address);
  const sign = flagAndLength >= negation ? '!' : '';
  return `${sign}${number}:${family.print(address)}/${bits}`;
}
