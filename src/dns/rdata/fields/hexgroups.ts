/**
 * The 64-bit values of ILNP: four groups of hex digits joined by colons (RFC 6742 2.1.2 and 2.3.2).
 *
 * Printed lower-case with all four digits of each group. Refused: other counts of groups or digits.
 */
import type { Field } from '../format.ts';

const octets = 8;

export function hexGroups(label: string): Field {
  return {
    label,
    width: octets,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      if (!/^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}$/i.test(text)) {
        throw tokens.refuse(label, 'is four groups of hex digits like 0014:4fff:ff20:ee64', text);
      }
      const digits = text.split(':').map((group) => group.padStart(4, '0'));
      out.push(Buffer.from(digits.join(''), 'hex'));
    },
    read: (wire, out) => {
      out.push(wire.bytes(octets, label));
    },
    print: (wire) =>
      wire
        .bytes(octets, label)
        .toString('hex')
        .replace(/....(?!$)/g, '$&:'),
  };
}
