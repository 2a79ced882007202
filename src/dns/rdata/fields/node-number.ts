/**
 * The node number of IPN, 64 bits (draft-johnson-dns-ipn-cla-07 3.1): one decimal number, or on input two
 * numbers of 32 bits with a period between them. Refused: leading zeros.
 */
import type { Field } from '../format.ts';

const octets = 8;
const greatestHalf = 0xffff_ffffn;
const greatest = 0xffff_ffff_ffff_ffffn;

export function nodeNumber(label: string): Field {
  return {
    label,
    width: octets,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const number = parseNode(text);
      if (number === undefined) {
        throw tokens.refuse(label, 'is a number of 64 bits, or two of 32 bits like 977.0', text);
      }
      const bytes = Buffer.allocUnsafe(octets);
      bytes.writeBigUInt64BE(number);
      out.push(bytes);
    },
    read: (wire, out) => {
      out.push(wire.bytes(octets, label));
    },
    print: (wire) => String(wire.bytes(octets, label).readBigUInt64BE()),
  };
}

function parseNode(text: string): bigint | undefined {
  const parts = /^(0|[1-9]\d{0,19})(?:\.(0|[1-9]\d{0,19}))?$/.exec(text);
  if (parts === null) return undefined;
  const [first, second] = [
    BigInt(parts[1]!),
    parts[2] === undefined ? undefined : BigInt(parts[2]),
  ];
  if (second === undefined) return first <= greatest ? first : undefined;
  return first <= greatestHalf && second <= greatestHalf ? (first << 32n) | second : undefined;
}
