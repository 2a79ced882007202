/**
 * Record data: text to canonical wire form and back, for every type (RFC 1035 3.3 and 5.1, RFC
 * 3597, and each type's RFC in its own file).
 *
 * Canonical RDATA are uncompressed, with names in lower-case, in the one spelling the type has for
 * its data. The only error thrown is RdataError, and only by what reads: printing never fails.
 *
 * RDATA that were stored before their type had a format may not fit it. They are printed in generic
 * form, and parseStoredText takes them back byte by byte; every other reader refuses them, because
 * servers that know the type refuse a zone that has such a record.
 */
import { limits } from '../../base/limits.ts';
import { RdataError } from '../error.ts';
import { keyFromWire, type NameKey } from '../name.ts';
import { printType } from '../rrtype.ts';
import { parseHex, printHex } from './fields/binary.ts';
import {
  compressibleOffsets,
  firstNameOffset,
  parseByFields,
  printByFields,
  type RdataFormat,
  readByFields,
  tooLarge,
} from './format.ts';
import { rdataFormatOf } from './formats.ts';
import { looksGeneric, parseSegments, showSegments } from './segments.ts';
import { originOf, type TokenReader, valueTokens } from './token-reader.ts';
import type { TextStyle } from './wire-reader.ts';

export { RdataError } from '../error.ts';

/** A value in requests and answers: one string, or the segments of a TXT record and of its like. */
export type RecordValue = string | string[];

/** The priority of an MX or SRV record that was given none. */
const defaultPriority = 10;

/** True for the types whose value leaves out the priority. */
export function hasPriority(type: number): boolean {
  return rdataFormatOf(type)?.hasPriority === true;
}

/** A value with its priority beside it, as requests have it, to canonical RDATA. */
export function parseRdata(type: number, value: RecordValue, priority?: number | null): Buffer {
  if (priority !== undefined && priority !== null) checkPriority(type, priority);
  const format = rdataFormatOf(type);
  if (format?.hasSegments === true && !(typeof value === 'string' && looksGeneric(format, value))) {
    const rdata = parseSegments(format, value);
    if (rdata.length > limits.rdataBytes) throw tooLarge(format.mnemonic, rdata.length);
    return rdata;
  }
  const mnemonic = format?.mnemonic ?? printType(type);
  if (typeof value !== 'string') {
    throw new RdataError(`an array of segments belongs to TXT and its like, not to ${mnemonic}`);
  }
  const tokens = valueTokens(mnemonic, value);
  if (format?.hasPriority !== true) return parseTokens(type, tokens);
  return parseWithPriority(format, tokens, priority ?? undefined);
}

/** Refuses a priority that the type does not take, or that is out of its range. */
export function checkPriority(type: number, priority: number): void {
  if (!hasPriority(type)) throw new RdataError('a priority belongs to MX and SRV only');
  if (!Number.isInteger(priority) || priority < 0 || priority > 65_535) {
    throw new RdataError(`a priority is a number from 0 to 65535, not ${priority}`);
  }
}

/** MX and SRV: the priority goes before the value; the generic form has its own inside. */
function parseWithPriority(format: RdataFormat, tokens: TokenReader, priority?: number): Buffer {
  if (tokens.isGenericForm) {
    const rdata = parseTokens(format.type, tokens);
    if (priority !== undefined && rdata.readUInt16BE(0) !== priority) {
      throw new RdataError(`the generic form has another priority than ${priority} inside`);
    }
    return rdata;
  }
  if (tokens.tokens.count === format.fields.length && /^\d+$/.test(tokens.peekWord() ?? '')) {
    throw new RdataError(
      `${format.mnemonic} priority belongs in the priority field, not in the value`,
    );
  }
  return parseByFields(format, tokens, priority ?? defaultPriority);
}

/** Full presentation, priority inside, as in a zone file. Without an origin names are absolute. */
export function parseRdataText(type: number, text: string, origin?: NameKey): Buffer {
  return parseTokens(type, textTokens(type, text, origin));
}

function textTokens(type: number, text: string, origin: NameKey | undefined): TokenReader {
  return valueTokens(printType(type), text, origin === undefined ? undefined : originOf(origin));
}

/** As parseRdataText, for tokens, whose reader stands before the first of the RDATA. */
export function parseTokens(type: number, tokens: TokenReader): Buffer {
  const format = rdataFormatOf(type);
  if (!tokens.isGenericForm) {
    if (format !== undefined) return parseByFields(format, tokens);
    throw new RdataError(`a value of type ${tokens.mnemonic} is written \\# length hex (RFC 3597)`);
  }
  const bytes = parseGeneric(tokens);
  return format === undefined ? bytes : nativeFromGeneric(format, bytes);
}

/** A known type in generic form is the same record as in its own, so it obeys the same rules. */
function nativeFromGeneric(format: RdataFormat, bytes: Buffer): Buffer {
  const rdata = readRdata(format.type, bytes, 0, bytes.length);
  if (rdata.length !== bytes.length) {
    throw new RdataError(
      `the generic form of ${format.mnemonic} has ${rdata.length} bytes, not ${bytes.length}: ` +
        'names are not compressed, bitmaps do not end in zeros',
    );
  }
  return rdata;
}

/**
 * As parseRdataText, for text that we printed: `\# length hex` of a type that was stored so before it
 * had a format is taken as it is when it does not fit the format.
 */
export function parseStoredText(type: number, text: string, origin?: NameKey): Buffer {
  return parseStoredTokens(type, textTokens(type, text, origin));
}

