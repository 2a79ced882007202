/**
 * The octet of AMTRELAY that holds the D bit and the type of the relay (RFC 8777 4.2.2 and 4.2.3): in
 * text two numbers.
 */
import type { Field } from '../format.ts';
import { u8 } from './number.ts';

const discoveryBit = 0x80;
const typeMask = 0x7f;

/** The type of the relay that the octet names. */
export function relayTypeOf(bytes: Buffer): number {
  return bytes[0]! & typeMask;
}

export function discoveryAndType(): Field {
  const type = u8('relay type');
  const label = 'discovery optional';
  return {
    label: `${label}, ${type.label}`,
    width: 1,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      if (text !== '0' && text !== '1') throw tokens.refuse(label, 'is 0 or 1', text);
      const bytes: Buffer[] = [];
      type.parse(tokens, bytes);
      const number = bytes[0]![0]!;
      if (number > typeMask) {
        throw tokens.refuse(type.label, `is a number from 0 to ${typeMask}`, String(number));
      }
      out.push(Buffer.of((text === '1' ? discoveryBit : 0) | number));
    },
    read: (wire, out) => {
      out.push(wire.bytes(1, label));
    },
    print: (wire) => {
      const octet = wire.u8(label);
      return `${octet >> 7} ${octet & typeMask}`;
    },
  };
}
