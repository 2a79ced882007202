/**
 * Addresses of networks that came before or beside the Internet: NSAP (RFC 1706 6) and ATM (ATM Forum
 * af-saa-0069, "ATM Name System" 5).
 */
import type { Field } from '../format.ts';
import { parseHex, printHex } from './binary.ts';

/** Octets of an NSAP address: `0x`, then hex in which periods may stand for legibility. */
export function nsapAddress(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = /^0x/i.test(text) ? parseDottedHex(text.slice(2)) : undefined;
      if (bytes === undefined) throw tokens.refuse(label, 'is 0x and hex digits', text);
      out.push(bytes);
    },
    read: (wire, out) => {
      const bytes = wire.rest();
      if (bytes.length === 0) throw wire.refuse(label, 'is missing');
      out.push(bytes);
    },
    print: (wire) => `0x${printHex(wire.rest())}`,
  };
}

const endSystemFormat = 0;
const telephoneFormat = 1;

/** An octet for the format, then an end system address in hex, or `+` and the digits of E.164. */
export function atmAddress(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const number = /^\+(\d[\d.]*)$/.exec(text)?.[1]?.replaceAll('.', '');
      const bytes = number === undefined ? parseDottedHex(text) : Buffer.from(number, 'latin1');
      if (bytes === undefined) {
        throw tokens.refuse(label, 'is hex digits, or + and a telephone number', text);
      }
      out.push(Buffer.of(number === undefined ? endSystemFormat : telephoneFormat), bytes);
    },
    read: (wire, out) => {
      const format = wire.u8(label);
      const bytes = wire.rest();
      const isNumber = format === telephoneFormat && /^\d+$/.test(bytes.toString('latin1'));
      if (!isNumber && (format !== endSystemFormat || bytes.length === 0)) {
        throw wire.refuse(label, 'is no address of format 0 or 1');
      }
      out.push(Buffer.of(format), bytes);
    },
    print: (wire) => {
      const isNumber = wire.u8(label) === telephoneFormat;
      const bytes = wire.rest();
      return isNumber ? `+${bytes.toString('latin1')}` : printHex(bytes);
    },
  };
}

/** Octets of hex digits with periods between them; undefined when it is none. */
function parseDottedHex(text: string): Buffer | undefined {
  if (!/^[0-9a-f]/i.test(text)) return undefined;
  return parseHex(text.replaceAll('.', ''));
}
