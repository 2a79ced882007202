/**
 * What a MAC covers (RFC 8945 4.3): parts of bytes, in their order.
 *
 * ```
 *   request           message, all variables
 *   answer            MAC of the request, message, all variables
 *   later answers     MAC before, messages since then, time and fudge
 * ```
 * The message is always as it was before the TSIG record came: its own id, and one record less.
 *
 * Small parts are written into memory that is used again: what a function returns is good until it is called
 * the next time.
 */
import { headerOctets, readUint16 } from './header.ts';
import type { TsigRecord, TsigTimes } from './tsig.ts';
import type { TsigKey } from './tsig-key.ts';

const macLength = Buffer.alloc(2);
const originalHeader = Buffer.alloc(headerOctets);
const plainVariables = Buffer.alloc(12);

/** A MAC behind its length, in two parts, as they open the digest of the message after it. */
export function prefixedMac(mac: Buffer): [length: Buffer, mac: Buffer] {
  macLength.writeUInt16BE(mac.length, 0);
  return [macLength, mac];
}

/** Header and rest of a received message, as they were signed. */
export function signedParts(message: Buffer, tsig: TsigRecord): [header: Buffer, rest: Buffer] {
  message.copy(originalHeader, 0, 0, headerOctets);
  originalHeader.writeUInt16BE(tsig.originalId, 0);
  originalHeader.writeUInt16BE(readUint16(message, 10) - 1, 10);
  return [originalHeader, message.subarray(headerOctets, tsig.offset)];
}

/** All variables (RFC 8945 4.3.3), in two parts. */
export function variables(key: TsigKey, times: TsigTimes): [constant: Buffer, changing: Buffer] {
  const { otherData } = times;
  const { length } = otherData;
  const changing = length === 0 ? plainVariables : Buffer.allocUnsafe(12 + length);
  changing.writeUIntBE(times.timeSigned, 0, 6);
  changing.writeUInt16BE(times.fudgeSeconds, 6);
  changing.writeUInt16BE(times.error, 8);
  changing.writeUInt16BE(length, 10);
  changing.set(otherData, 12);
  return [key.constantVariables, changing];
}

/** Time and fudge alone, for the messages after the first (RFC 8945 5.3.1). */
export function timers(times: Pick<TsigTimes, 'timeSigned' | 'fudgeSeconds'>): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUIntBE(times.timeSigned, 0, 6);
  bytes.writeUInt16BE(times.fudgeSeconds, 6);
  return bytes;
}
