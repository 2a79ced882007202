/**
 * What a record type is made of: a list of fields, each of which can parse, read and print itself.
 *
 * A type's file says `rdataFormat(type, [fields])`; the functions here run the fields one after the
 * other. RDATA that come out of parse and read are canonical: uncompressed, names lower-case, no
 * other spelling of the same data. Print may trust that.
 */
import { limits } from '../../base/limits.ts';
import { printType } from '../rrtype.ts';
import { RdataError } from './error.ts';
import type { TokenReader } from './tokenreader.ts';
import { WireReader } from './wirereader.ts';

/** One part of RDATA. Canonical octets are appended to `out`. */
export interface Field {
  /** What messages call the field. */
  readonly label: string;
  /** Octets on the wire when they are always the same; 'name' for a domain name. */
  readonly width?: number | 'name';
  /** True when a message may hold the name compressed (RFC 3597 4). */
  readonly compressible?: boolean;
  parse(tokens: TokenReader, out: Buffer[]): void;
  read(wire: WireReader, out: Buffer[]): void;
  /** Text of the field; undefined when it shows as nothing (an empty list at the end). */
  print(wire: WireReader): string | undefined;
}

export interface RdataFormat {
  readonly type: number;
  readonly mnemonic: string;
  readonly fields: readonly Field[];
  /** Rules between fields, on canonical RDATA; throws RdataError. */
  readonly check?: (rdata: Buffer) => void;
  /** True for the types whose values are segments, like those of TXT (see segments.ts). */
  readonly hasSegments?: boolean;
  /**
   * True for a type whose records were stored in generic form before it had this format: a zone may
   * hold RDATA that do not fit it (see rdata.ts).
   */
  readonly isLater?: boolean;
  /**
   * False for a type that not all of BIND 9.18, Knot 3.2 and NSD 4.6 read by its mnemonic, or a test
   * of single texts that says so: exported files hold such records as `TYPEnn` in generic form. True
   * when left out.
   */
  readonly isPortable?: boolean | ((text: string) => boolean);
  /** Ways around the fields where speed matters. */
  readonly fast?: FastPath;
}

/**
 * Direct paths for the types that come by the million. They agree with the fields, only faster;
 * a parse that is undefined means: ask the fields, which know more forms and say what is wrong.
 */
interface FastPath {
  readonly parse?: (text: string, priority: number) => Buffer | undefined;
  readonly print?: (rdata: Buffer) => string | undefined;
}

/** What a type's file says besides its fields. */
type FormatExtras = Omit<RdataFormat, 'type' | 'mnemonic' | 'fields'>;

export function rdataFormat(
  type: number,
  fields: readonly Field[],
  extras: FormatExtras = {},
): RdataFormat {
  return { type, mnemonic: printType(type), fields, ...extras };
}

/** Parses all tokens by the type's fields. */
export function parseByFields(format: RdataFormat, tokens: TokenReader): Buffer {
  const parts: Buffer[] = [];
  for (const field of format.fields) field.parse(tokens, parts);
  tokens.end(format.fields.map((field) => field.label).join(', '));
  return finished(format, parts);
}

/** Reads RDATA by the type's fields into canonical form. */
export function readByFields(
  format: RdataFormat,
  message: Buffer,
  start: number,
  length: number,
): Buffer {
  const wire = new WireReader(format.mnemonic, message, start, length);
  const parts: Buffer[] = [];
  for (const field of format.fields) field.read(wire, parts);
  wire.finish();
  return finished(format, parts);
}

/** Text of canonical RDATA, fields joined by blanks; `typeText` prints the types they name. */
export function printByFields(
  format: RdataFormat,
  rdata: Buffer,
  typeText?: (type: number) => string,
): string {
  const wire = new WireReader(format.mnemonic, rdata, 0, rdata.length, typeText);
  const texts: string[] = [];
  for (const field of format.fields) {
    const text = field.print(wire);
    if (text !== undefined) texts.push(text);
  }
  wire.finish();
  return texts.join(' ');
}

/** Joins the parts into RDATA of their own memory and applies the rules between fields. */
function finished(format: RdataFormat, parts: Buffer[]): Buffer {
  const rdata = Buffer.concat(parts);
  if (rdata.length > limits.rdataOctets) throw tooLarge(format.mnemonic, rdata.length);
  format.check?.(rdata);
  return rdata;
}

export function tooLarge(mnemonic: string, octets: number): RdataError {
  return new RdataError(
    `${mnemonic} RDATA have at most ${limits.rdataOctets} octets, not ${octets}`,
  );
}

/** Octets in canonical RDATA where a compressible name starts. */
export function compressibleOffsets(format: RdataFormat, rdata: Buffer): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const field of format.fields) {
    if (field.compressible === true) offsets.push(at);
    if (field.width === undefined) break;
    at = field.width === 'name' ? nameEnd(rdata, at) : at + field.width;
  }
  return offsets;
}

/** The octet after the uncompressed name at `at`. */
function nameEnd(rdata: Buffer, at: number): number {
  let position = at;
  while (rdata[position]! > 0) position += rdata[position]! + 1;
  return position + 1;
}
