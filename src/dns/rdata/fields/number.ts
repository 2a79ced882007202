/**
 * Fields that are unsigned numbers in network order, some with mnemonics for certain values.
 */
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';
import type { WireReader } from '../wirereader.ts';

type NumberOctets = 1 | 2 | 4;

const greatest = { 1: 0xff, 2: 0xffff, 4: 0xffff_ffff } as const;

export function u8(label: string): Field {
  return numberField(label, 1);
}

export function u16(label: string): Field {
  return numberField(label, 2);
}

export function u32(label: string): Field {
  return numberField(label, 4);
}

function numberField(label: string, octets: NumberOctets): Field {
  return {
    label,
    width: octets,
    parse: (tokens, out) => {
      out.push(numberBytes(parseNumber(tokens, label, octets), octets));
    },
    read: (wire, out) => {
      out.push(wire.bytes(octets, label));
    },
    print: (wire) => String(readNumber(wire, label, octets)),
  };
}

/**
 * A number that may be written as one of `mnemonics` too. It is printed as a mnemonic only when
 * `printMnemonic` says so.
 */
export function namedNumber(
  label: string,
  octets: NumberOctets,
  mnemonics: Readonly<Record<string, number>>,
  printMnemonic: boolean,
): Field {
  const numberOf = new Map(Object.entries(mnemonics));
  const nameOf = new Map<number, string>();
  for (const [name, number] of numberOf) if (!nameOf.has(number)) nameOf.set(number, name);
  const plain = numberField(label, octets);
  return {
    ...plain,
    parse: (tokens, out) => {
      const number = numberOf.get(tokens.peek()?.text.toUpperCase() ?? '');
      if (number === undefined || tokens.peek()?.quoted === true) return plain.parse(tokens, out);
      tokens.word(label);
      out.push(numberBytes(number, octets));
    },
    print: (wire) => {
      const number = readNumber(wire, label, octets);
      return (printMnemonic ? nameOf.get(number) : undefined) ?? String(number);
    },
  };
}

function readNumber(wire: WireReader, label: string, octets: NumberOctets): number {
  if (octets === 1) return wire.u8(label);
  return octets === 2 ? wire.u16(label) : wire.u32(label);
}

/** Takes one decimal number within the range of its octets. */
function parseNumber(tokens: TokenReader, label: string, octets: NumberOctets): number {
  const text = tokens.word(label);
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= greatest[octets]) return number;
  throw tokens.refuse(label, `is a number from 0 to ${greatest[octets]}`, text);
}

export function numberBytes(number: number, octets: NumberOctets): Buffer {
  const bytes = Buffer.allocUnsafe(octets);
  bytes.writeUIntBE(number, 0, octets);
  return bytes;
}
