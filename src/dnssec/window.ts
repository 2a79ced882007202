/**
 * When a signature is valid, and until when it is used. Times in RRSIG are 32-bit seconds that wrap
 * in 2106 and are compared as serials (RFC 4034 3.1.5); inside the program they are plain seconds.
 *
 * ```
 *  inception      now                          enters the refresh window          expiration
 *  ──┼──── 1 h ────┼───────────────────────────────────────┼──────── refresh ────────┼──►
 * ```
 *
 * Expirations are spread: each RRset has its own part of (validity - refresh)/2 taken off, always
 * the same one, so that a zone signed in one go is not signed again in one go.
 */
import type { NameKey } from '../dns/name.ts';

/** What a policy says about the life of signatures, in seconds. */
export interface SignatureLife {
  readonly validitySeconds: number;
  readonly refreshSeconds: number;
}

export interface SignatureWindow {
  readonly inception: number;
  readonly expiration: number;
}

/** How far clocks of validators may be behind ours. */
const inceptionBackSeconds = 3600;

/** The window of a signature made now for the RRset of `type` at `owner`. */
export function windowFor(
  owner: NameKey,
  type: number,
  life: SignatureLife,
  nowSeconds: number,
): SignatureWindow {
  const spread = Math.floor((life.validitySeconds - life.refreshSeconds) / 2);
  const offset = spread > 0 ? mix(owner, type) % spread : 0;
  return {
    inception: nowSeconds - inceptionBackSeconds,
    expiration: nowSeconds + life.validitySeconds - offset,
  };
}

/** True while a signature may be kept: valid now, not yet to be refreshed, not longer than allowed. */
export function isFresh(
  { inception, expiration }: SignatureWindow,
  life: SignatureLife,
  nowSeconds: number,
): boolean {
  if (inception > nowSeconds || expiration > nowSeconds + life.validitySeconds) return false;
  return expiration > nowSeconds + life.refreshSeconds;
}

/** When a signature enters the refresh window, in the unit of `expiration`. */
export function refreshAt(expiration: number, life: SignatureLife): number {
  return expiration - life.refreshSeconds;
}

/** The 32 bits of a time, as RRSIG has it. */
export function wireTime(seconds: number): number {
  return seconds >>> 0;
}

/** The time near `nowSeconds` (within 68 years) whose 32 bits these are (RFC 1982 3.2). */
export function timeNear(bits: number, nowSeconds: number): number {
  return nowSeconds + ((bits - nowSeconds) | 0);
}

/** A number that looks random and is always the same for the same RRset (FNV-1a, then mixed). */
function mix(owner: NameKey, type: number): number {
  let hash = 0x811c9dc5 ^ type;
  for (let at = 0; at < owner.length; at++) {
    hash = Math.imul(hash ^ owner.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
