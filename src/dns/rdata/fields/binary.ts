/**
 * Fields of plain octets: hex or base64 to the end of the RDATA, and the length-prefixed hash and
 * salt of NSEC3 (RFC 5155 3.3).
 *
 * Hex is printed upper-case, base64 padded, base32hex lower-case. Refused: odd hex, other
 * alphabets, bits left over after the last octet, an empty field where the type needs one.
 */
import type { Field } from '../format.ts';
import { base32HexText, parseBase32Hex } from './base32.ts';

/** Hex digits to the end; blanks between them are ignored. */
export function hexRest(label: string): Field {
  return restField(label, 'is an even number of hex digits', parseHex, printHex);
}

const base64Rule = 'is base64 (RFC 4648 4)';

/** Base64 to the end; blanks inside are ignored. */
export function base64Rest(label: string): Field {
  return restField(label, base64Rule, parseBase64, printBase64);
}

/** As above, and there may be none: `none` stands for that in text, or nothing at all. */
export function optionalBase64Rest(label: string, none?: string): Field {
  const field = base64Rest(label);
  return {
    label,
    parse: (tokens, out) => {
      if (none === undefined && !tokens.hasMore) return;
      const next = tokens.peek();
      if (none !== undefined && next?.text === none && !next.quoted) tokens.word(label);
      else field.parse(tokens, out);
    },
    read: (wire, out) => {
      out.push(wire.rest());
    },
    print: (wire) => (wire.remaining === 0 ? none : field.print(wire)),
  };
}

function printBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}

function restField(
  label: string,
  rule: string,
  parse: (text: string) => Buffer | undefined,
  print: (bytes: Buffer) => string,
): Field {
  return {
    label,
    parse: (tokens, out) => {
      if (!tokens.hasMore) tokens.next(label);
      const text = tokens.restJoined(label);
      const bytes = parse(text);
      if (bytes === undefined || bytes.length === 0) throw tokens.refuse(label, rule, text);
      out.push(bytes);
    },
    read: (wire, out) => {
      const bytes = wire.rest();
      if (bytes.length === 0) throw wire.refuse(label, 'is missing');
      out.push(bytes);
    },
    print: (wire) => print(wire.rest()),
  };
}

/** A length octet and that many octets in hex; `-` for none. */
export function salt(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = text === '-' ? Buffer.alloc(0) : parseHex(text);
      if (bytes === undefined || bytes.length > 255 || text === '') {
        throw tokens.refuse(label, 'is `-` or at most 255 octets in hex', text);
      }
      out.push(Buffer.of(bytes.length), bytes);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(wire.u8(label), label);
      out.push(Buffer.of(bytes.length), bytes);
    },
    print: (wire) => {
      const length = wire.u8(label);
      return length === 0 ? '-' : printHex(wire.bytes(length, label));
    },
  };
}

/** A length octet and that many octets in base32 with the extended hex alphabet, unpadded. */
export function base32Hash(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = parseBase32Hex(text);
      if (bytes === undefined || bytes.length === 0 || bytes.length > 255) {
        throw tokens.refuse(label, 'is 1 to 255 octets in base32hex', text);
      }
      out.push(Buffer.of(bytes.length), bytes);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(wire.u8(label), label);
      if (bytes.length === 0) throw wire.refuse(label, 'must not be empty');
      out.push(Buffer.of(bytes.length), bytes);
    },
    print: (wire) => base32HexText(wire.bytes(wire.u8(label), label)),
  };
}

/** Octets of hex text, or undefined when it is none. */
export function parseHex(text: string): Buffer | undefined {
  if (text.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(text)) return undefined;
  return Buffer.from(text, 'hex');
}

export function printHex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}

/** Octets of padded base64 text, or undefined when it is none. */
export function parseBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[0-9A-Za-z+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // One spelling for each value: leftover bits must be zero.
  return bytes.toString('base64') === text ? bytes : undefined;
}
