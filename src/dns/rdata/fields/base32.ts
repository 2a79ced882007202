/**
 * Base32 with the extended hex alphabet, without padding (RFC 4648 7; RFC 5155 3.3).
 *
 * Printed lower-case, read in any case. Refused: other characters, impossible lengths, leftover
 * bits that are not zero.
 */
const alphabet = '0123456789abcdefghijklmnopqrstuv';

export function base32HexText(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const octet of bytes) {
    pending = ((pending << 8) | octet) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(pending >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + alphabet[(pending << (5 - bits)) & 31];
}

/** Octets of base32hex text, or undefined when it is none. */
export function parseBase32Hex(text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe((text.length * 5) >> 3);
  let at = 0;
  let bits = 0;
  let pending = 0;
  for (const character of text.toLowerCase()) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
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
