/**
 * Base32 with the extended hex alphabet, without padding (RFC 4648 7; RFC 5155 3.3).
 *
 * Printed lower-case, read in any case. Refused: other characters, impossible lengths, leftover
 * bits that are not zero.
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

/** Bytes of base32hex text, or undefined when it is none. */
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
