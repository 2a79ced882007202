/**
 * Fields of plain bytes: hex or base64 to the end of the RDATA, and the length-prefixed hash and
 * salt of NSEC3 (RFC 5155 3.3).
 *
 * Hex is printed upper-case, base64 padded, base32hex lower-case. Refused: odd hex, other
 * alphabets, bits left over after the last byte, an empty field where the type needs one.
 */
import type { Field } from '../format.ts';
import { countedField, restField } from './form.ts';

/** Hex digits to the end; blanks between them are ignored. */
export function hexRest(label: string): Field {
  return restField(label, {
    rule: 'is an even number of hex digits',
    parse: parseHex,
    print: printHex,
  });
}

/** Base64 to the end; blanks inside are ignored. */
export function base64Rest(label: string): Field {
  return restField(label, {
    rule: 'is base64 (RFC 4648 4)',
    parse: parseBase64,
    print: (bytes) => bytes.toString('base64'),
  });
}

/** A length byte and that many bytes in hex; `-` for none. */
export function salt(label: string): Field {
  return countedField(label, 0, {
    rule: 'is `-` or at most 255 bytes in hex',
    parse: (text) => (text === '-' ? Buffer.alloc(0) : parseHex(text)),
    print: (bytes) => (bytes.length === 0 ? '-' : printHex(bytes)),
  });
}

/** A length byte and that many bytes in base32 with the extended hex alphabet, unpadded. */
export function base32Hash(label: string): Field {
  return countedField(label, 1, {
    rule: 'is 1 to 255 bytes in base32hex',
    parse: parseBase32Hex,
    print: base32HexText,
  });
}

/** Bytes of hex text, or undefined when it is none. */
export function parseHex(text: string): Buffer | undefined {
  if (text.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(text)) return undefined;
  return Buffer.from(text, 'hex');
}

export function printHex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}

/** Bytes of padded base64 text, or undefined when it is none. */
export function parseBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[0-9A-Za-z+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // One spelling for each value: leftover bits must be zero.
  return bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * Base32 with the extended hex alphabet, without padding (RFC 4648 7; RFC 5155 3.3): printed lower-case, read in any
 * case.
 */
const alphabet = Buffer.from('0123456789abcdefghijklmnopqrstuv');

/** What each byte stands for; 255 for none. */
const digits = new Uint8Array(256).fill(255);
for (const [digit, byte] of alphabet.entries()) {
  digits[byte] = digit;
  digits[String.fromCharCode(byte).toUpperCase().charCodeAt(0)] = digit;
}

export function base32HexText(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let at = 0;
  let bits = 0;
  let pending = 0;
  for (let index = 0; index < bytes.length; index++) {
    pending = ((pending << 8) | bytes[index]!) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text[at++] = alphabet[(pending >> bits) & 31]!;
    }
  }
  if (bits > 0) text[at] = alphabet[(pending << (5 - bits)) & 31]!;
  return text.latin1Slice();
}

/** Bytes of base32hex text; undefined for other characters, impossible lengths and leftover bits that are not 0. */
export function parseBase32Hex(text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe((text.length * 5) >> 3);
  let at = 0;
  let bits = 0;
  let pending = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = digits[text.charCodeAt(index)] ?? 255;
    if (digit === 255) return undefined;
    pending = ((pending << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (pending >> bits) & 0xff;
    }
  }
  const leftover = pending & ((1 << bits) - 1);
  return bits >= 5 || leftover !== 0 ? undefined : bytes;
}
