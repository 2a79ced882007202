/**
 * Fields that are unsigned numbers in network order, some with mnemonics for certain values.
 */
import type { ByteWriter } from '../../../base/byte-writer.ts';
import { lowerAscii } from '../../name.ts';
import type { Field } from '../format.ts';
import type { WireReader } from '../wire-reader.ts';

type NumberWidth = 1 | 2 | 4;

const maxNumber = { 1: 0xff, 2: 0xffff, 4: 0xffff_ffff } as const;

export function u8(label: string): Field {
  return numberField(label, 1);
}

export function u16(label: string): Field {
  return numberField(label, 2);
}

export function u32(label: string): Field {
  return numberField(label, 4);
}

function numberField(label: string, width: NumberWidth): Field {
  const max = maxNumber[width];
  return {
    label,
    width,
    parse: (tokens, out) => writeNumber(tokens.number(label, max), width, out),
    read: (wire, out) => wire.copy(width, label, out),
    print: (wire) => String(readNumber(wire, label, width)),
  };
}

/**
 * A number that may be written as one of `mnemonics` too, in any case. It is printed as a mnemonic only when
 * `printMnemonic` says so, and never for other servers.
 */
export function namedNumber(
  label: string,
  width: NumberWidth,
  mnemonics: Readonly<Record<string, number>>,
  printMnemonic: boolean,
): Field {
  const numberOf = new Map<string, number>();
  const nameOf = new Map<number, string>();
  for (const [name, number] of Object.entries(mnemonics)) {
    numberOf.set(lowerAscii(name), number);
    if (!nameOf.has(number)) nameOf.set(number, name);
  }
  const digits = numberField(label, width);
  return {
    ...digits,
    parse: (tokens, out) => {
      const number = numberOf.get(lowerAscii(tokens.peekWord() ?? ''));
      if (number === undefined) return digits.parse(tokens, out);
      tokens.take(label);
      writeNumber(number, width, out);
    },
    print: (wire) => {
      const number = readNumber(wire, label, width);
      const isNamed = printMnemonic && !wire.style.isPortable;
      return (isNamed ? nameOf.get(number) : undefined) ?? String(number);
    },
  };
}

function readNumber(wire: WireReader, label: string, width: NumberWidth): number {
  if (width === 1) return wire.u8(label);
  return width === 2 ? wire.u16(label) : wire.u32(label);
}

/** Writes the low bytes of a number in network order. */
export function writeNumber(number: number, width: number, out: ByteWriter): void {
  const room = out.room(width);
  for (let shift = (width - 1) * 8; shift >= 0; shift -= 8) room[out.length++] = number >>> shift;
}
