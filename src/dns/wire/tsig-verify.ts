/**
 * Judging a signature (RFC 8945 5.2): key, then MAC, then time, then the MAC's length.
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
  const macOver = () => key.mac([...signedParts(message, tsig), ...variables(key, tsig)]);
  return judgeSignature(tsig, key, macOver, nowSeconds);
}

/** Judges a signature, whose MAC is made when the rest of it is possible. */
export function judgeSignature(
  tsig: TsigRecord,
  key: TsigKey,
  macOver: () => Buffer,
  nowSeconds: number,
): TsigResult {
  if (tsig.name !== key.name || tsig.algorithm !== key.algorithmName) return 'BADKEY';
  const { length } = tsig.mac;
  if (length > key.macBytes || length < Math.max(minMacBytes, key.macBytes / 2)) return 'FORMERR';
  if (!timingSafeEqual(tsig.mac, macOver().subarray(0, length))) return 'BADSIG';
  // The sender says how far the clocks may be apart (RFC 8945 5.2.3), up to what is remembered of updates: what an old
  // signature is good for must not be the sender's choice alone.
  const fudgeSeconds = Math.min(tsig.fudgeSeconds, maxFudgeSeconds);
  if (Math.abs(nowSeconds - tsig.timeSigned) > fudgeSeconds) return 'BADTIME';
  return length < key.macBytes ? 'BADTRUNC' : 'ok';
}
