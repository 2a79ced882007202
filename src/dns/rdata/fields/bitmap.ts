/**
 * Fields that name record types: one type (RRSIG), or a bitmap of types to the end of the RDATA
 * (RFC 4034 4.1.2, RFC 5155 3.2.1, RFC 7477 2.1.1).
 *
 * The older bitmap of NXT is here too (RFC 2535 5.2).
 *
 * Refused on the wire: windows out of order, empty or longer than 32 bytes, zero bytes at a
 * window's end; so there is one form for each set.
 */
import { parseType } from '../../rrtype.ts';
import type { Field } from '../format.ts';
import type { TokenReader } from '../token-reader.ts';
import { writeNumber } from './number.ts';

/** One type by its mnemonic. */
export function typeName(label: string): Field {
  return {
    label,
    width: 2,
    parse: (tokens, out) => writeNumber(parseTypeWord(tokens, label), 2, out),
    read: (wire, out) => wire.copy(2, label, out),
    print: (wire) => wire.typeText(wire.u16(label)),
  };
}

/** The set of types to the end; it may be empty. */
export function typeBitmap(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const types: number[] = [];
      while (tokens.hasMore) types.push(parseTypeWord(tokens, label));
      out.add(bitmapOf(types));
    },
    read: (wire, out) => {
      const bitmap = wire.rest();
      if (typesInBitmap(bitmap) === undefined) throw wire.refuse(label, 'is no type bitmap');
      out.add(bitmap);
    },
    print: (wire) => typesInBitmap(wire.rest())?.map(wire.typeText).join(' ') || undefined,
  };
}

/** Types 1 to 127, the bit of type 0 being 0 in the only form that was ever defined (RFC 2535 5.2). */
const maxOldType = 127;

/** The set of types of NXT to the end, without windows; it may be empty. */
export function oldTypeBitmap(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const types: number[] = [];
      while (tokens.hasMore) {
        const type = parseTypeWord(tokens, label);
        if (type === 0 || type > maxOldType) {
          throw tokens.refuse(label, `are of numbers 1 to ${maxOldType}`, tokens.text);
        }
        types.push(type);
      }
      out.add(bitmapOf(types).subarray(windowBytes));
    },
    read: (wire, out) => {
      const bits = wire.rest();
      const types = bits.length === 0 ? [] : typesInBitmap(windowOf(bits));
      if (types === undefined || types[0] === 0 || types.some((type) => type > maxOldType)) {
        throw wire.refuse(label, 'is no type bitmap');
      }
      out.add(bits);
    },
    print: (wire) =>
      typesInBitmap(windowOf(wire.rest()))?.map(wire.typeText).join(' ') || undefined,
  };
}

/** Bytes before the bits of a window: its number and its length. */
const windowBytes = 2;

function windowOf(bits: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0, Math.min(bits.length, 0xff)), bits]);
}

function parseTypeWord(tokens: TokenReader, label: string): number {
  const text = tokens.word(label);
  const type = parseType(text);
  if (type === undefined) throw tokens.refuse(label, 'is a record type', text);
  return type;
}

/** The windows and bitmaps of a set of types, in any order and with repetitions. */
function bitmapOf(types: Iterable<number>): Buffer {
  const parts: Buffer[] = [];
  let window = -1;
  let bits = Buffer.alloc(0);
  let used = 0;
  const close = () => {
    if (window >= 0) parts.push(Buffer.of(window, used), bits.subarray(0, used));
  };
  for (const type of [...new Set(types)].sort((a, b) => a - b)) {
    if (type >> 8 !== window) {
      close();
      window = type >> 8;
      bits = Buffer.alloc(32);
    }
    const byte = (type & 0xff) >> 3;
    bits[byte] = bits[byte]! | (0x80 >> (type & 7));
    used = byte + 1;
  }
  close();
  return Buffer.concat(parts);
}

/** The types of a bitmap in order, or undefined when its form is broken. */
function typesInBitmap(bitmap: Buffer): number[] | undefined {
  const types: number[] = [];
  let lastWindow = -1;
  let at = 0;
  while (at < bitmap.length) {
    const window = bitmap[at]!;
    const length = bitmap[at + 1] ?? 0;
    const end = at + 2 + length;
    if (window <= lastWindow || length === 0 || length > 32 || end > bitmap.length)
      return undefined;
    if (bitmap[end - 1] === 0) return undefined;
    for (let byte = 0; byte < length; byte++) {
      for (let bit = 0; bit < 8; bit++) {
        if ((bitmap[at + 2 + byte]! & (0x80 >> bit)) === 0) continue;
        types.push((window << 8) | (byte << 3) | bit);
      }
    }
    lastWindow = window;
    at = end;
  }
  return types;
}
