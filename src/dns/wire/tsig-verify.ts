/**
 * Verifying a signed request (RFC 8945 5.2): key, then MAC, then time, then the MAC's length.
 *
 * MACs are compared in constant time. A truncated MAC has to be right as far as it goes, and is
 * refused all the same: no client of today sends one (RFC 8945 5.2.4).
 */
import { timingSafeEqual } from 'node:crypto';
import { rcode } from './header.ts';
import { maxFudgeSeconds, type TsigRecord } from './tsig.ts';
import { signedParts, variables, type TsigKey } from './tsig-key.ts';

/** The least bytes of a truncated MAC, if that is more than half of it (RFC 8945 5.2.2.1). */
const minMacBytes = 10;

/** Nothing, or what is wrong; FORMERR is about the message, the others stand in its TSIG. */
export type TsigResult = 'ok' | 'FORMERR' | 'BADKEY' | 'BADSIG' | 'BADTIME' | 'BADTRUNC';

/** Where TSIG carries an error, its number. */
export const tsigErrorCode = {
  BADKEY: rcode.BADKEY,
  BADSIG: rcode.BADSIG,
  BADTIME: rcode.BADTIME,
  BADTRUNC: rcode.BADTRUNC,
} as const;

/** Judges the signature of a request; `tsig` was found in `message`. */
export function verifyRequest(
  message: Buffer,
  tsig: TsigRecord,
  key: TsigKey,
  nowSeconds: number,
): TsigResult {
  if (!isSignedWith(tsig, key)) return 'BADKEY';
  if (!hasPossibleMac(tsig, key)) return 'FORMERR';
  const mac = key.mac([...signedParts(message, tsig), ...variables(key, tsig)]);
  if (!macMatches(tsig.mac, mac)) return 'BADSIG';
  if (!isInTime(tsig, nowSeconds)) return 'BADTIME';
  return tsig.mac.length < key.macBytes ? 'BADTRUNC' : 'ok';
}

export function isSignedWith(tsig: TsigRecord, key: TsigKey): boolean {
  return tsig.name === key.name && tsig.algorithm === key.algorithmName;
}

/** False for a MAC of a length that nobody may send (RFC 8945 5.2.2.1). */
export function hasPossibleMac(tsig: TsigRecord, key: TsigKey): boolean {
  const { length } = tsig.mac;
  return length <= key.macBytes && length >= Math.max(minMacBytes, key.macBytes / 2);
}

/** True when `received` is the whole of `mac`, or its beginning. */
export function macMatches(received: Buffer, mac: Buffer): boolean {
  return timingSafeEqual(received, mac.subarray(0, received.length));
}

/**
 * The sender says how far the clocks may be apart (RFC 8945 5.2.3), up to what is remembered of updates: what an old
 * signature is good for must not be the sender's choice alone.
 */
export function isInTime(tsig: TsigRecord, nowSeconds: number): boolean {
  const fudgeSeconds = Math.min(tsig.fudgeSeconds, maxFudgeSeconds);
  return Math.abs(nowSeconds - tsig.timeSigned) <= fudgeSeconds;
}
