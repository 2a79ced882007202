/**
 * DNS requests as bytes, put together field by field so that wrong ones can be made too, and
 * answers read by dns-packet, which shares no code with the server.
 */
import dnsPacket, { type Answer, type DecodedPacket } from 'dns-packet';
import { nameToWire, parseAbsoluteName } from '../../src/dns/name.ts';
import { parseType } from '../../src/dns/rrtype.ts';

export interface RequestFields {
  readonly id?: number;
  readonly name: string;
  readonly type: string;
  readonly class?: number;
  /** The 16 bits of flags; RD by default. */
  readonly flags?: number;
  /** Header counts that say something else than what follows. */
  readonly counts?: readonly [number, number, number, number];
  /** Records of the authority section, each complete. */
  readonly authority?: readonly Buffer[];
  /** Records of the additional section, each complete. */
  readonly additional?: readonly Buffer[];
}

export const recursionDesired = 0x0100;

export function requestMessage(fields: RequestFields): Buffer {
  const { authority = [], additional = [] } = fields;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(fields.id ?? 0x1234, 0);
  header.writeUInt16BE(fields.flags ?? recursionDesired, 2);
  const counts = fields.counts ?? [1, 0, authority.length, additional.length];
  for (const [index, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * index);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(parseType(fields.type)!, 0);
  tail.writeUInt16BE(fields.class ?? 1, 2);
  return Buffer.concat([header, wireName(fields.name), tail, ...authority, ...additional]);
}

/** The name with the capitals it is written with; no escapes. */
export function wireName(name: string): Buffer {
  const wire = nameToWire(parseAbsoluteName(name));
  let at = 1;
  for (const character of name.endsWith('.') ? name.slice(0, -1) : name) {
    if (character !== '.') wire[at] = character.charCodeAt(0);
    at++;
  }
  return wire;
}

export interface OptFields {
  readonly payload?: number;
  readonly version?: number;
  readonly flags?: number;
  readonly options?: Buffer;
}

/** An OPT record (RFC 6891). */
export function optRecord(fields: OptFields = {}): Buffer {
  const { payload = 1232, version = 0, flags = 0, options = Buffer.alloc(0) } = fields;
  const head = Buffer.from([0, 0, 41, payload >> 8, payload & 255, 0, version, 0, 0, 0, 0]);
  head.writeUInt16BE(flags, 7);
  head.writeUInt16BE(options.length, 9);
  return Buffer.concat([head, options]);
}

/** A record of class IN with uncompressed owner. */
export function wireRecord(name: string, type: string, rdata: Buffer, recordClass = 1): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(parseType(type)!, 0);
  head.writeUInt16BE(recordClass, 2);
  head.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([wireName(name), head, rdata]);
}

/** The SOA an IXFR request carries: only its serial matters. */
export function ixfrSoa(name: string, serial: number, recordClass = 1): Buffer {
  const numbers = Buffer.alloc(20);
  numbers.writeUInt32BE(serial, 0);
  const rdata = Buffer.concat([Buffer.from([0, 0]), numbers]);
  return wireRecord(name, 'SOA', rdata, recordClass);
}

/** A message of an answer to AXFR, and its request, both behind their lengths. */
export function transferMessage(zone: string, request: Buffer, records: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt16BE(request.readUInt16BE(2), 2);
  head.writeUInt16BE(0x8400, 4);
  head.writeUInt16BE(1, 6);
  head.writeUInt16BE(records.length, 8);
  const question = Buffer.concat([wireName(zone), Buffer.from([0, 252, 0, 1])]);
  const framed = Buffer.concat([head, question, ...records]);
  framed.writeUInt16BE(framed.length - 2, 0);
  return framed;
}

/** What a test looks at in an answer, in dns-packet's reading. */
export interface ReadAnswer {
  readonly id: number;
  readonly rcode: string;
  readonly aa: boolean;
  readonly tc: boolean;
  readonly rd: boolean;
  readonly ra: boolean;
  readonly opcode: string;
  readonly questions: number;
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
  /** INFO-CODEs of extended errors (RFC 8914). */
  readonly extendedErrors: readonly number[];
  /** Undefined when there is no OPT record. */
  readonly opt: { payload: number; version: number; extendedRcode: number } | undefined;
  readonly bytes: number;
}

export function readAnswer(bytes: Buffer): ReadAnswer {
  const packet: DecodedPacket = dnsPacket.decode(bytes);
  const extra = (packet.additionals ?? []).filter(({ type }) => type !== 'OPT');
  const opt = (packet.additionals ?? []).find(({ type }) => type === 'OPT') as
    | { udpPayloadSize: number; ednsVersion: number; extendedRcode: number; options: RawOption[] }
    | undefined;
  return {
    id: packet.id!,
    rcode: (packet as unknown as { rcode: string }).rcode,
    aa: packet.flag_aa,
    tc: packet.flag_tc,
    rd: packet.flag_rd,
    ra: packet.flag_ra,
    opcode: (packet as unknown as { opcode: string }).opcode,
    questions: packet.questions?.length ?? 0,
    answers: (packet.answers ?? []).map(line),
    authorities: (packet.authorities ?? []).map(line),
    additionals: extra.map(line),
    extendedErrors: (opt?.options ?? [])
      .filter(({ code }) => code === 15)
      .map(({ data }) => data.readUInt16BE(0)),
    opt: opt && {
      payload: opt.udpPayloadSize,
      version: opt.ednsVersion,
      extendedRcode: opt.extendedRcode,
    },
    bytes: bytes.length,
  };
}

interface RawOption {
  readonly code: number;
  readonly data: Buffer;
}

function line(record: Answer): string {
  const { name, type } = record;
  const { ttl, data } = record as { ttl?: number; data?: unknown };
  const value = Buffer.isBuffer(data) ? data.toString('hex') : data;
  return `${name} ${ttl} ${type} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
