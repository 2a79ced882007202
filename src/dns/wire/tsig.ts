/**
 * The TSIG record (RFC 8945 4.2): reading and writing it; what it is good for is in tsig-sign.ts,
 * tsig-verify.ts and tsig-exchange.ts.
 *
 * Refused with a WireError, which listeners answer with FORMERR (RFC 8945 5.1): a TSIG that is not the
 * last record of the additional section, a second one, a class besides ANY, a TTL besides 0, a
 * compressed algorithm name, and RDATA whose lengths do not add up.
 */
import { WireError } from '../error.ts';
import type { NameKey } from '../name.ts';
import { rrtype } from '../rrtype.ts';
import { decodeWithoutRdata } from './decode.ts';
import { rcode, rcodeName, readUint16, recordClass } from './header.ts';
import type { ReceivedTsig } from './message.ts';
import { readName } from './name.ts';

/** Seconds that clocks may be apart, as the RFC recommends (RFC 8945 10). */
export const defaultFudgeSeconds = 300;

/** The maximum of seconds of difference that a sender can allow; longer ones count as these. */
export const maxFudgeSeconds = 3600;

/** What a TSIG record says, and the byte at which it starts: the MAC covers what is before. */
export interface TsigRecord {
  readonly name: NameKey;
  readonly algorithm: NameKey;
  /** Seconds since 1970, 48 bits. */
  readonly timeSigned: number;
  readonly fudgeSeconds: number;
  readonly mac: Buffer;
  readonly originalId: number;
  readonly error: number;
  readonly otherData: Buffer;
  readonly offset: number;
}

/** The names in a TSIG record, in wire form. */
export interface TsigNames {
  readonly nameWire: Buffer;
  readonly algorithmWire: Buffer;
}

/** The variables of a TSIG record that change from one signature to the next. */
export type TsigTimes = Pick<TsigRecord, 'timeSigned' | 'fudgeSeconds' | 'error' | 'otherData'>;

const recordHeadBytes = 10;
/** Time signed and fudge before the MAC's length; original id, error and other length after it. */
const timersBytes = 8;
const afterMacBytes = 6;
const additionalCountOffset = 10;

export const noBytes = Buffer.alloc(0);

/** The name of a TSIG error; 16 means BADSIG here, unlike in a header. */
export function tsigErrorName(error: number): string {
  return error === rcode.BADSIG ? 'BADSIG' : rcodeName(error);
}

/** Reads the RDATA of a TSIG record that the decoder found. */
export function parseTsig(received: ReceivedTsig): TsigRecord {
  const { name, rdata, offset } = received;
  // Inside the RDATA alone no pointer leads anywhere, so a compressed name is refused.
  const { name: algorithm, next } = readName(rdata, 0);
  const macAt = next + timersBytes + 2;
  if (macAt > rdata.length) throw new WireError('a TSIG record has no room for its MAC');
  const macEnd = macAt + readUint16(rdata, macAt - 2);
  const otherAt = macEnd + afterMacBytes;
  if (otherAt > rdata.length) throw new WireError('a TSIG record is shorter than its MAC');
  if (otherAt + readUint16(rdata, otherAt - 2) !== rdata.length) {
    throw new WireError('the lengths in a TSIG record do not add up');
  }
  return {
    name,
    algorithm,
    timeSigned: rdata.readUIntBE(next, 6),
    fudgeSeconds: readUint16(rdata, next + 6),
    mac: rdata.subarray(macAt, macEnd),
    originalId: readUint16(rdata, macEnd),
    error: readUint16(rdata, macEnd + 2),
    otherData: rdata.subarray(otherAt),
    offset,
  };
}

/** The TSIG record of a message, if it has one. Throws WireError for what is no message. */
export function findTsig(message: Buffer): TsigRecord | undefined {
  const { tsig } = decodeWithoutRdata(message);
  return tsig === undefined ? undefined : parseTsig(tsig);
}

/** Bytes of a TSIG record with these lengths, its names uncompressed. */
export function tsigBytes(names: TsigNames, macBytes: number, otherBytes: number): number {
  const lengths = timersBytes + 2 + macBytes + afterMacBytes + otherBytes;
  return names.nameWire.length + recordHeadBytes + names.algorithmWire.length + lengths;
}

/**
 * Writes the record behind the first `length` bytes of `message`, which has room for it, and
 * counts it; the message's id becomes the original id. Returns the length with it.
 */
export function writeTsig(
  message: Buffer,
  length: number,
  { nameWire, algorithmWire }: TsigNames,
  { timeSigned, fudgeSeconds, error, otherData }: TsigTimes,
  mac: Buffer,
): number {
  const count = readUint16(message, additionalCountOffset) + 1;
  message.writeUInt16BE(count, additionalCountOffset);
  message.set(nameWire, length);
  let at = length + nameWire.length;
  at = message.writeUInt16BE(rrtype.TSIG, at);
  at = message.writeUInt16BE(recordClass.ANY, at);
  at = message.writeUInt32BE(0, at);
  const rdataAt = at + 2;
  message.set(algorithmWire, rdataAt);
  at = message.writeUIntBE(timeSigned, rdataAt + algorithmWire.length, 6);
  at = message.writeUInt16BE(fudgeSeconds, at);
  at = message.writeUInt16BE(mac.length, at);
  message.set(mac, at);
  at = message.writeUInt16BE(readUint16(message, 0), at + mac.length);
  at = message.writeUInt16BE(error, at);
  at = message.writeUInt16BE(otherData.length, at);
  message.set(otherData, at);
  at += otherData.length;
  message.writeUInt16BE(at - rdataAt, rdataAt - 2);
  return at;
}
