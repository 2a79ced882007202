/**
 * Addresses of networks that came before or beside the Internet: NSAP (RFC 1706 6), ATM (ATM Forum
 * af-saa-0069, "ATM Name System" 5) and the nodes of the bundle protocol.
 */
import type { Field } from '../format.ts';
import { parseHex, printHex } from './binary.ts';
import { fixedField, restField } from './form.ts';

/** Bytes of an NSAP address: `0x`, then hex in which periods may stand for legibility. */
export function nsapAddress(label: string): Field {
  return restField(label, {
    rule: 'is 0x and hex digits',
    isOneWord: true,
    parse: (text) => (/^0x/i.test(text) ? parseDottedHex(text.slice(2)) : undefined),
    print: (bytes) => `0x${printHex(bytes)}`,
  });
}

const endSystemFormat = 0;
const telephoneFormat = 1;

/** A byte for the format, then an end system address in hex, or `+` and the digits of E.164. */
export function atmAddress(label: string): Field {
  const address = restField(label, {
    rule: 'is hex digits, or + and a telephone number',
    isOneWord: true,
    parse: parseAtm,
    print: (bytes) =>
      bytes[0] === telephoneFormat ? `+${bytes.latin1Slice(1)}` : printHex(bytes.subarray(1)),
  });
  return {
    ...address,
    read: (wire, out) => {
      const start = out.length;
      address.read(wire, out);
      const format = out.buffer[start];
      const rest = out.buffer.latin1Slice(start + 1, out.length);
      const isNumber = format === telephoneFormat && /^\d+$/.test(rest);
      if (isNumber || (format === endSystemFormat && rest !== '')) return;
      throw wire.refuse(label, 'is no address of format 0 or 1');
    },
  };
}

function parseAtm(text: string): Buffer | undefined {
  const number = /^\+(\d[\d.]*)$/.exec(text)?.[1]?.replaceAll('.', '');
  if (number !== undefined) return Buffer.from(String.fromCharCode(telephoneFormat) + number);
  const bytes = parseDottedHex(text);
  return bytes && Buffer.concat([Buffer.of(endSystemFormat), bytes]);
}

/** Bytes of hex digits with periods between them; undefined when it is none. */
function parseDottedHex(text: string): Buffer | undefined {
  if (!/^[0-9a-f]/i.test(text)) return undefined;
  return parseHex(text.replaceAll('.', ''));
}

const maxLowNumber = 0xffff_ffffn;
const maxNumber = 0xffff_ffff_ffff_ffffn;

/**
 * The node number of IPN, 64 bits (draft-johnson-dns-ipn-cla-07 3.1): one decimal number, or on input two
 * numbers of 32 bits with a period between them. Refused: leading zeros.
 */
export function nodeNumber(label: string): Field {
  return fixedField(label, 8, {
    rule: 'is a number of 64 bits, or two of 32 bits like 977.0',
    parse: (text) => {
      const number = parseNode(text);
      if (number === undefined) return undefined;
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeBigUInt64BE(number);
      return bytes;
    },
    print: (bytes) => String(bytes.readBigUInt64BE()),
  });
}

function parseNode(text: string): bigint | undefined {
  const parts = /^(0|[1-9]\d{0,19})(?:\.(0|[1-9]\d{0,19}))?$/.exec(text);
  if (parts === null) return undefined;
  const first = BigInt(parts[1]!);
  if (parts[2] === undefined) return first <= maxNumber ? first : undefined;
  const second = BigInt(parts[2]);
  return first <= maxLowNumber && second <= maxLowNumber ? (first << 32n) | second : undefined;
}
