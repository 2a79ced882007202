/**
 * What a record type is made of: a list of fields, each of which can parse, read and print itself.
 *
 * A type is a row in one of the tables beside this file: `MX: { fields: [...] }`; the functions here run the
 * fields one after the other. RDATA that come out of parse and read are canonical: uncompressed, names
 * lower-case, no other spelling of the same data. Print may trust that.
 */
import { limits } from '../../base/limits.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { RdataError } from '../error.ts';
import type { rrtype } from '../rrtype.ts';
import type { TokenReader } from './token-reader.ts';
import { type TextStyle, WireReader } from './wire-reader.ts';

/** One part of RDATA. Canonical bytes are written behind what `out` holds. */
export interface Field {
  /** What messages call the field. */
  readonly label: string;
  /** Bytes on the wire when they are always the same; 'name' for a domain name. */
  readonly width?: number | 'name';
  /** True when a message may hold the name compressed (RFC 3597 4). */
  readonly compressible?: boolean;
  parse(tokens: TokenReader, out: ByteWriter): void;
  read(wire: WireReader, out: ByteWriter): void;
  /** Text of the field; undefined when it shows as nothing (an empty list at the end). */
  print(wire: WireReader): string | undefined;
}

/** What a table says of a type. */
export interface FormatRow {
  readonly fields: readonly Field[];
  /** Rules between fields, on canonical RDATA: why they are refused, to follow the mnemonic. */
  readonly check?: (rdata: Buffer) => string | undefined;
  /** True for the types whose values are segments, like those of TXT (see segments.ts). */
  readonly hasSegments?: boolean;
  /** True for the types whose first field is a priority, which requests hold beside the value. */
  readonly hasPriority?: boolean;
  /** True for the types whose first name is a host: answers carry its addresses along. */
  readonly namesHost?: boolean;
  /**
   * True for a type whose records were stored in generic form before it had this format, or by fewer rules: a
   * zone may hold RDATA that do not fit it (see rdata.ts).
   */
  readonly isLater?: boolean;
  /**
   * False for a type that not all of BIND 9.18, Knot 3.2 and NSD 4.6 read by its mnemonic, or a test
   * of single texts that says so: exported files hold such records as `TYPEnn` in generic form. True
   * when left out.
   */
  readonly isPortable?: boolean | ((text: string) => boolean);
}

export type FormatRows = { readonly [Mnemonic in keyof typeof rrtype]?: FormatRow };

export interface RdataFormat extends FormatRow {
  readonly type: number;
  readonly mnemonic: string;
}

/** What most types have in common that came after the generic form. */
export const laterAndUnportable = { isLater: true, isPortable: false } as const;

/** Where fields write; the RDATA are copied out of it before anything else is read. */
const output = new ByteWriter(4096);

/**
 * Parses all tokens by the type's fields. A `priority` stands for the first of them, which the tokens then
 * do not have.
 */
export function parseByFields(format: RdataFormat, tokens: TokenReader, priority?: number): Buffer {
  output.length = 0;
  const { fields } = format;
  if (priority !== undefined) {
    output.room(2).writeUInt16BE(priority, 0);
    output.length = 2;
  }
  for (let index = priority === undefined ? 0 : 1; index < fields.length; index++) {
    fields[index]!.parse(tokens, output);
  }
  tokens.finish(() => fields.map((field) => field.label).join(', '));
  return finished(format);
}

/** Reads RDATA by the type's fields into canonical form. */
export function readByFields(
  format: RdataFormat,
  message: Buffer,
  start: number,
  length: number,
): Buffer {
  const wire = new WireReader(format.mnemonic, message, start, length);
  output.length = 0;
  for (const field of format.fields) field.read(wire, output);
  wire.finish();
  return finished(format);
}

/** Text of canonical RDATA, fields joined by blanks. */
export function printByFields(format: RdataFormat, rdata: Buffer, style?: TextStyle): string {
  const wire = new WireReader(format.mnemonic, rdata, 0, rdata.length, style);
  let all = '';
  for (const field of format.fields) {
    const text = field.print(wire);
    if (text !== undefined) all = all === '' ? text : `${all} ${text}`;
  }
  wire.finish();
  return all;
}

/** Up to here a loop is faster than a call into the runtime. */
const shortCopyBytes = 32;

/** What the fields wrote as RDATA of their own memory, after the rules between fields. */
function finished(format: RdataFormat): Buffer {
  const { length } = output;
  if (length > limits.rdataBytes) throw tooLarge(format.mnemonic, length);
  const rdata = Buffer.allocUnsafe(length);
  const { buffer } = output;
  if (length > shortCopyBytes) buffer.copy(rdata, 0, 0, length);
  else for (let at = 0; at < length; at++) rdata[at] = buffer[at]!;
  const problem = format.check?.(rdata);
  if (problem !== undefined) throw new RdataError(`${format.mnemonic} ${problem}`);
  return rdata;
}

export function tooLarge(mnemonic: string, bytes: number): RdataError {
  return new RdataError(`${mnemonic} RDATA have at most ${limits.rdataBytes} bytes, not ${bytes}`);
}

/** The offset of the first name in RDATA of a type, which has only numbers before it. */
export function firstNameOffset({ fields }: RdataFormat): number {
  let offset = 0;
  for (const { width } of fields) {
    if (width === 'name') break;
    offset += width ?? 0;
  }
  return offset;
}

/** Offsets in canonical RDATA where a compressible name starts. */
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

/** The index behind the uncompressed name at `at`. */
function nameEnd(rdata: Buffer, at: number): number {
  let end = at;
  while (rdata[end]! > 0) end += rdata[end]! + 1;
  return end + 1;
}