/** As parseStoredText, for tokens. */
export function parseStoredTokens(type: number, tokens: TokenReader): Buffer {
  const { next, isGenericForm } = tokens;
  try {
    return parseTokens(type, tokens);
  } catch (error) {
    if (rdataFormatOf(type)?.isLater !== true || !isGenericForm) throw error;
    tokens.next = next;
    return parseGeneric(tokens);
  }
}

/** As parseRdata, for values that are compared with stored ones: see parseStoredText. */
export function parseStoredRdata(
  type: number,
  value: RecordValue,
  priority?: number | null,
): Buffer {
  try {
    return parseRdata(type, value, priority);
  } catch (error) {
    if (typeof value !== 'string' || rdataFormatOf(type)?.isLater !== true) throw error;
    return parseStoredText(type, value);
  }
}

/** The value as answers show it, with the priority of MX and SRV beside it. */
export function showRdata(
  type: number,
  rdata: Buffer,
): { value: RecordValue; priority: number | null } {
  const format = rdataFormatOf(type);
  const segments = format?.hasSegments === true ? showSegments(format, rdata) : undefined;
  if (segments !== undefined) return { value: segments, priority: null };
  const text = printRdata(type, rdata);
  if (format?.hasPriority !== true || text.startsWith('\\#'))
    return { value: text, priority: null };
  return { value: text.slice(text.indexOf(' ') + 1), priority: rdata.readUInt16BE(0) };
}

/** Full presentation of RDATA, as in a zone file; in generic form when they do not fit their type. */
export function printRdata(type: number, rdata: Buffer): string {
  return printNative(type, rdata) ?? printGeneric(rdata);
}

/**
 * Type and RDATA in a form that BIND 9.18, Knot 3.2 and NSD 4.6 all read: what one of them does not know
 * by name is written as `TYPEnn` and in generic form (RFC 3597 5).
 */
export function printPortable(type: number, rdata: Buffer): string {
  const { isPortable = true } = rdataFormatOf(type) ?? { isPortable: false };
  const text = isPortable === false ? undefined : printNative(type, rdata, portableStyle);
  if (text === undefined || (typeof isPortable === 'function' && !isPortable(text))) {
    return `TYPE${type}\t${printGeneric(rdata)}`;
  }
  return `${printType(type)}\t${text}`;
}

const portableStyle: TextStyle = {
  typeText: (type) =>
    (rdataFormatOf(type)?.isPortable ?? rdataFormatOf(type) !== undefined) === false
      ? `TYPE${type}`
      : printType(type),
  isPortable: true,
};

/** Text by the format of the type; undefined when there is none or the RDATA do not fit it. */
function printNative(type: number, rdata: Buffer, style?: TextStyle): string | undefined {
  const format = rdataFormatOf(type);
  if (format === undefined || !fits(format, rdata)) return undefined;
  try {
    return printByFields(format, rdata, style);
  } catch {
    // Whatever is stored can be looked at: nothing a printer says is worth more than that.
    return undefined;
  }
}

/** False for RDATA that were stored in generic form before their type had a format which they do not fit. */
export function fitsFormat(type: number, rdata: Buffer): boolean {
  const format = rdataFormatOf(type);
  return format === undefined || fits(format, rdata);
}

/** False when RDATA of a type that came later are not what the type's format would have stored. */
function fits(format: RdataFormat, rdata: Buffer): boolean {
  if (format.isLater !== true) return true;
  try {
    return readByFields(format, rdata, 0, rdata.length).equals(rdata);
  } catch {
    return false;
  }
}

/** RDATA inside a message, names maybe compressed, to canonical RDATA of its own memory. */
export function readRdata(type: number, message: Buffer, start: number, length: number): Buffer {
  const format = rdataFormatOf(type);
  if (format !== undefined) return readByFields(format, message, start, length);
  if (start < 0 || length < 0 || start + length > message.length) {
    throw new RdataError(`${printType(type)} RDATA end outside the message`);
  }
  return Buffer.from(message.subarray(start, start + length));
}

/** Offsets in canonical RDATA where a name starts that may be compressed (RFC 3597 4). */
export function compressibleNames(type: number, rdata: Buffer): number[] {
  const format = rdataFormatOf(type);
  return format === undefined ? [] : compressibleOffsets(format, rdata);
}

/** Hosts whose addresses an answer may carry along (RFC 1034 4.3.2, RFC 9460 4.1), not the root. */
export function additionalNames(type: number, rdata: Buffer): NameKey[] {
  const format = rdataFormatOf(type);
  if (format?.namesHost !== true) return [];
  const offset = firstNameOffset(format);
  return rdata[offset] === 0 ? [] : [keyFromWire(rdata, offset)];
}

/**
 * The bytes of tokens in generic form (RFC 3597 5): `\# length hex`. Refused: a length that is not that of the hex,
 * odd hex. Quoted "\#" is ordinary text.
 */
function parseGeneric(tokens: TokenReader): Buffer {
  tokens.takeWord('\\#');
  const lengthText = tokens.word('length after \\#');
  if (!/^\d{1,5}$/.test(lengthText)) {
    throw tokens.refuse('length after \\#', 'is a number from 0 to 65535', lengthText);
  }
  const hex = tokens.hasMore ? tokens.restJoined('hex') : '';
  const rdata = parseHex(hex);
  if (rdata === undefined) {
    throw tokens.refuse('data after \\#', 'are an even number of hex digits', hex);
  }
  if (rdata.length > limits.rdataBytes) throw tooLarge(tokens.mnemonic, rdata.length);
  if (rdata.length !== Number(lengthText)) {
    throw tokens.refuse('length after \\#', `is that of the data, ${rdata.length}`, lengthText);
  }
  return rdata;
}

function printGeneric(rdata: Buffer): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${printHex(rdata)}`;
}
