/**
 * Fields that name record types: one type (RRSIG), or a set of types to the end of the RDATA, a bit for each
 * (RFC 4034 4.1.2, RFC 5155 3.2.1, RFC 7477 2.1.1); the older bitmap of NXT (RFC 2535 5.2); and the set of
 * numbers that all bitmaps are.
 *
 * Refused on the wire: windows out of order, empty or longer than 32 bytes, zero bytes at a
 * window's end; so there is one form for each set.
 */
import { parseType } from '../../rrtype.ts';
import type { Field } from '../format.ts';
import type { TokenReader } from '../token-reader.ts';
import type { WireReader } from '../wire-reader.ts';
import { writeNumber } from './number.ts';

/** One type by its mnemonic. */
export function typeName(label: string): Field {
  return {
    label,
    width: 2,
    parse: (tokens, out) => writeNumber(parseTypeWord(tokens, label), 2, out),
    read: (wire, out) => wire.copy(2, label, out),
    print: (wire) => wire.style.typeText(wire.u16(label)),
  };
}

function parseTypeWord(tokens: TokenReader, label: string): number {
  const text = tokens.word(label);
  const type = parseType(text);
  if (type === undefined) throw tokens.refuse(label, 'is a record type', text);
  return type;
}

/** How a set of numbers is written. */
interface SetForm {
  /** What bytes that are no such set are called. */
  readonly rule: string;
  parseWord(tokens: TokenReader, label: string): number;
  printWord(number: number, wire: WireReader): string;
  /** Bytes of numbers that ascend. */
  encode(numbers: readonly number[]): Buffer;
  /** Undefined when the form is broken. */
  decode(bytes: Buffer): number[] | undefined;
}

/** A set of numbers to the end of the RDATA, in any order and with repetitions in text; it may be empty. */
export function setField(label: string, form: SetForm): Field {
  return {
    label,
    parse: (tokens, out) => {
      const numbers = new Set<number>();
      while (tokens.hasMore) numbers.add(form.parseWord(tokens, label));
      out.add(form.encode([...numbers].sort((a, b) => a - b)));
    },
    read: (wire, out) => {
      const numbers = form.decode(wire.rest());
      if (numbers === undefined) throw wire.refuse(label, form.rule);
      out.add(form.encode(numbers));
    },
    print: (wire) => {
      const numbers = form.decode(wire.rest()) ?? [];
      return numbers.map((number) => form.printWord(number, wire)).join(' ') || undefined;
    },
  };
}

/** The numbers whose bits are set, the first bit being that of 0. */
export function numbersOfBits(bits: Buffer): number[] {
  const numbers: number[] = [];
  for (const [index, byte] of bits.entries()) {
    for (let bit = 0; bit < 8; bit++) if (byte & (0x80 >> bit)) numbers.push(index * 8 + bit);
  }
  return numbers;
}

/** Bits for numbers that ascend, as many bytes as the last of them needs. */
export function bitsOfNumbers(numbers: readonly number[]): Buffer {
  const bits = Buffer.alloc(numbers.length === 0 ? 0 : (numbers.at(-1)! >> 3) + 1);
  for (const number of numbers) bits[number >> 3]! |= 0x80 >> (number & 7);
  return bits;
}

const typeSet = {
  rule: 'is no type bitmap',
  parseWord: parseTypeWord,
  printWord: (type: number, wire: WireReader) => wire.style.typeText(type),
};

/** The set of types to the end; it may be empty. */
export function typeBitmap(label: string): Field {
  return setField(label, { ...typeSet, encode: encodeWindows, decode: decodeBlocks });
}

/** Types 1 to 127, the bit of type 0 being 0 in the only form that was ever defined (RFC 2535 5.2). */
const maxOldType = 127;

/** The set of types of NXT to the end, without windows; it may be empty. */
export function oldTypeBitmap(label: string): Field {
  return setField(label, {
    ...typeSet,
    parseWord: (tokens) => {
      const type = parseTypeWord(tokens, label);
      if (type > 0 && type <= maxOldType) return type;
      throw tokens.refuse(label, `are of numbers 1 to ${maxOldType}`, tokens.text);
    },
    encode: bitsOfNumbers,
    decode: (bits) => {
      const types = bits.at(-1) === 0 ? undefined : numbersOfBits(bits);
      return types?.[0] === 0 || (types?.at(-1) ?? 0) > maxOldType ? undefined : types;
    },
  });
}

/** Types of a window; each is written as its number, the bytes of its bits and the bits. */
const windowTypes = 256;
const maxWindowBytes = 32;

function encodeWindows(types: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < types.length; ) {
    const window = types[start]! >> 8;
    let end = start;
    while (end < types.length && types[end]! >> 8 === window) end++;
    const bits = bitsOfNumbers(types.slice(start, end).map((type) => type % windowTypes));
    parts.push(Buffer.of(window, bits.length), bits);
    start = end;
  }
  return Buffer.concat(parts);
}

/** Undefined for what is no type bitmap. */
export function decodeBlocks(bitmap: Buffer): number[] | undefined {
  const types: number[] = [];
  let lastWindow = -1;
  for (let at = 0; at < bitmap.length; ) {
    const window = bitmap[at]!;
    const length = bitmap[at + 1] ?? 0;
    const end = at + 2 + length;
    if (window <= lastWindow || length === 0 || length > maxWindowBytes) return undefined;
    if (end > bitmap.length || bitmap[end - 1] === 0) return undefined;
    for (const bit of numbersOfBits(bitmap.subarray(at + 2, end))) {
      types.push(window * windowTypes + bit);
    }
    lastWindow = window;
    at = end;
  }
  return types;
}
