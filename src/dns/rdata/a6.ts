/**
 * A6: an IPv6 address in parts (RFC 2874 3), historic (RFC 6563): the length of a prefix in bits, the address
 * behind it, and the name that has the prefix.
 *
 * Bits of the prefix in the address mean nothing: they are set to zero in text, and refused on the wire.
 */
import { parseIpv6, printIpv6 } from './fields/address.ts';
import { name } from './fields/name.ts';
import { type Field, type FormatRows, laterAndUnportable } from './format.ts';
import type { TokenReader } from './token-reader.ts';
import type { WireReader } from './wire-reader.ts';

const addressBits = 128;
const addressBytes = 16;
const prefixName = name('prefix name');

const addressSuffix: Field = {
  label: 'prefix length, address suffix, prefix name',
  parse: (tokens, out) => {
    const bits = tokens.number('prefix length', addressBits);
    out.room(1)[out.length++] = bits;
    if (bits < addressBits) out.add(parseSuffix(tokens, bits));
    if (bits > 0) prefixName.parse(tokens, out);
  },
  read: (wire, out) => {
    const bits = wire.u8('prefix length');
    if (bits > addressBits) throw wire.refuse('prefix length', 'is above 128');
    out.room(1)[out.length++] = bits;
    out.add(readSuffix(wire, bits));
    if (bits > 0) prefixName.read(wire, out);
  },
  print: (wire) => {
    const bits = wire.u8('prefix length');
    const suffix = wire.bytes(suffixBytes(bits), 'address suffix');
    const texts = [String(bits)];
    if (bits < addressBits) {
      texts.push(printIpv6(Buffer.concat([Buffer.alloc(addressBytes - suffix.length), suffix])));
    }
    if (bits > 0) texts.push(prefixName.print(wire)!);
    return texts.join(' ');
  },
};

export const a6Types = {
  A6: { fields: [addressSuffix], ...laterAndUnportable },
} satisfies FormatRows;

function suffixBytes(bits: number): number {
  return addressBytes - (bits >> 3);
}

/** The bits of the first byte of a suffix that belong to it. */
function ownBits(bits: number): number {
  return 0xff >> (bits & 7);
}

function parseSuffix(tokens: TokenReader, bits: number): Buffer {
  const text = tokens.word('address suffix');
  const address = parseIpv6(text);
  if (address === undefined) throw tokens.refuse('address suffix', 'is an IPv6 address', text);
  const suffix = address.subarray(addressBytes - suffixBytes(bits));
  suffix[0] = suffix[0]! & ownBits(bits);
  return suffix;
}

function readSuffix(wire: WireReader, bits: number): Buffer {
  const suffix = wire.bytes(suffixBytes(bits), 'address suffix');
  if (suffix.length > 0 && (suffix[0]! & ~ownBits(bits)) !== 0) {
    throw wire.refuse('address suffix', 'has bits of the prefix');
  }
  return suffix;
}
