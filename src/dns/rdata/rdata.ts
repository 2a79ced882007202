/**
 * Record data: text to canonical wire form and back, for every type (RFC 1035 3.3 and 5.1, RFC
 * 3597, and each type's RFC in its own file).
 *
 * Canonical RDATA are uncompressed, with names in lower-case, in the one spelling the type has for
 * its data. The only error thrown is RdataError.
 */
import { limits } from '../../base/limits.ts';
import { keyFromWire, type NameKey } from '../name.ts';
import { printType, rrtype } from '../rrtype.ts';
import type { Token } from '../zonefile/tokens.ts';
import { RdataError } from './error.ts';
import {
  compressibleOffsets,
  parseByFields,
  printByFields,
  type RdataFormat,
  readByFields,
  tooLarge,
} from './format.ts';
import { rdataFormatOf } from './formats.ts';
import { isGenericForm, parseGeneric, printGeneric } from './generic.ts';
import { TokenReader, valueTokens } from './tokenreader.ts';
import { parseTxtValue, showTxtValue } from './txtvalue.ts';

export { RdataError } from './error.ts';

/** A value in requests and answers: one string, or the segments of a TXT record. */
export type RecordValue = string | string[];

/** The priority of an MX or SRV record that was given none. */
const defaultPriority = 10;

/** True for the types whose value leaves out the priority. */
function hasPriority(type: number): boolean {
  return type === rrtype.MX || type === rrtype.SRV;
}

/** A value with its priority beside it, as requests have it, to canonical RDATA. */
export function parseRdata(type: number, value: RecordValue, priority?: number | null): Buffer {
  if (priority !== undefined && priority !== null) checkPriority(type, priority);
  if (type === rrtype.TXT) {
    const rdata = parseTxtValue(value);
    if (rdata.length > limits.rdataOctets) throw tooLarge(printType(type), rdata.length);
    return rdata;
  }
  if (typeof value !== 'string') {
    throw new RdataError(`an array of segments belongs to TXT, not to ${printType(type)}`);
  }
  const fast = rdataFormatOf(type)?.fast?.parse?.(value, priority ?? defaultPriority);
  if (fast !== undefined) return fast;
  const tokens = valueTokens(printType(type), value);
  if (!hasPriority(type)) return parseRdataTokens(type, tokens);
  return parseWithPriority(type, tokens, priority ?? undefined);
}

/** Refuses a priority that the type does not take, or that is out of its range. */
export function checkPriority(type: number, priority: number): void {
  if (!hasPriority(type)) throw new RdataError('a priority belongs to MX and SRV only');
  if (!Number.isInteger(priority) || priority < 0 || priority > 65_535) {
    throw new RdataError(`a priority is a number from 0 to 65535, not ${priority}`);
  }
}

/** MX and SRV: the priority goes before the value; the generic form has its own inside. */
function parseWithPriority(type: number, tokens: Token[], priority?: number): Buffer {
  if (isGenericForm(tokens)) {
    const rdata = parseRdataTokens(type, tokens);
    if (priority !== undefined && rdata.readUInt16BE(0) !== priority) {
      throw new RdataError(`the generic form has another priority than ${priority} inside`);
    }
    return rdata;
  }
  const format = rdataFormatOf(type)!;
  if (tokens.length === format.fields.length && /^\d+$/.test(tokens[0]!.text)) {
    throw new RdataError(
      `${format.mnemonic} priority belongs in the priority field, not in the value`,
    );
  }
  const text = String(priority ?? defaultPriority);
  return parseRdataTokens(type, [{ text, quoted: false, joined: false }, ...tokens]);
}

/** Full presentation, priority inside, as in a zone file. Without an origin names are absolute. */
export function parseRdataText(type: number, text: string, origin?: NameKey): Buffer {
  return parseRdataTokens(type, valueTokens(printType(type), text), origin);
}

/** As parseRdataText, for a reader that has the tokens already. */
function parseRdataTokens(type: number, tokens: readonly Token[], origin?: NameKey): Buffer {
  const format = rdataFormatOf(type);
  const mnemonic = format?.mnemonic ?? printType(type);
  if (isGenericForm(tokens)) {
    const octets = parseGeneric(mnemonic, tokens);
    return format === undefined ? octets : nativeFromGeneric(format, octets);
  }
  if (format === undefined) {
    throw new RdataError(`a value of type ${mnemonic} is written \\# length hex (RFC 3597)`);
  }
  return parseByFields(format, new TokenReader(mnemonic, tokens, origin));
}

/** A known type in generic form is the same record as in its own, so it obeys the same rules. */
function nativeFromGeneric(format: RdataFormat, octets: Buffer): Buffer {
  const rdata = readRdata(format.type, octets, 0, octets.length);
  if (rdata.length !== octets.length) {
    throw new RdataError(`names in the generic form of ${format.mnemonic} are not compressed`);
  }
  return rdata;
}

/** The value as answers show it, with the priority of MX and SRV beside it. */
export function showRdata(
  type: number,
  rdata: Buffer,
): { value: RecordValue; priority: number | null } {
  if (type === rrtype.TXT) return { value: showTxtValue(rdata), priority: null };
  const text = printRdata(type, rdata);
  if (!hasPriority(type)) return { value: text, priority: null };
  return { value: text.slice(text.indexOf(' ') + 1), priority: rdata.readUInt16BE(0) };
}

/** Full presentation of canonical RDATA, as in a zone file. */
export function printRdata(type: number, rdata: Buffer): string {
  const format = rdataFormatOf(type);
  if (format === undefined) return printGeneric(rdata);
  return format.fast?.print?.(rdata) ?? printByFields(format, rdata);
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

/** The name that canonical RDATA of NS, CNAME, PTR or DNAME consist of. */
export function targetOf(type: number, rdata: Buffer): NameKey {
  return keyFromWire(rdata, targetOffset.get(type) ?? 0);
}

/** Where the host stands in types whose addresses are worth sending along. */
const targetOffset = new Map<number, number>([
  [rrtype.NS, 0],
  [rrtype.MX, 2],
  [rrtype.SRV, 6],
  [rrtype.SVCB, 2],
  [rrtype.HTTPS, 2],
]);

/** Hosts whose addresses an answer may carry along (RFC 1034 4.3.2, RFC 9460 4.1), not the root. */
export function additionalNames(type: number, rdata: Buffer): NameKey[] {
  const offset = targetOffset.get(type);
  if (offset === undefined || rdata[offset] === 0) return [];
  return [keyFromWire(rdata, offset)];
}
