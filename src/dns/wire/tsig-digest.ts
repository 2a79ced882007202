/**
 * What a MAC covers (RFC 8945 4.3): parts of octets, in their order.
 *
 * ```
 *   request           message, all variables
 *   answer            MAC of the request, message, all variables
 *   later answers     MAC before, messages since then, time and fudge
 * ```
 * The message is always as it was before the TSIG record came: its own id, and one record less.
 */
import { headerOctets, readUint16 } from './header.ts';
import type { TsigRecord, TsigTimes } from './tsig.ts';
import type { TsigKey } from './tsig-key.ts';

/** A MAC behind its length, as it opens the digest of the message after it. */
export function prefixedMac(mac: Buffer): Buffer {
  const prefixed = Buffer.allocUnsafe(2 + mac.length);
  prefixed.writeUInt16BE(mac.length, 0);
  prefixed.set(mac, 2);
  return prefixed;
}

/** Header and rest of a received message, as they were signed. */
export function signedParts(message: Buffer, tsig: TsigRecord): [header: Buffer, rest: Buffer] {
  const header = Buffer.allocUnsafe(headerOctets);
  header.set(message.subarray(0, headerOctets));
  header.writeUInt16BE(tsig.originalId, 0);
  header.writeUInt16BE(readUint16(message, 10) - 1, 10);
  return [header, message.subarray(headerOctets, tsig.offset)];
}

/** All variables (RFC 8945 4.3.3), in two parts. */
export function variables(key: TsigKey, times: TsigTimes): [constant: Buffer, changing: Buffer] {
  const { otherData } = times;
  const changing = Buffer.allocUnsafe(12 + otherData.length);
  changing.writeUIntBE(times.timeSigned, 0, 6);
  changing.writeUInt16BE(times.fudgeSeconds, 6);
  changing.writeUInt16BE(times.error, 8);
  changing.writeUInt16BE(otherData.length, 10);
  changing.set(otherData, 12);
  return [key.constantVariables, changing];
}

/** Time and fudge alone, for the messages after the first (RFC 8945 5.3.1). */
export function timers(times: Pick<TsigTimes, 'timeSigned' | 'fudgeSeconds'>): Buffer {
  const octets = Buffer.allocUnsafe(8);
  octets.writeUIntBE(times.timeSigned, 0, 6);
  octets.writeUInt16BE(times.fudgeSeconds, 6);
  return octets;
}
