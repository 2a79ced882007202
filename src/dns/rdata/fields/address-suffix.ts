/**
 * The whole of A6 RDATA (RFC 2874 3.1 and 3.2): the length of a prefix in bits, the address behind it,
 * and the name that has the prefix.
 *
 * Bits of the prefix in the address mean nothing: they are set to zero in text, and refused on the wire.
 */
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';
import type { WireReader } from '../wirereader.ts';
import { parseIpv6, printIpv6 } from './address.ts';
import { name } from './name.ts';

const addressBits = 128;
const addressOctets = 16;

export function addressSuffix(): Field {
  const prefixName = name('prefix name');
  return {
    label: 'prefix length, address suffix, prefix name',
    parse: (tokens, out) => {
      const bits = parseBits(tokens);
      out.push(Buffer.of(bits));
      if (bits < addressBits) out.push(parseSuffix(tokens, bits));
      if (bits > 0) prefixName.parse(tokens, out);
    },
    read: (wire, out) => {
      const bits = wire.u8('prefix length');
      if (bits > addressBits) throw wire.refuse('prefix length', 'is above 128');
      const suffix = readSuffix(wire, bits);
      out.push(Buffer.of(bits), suffix);
      if (bits > 0) prefixName.read(wire, out);
    },
    print: (wire) => {
      const bits = wire.u8('prefix length');
      const suffix = wire.bytes(suffixOctets(bits), 'address suffix');
      const texts = [String(bits)];
      if (bits < addressBits) {
        texts.push(printIpv6(Buffer.concat([Buffer.alloc(addressOctets - suffix.length), suffix])));
      }
      if (bits > 0) texts.push(prefixName.print(wire)!);
      return texts.join(' ');
    },
  };
}

function suffixOctets(bits: number): number {
  return addressOctets - (bits >> 3);
}

/** The bits of the first octet of a suffix that belong to it. */
function ownBits(bits: number): number {
  return 0xff >> (bits & 7);
}

function parseBits(tokens: TokenReader): number {
  const text = tokens.word('prefix length');
  const bits = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (bits <= addressBits) return bits;
  throw tokens.refuse('prefix length', `is a number from 0 to ${addressBits}`, text);
}

function parseSuffix(tokens: TokenReader, bits: number): Buffer {
  const text = tokens.word('address suffix');
  const address = parseIpv6(text);
  if (address === undefined) throw tokens.refuse('address suffix', 'is an IPv6 address', text);
  const suffix = address.subarray(addressOctets - suffixOctets(bits));
  suffix[0] = suffix[0]! & ownBits(bits);
  return suffix;
}

function readSuffix(wire: WireReader, bits: number): Buffer {
  const suffix = wire.bytes(suffixOctets(bits), 'address suffix');
  if (suffix.length > 0 && (suffix[0]! & ~ownBits(bits)) !== 0) {
    throw wire.refuse('address suffix', 'has bits of the prefix');
  }
  return suffix;
}
