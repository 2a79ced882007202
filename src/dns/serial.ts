/**
 * Serial number arithmetic (RFC 1982) over 32 bits.
 *
 * Our own serials are plain counters (1..2147483647) that never wrap; a client's serial can be
 * anything, so comparisons between the two follow the RFC.
 */

const modulus = 0x1_0000_0000;
const farthest = 0x8000_0000;

/**
 * Compares two serials: negative when `a` is older, 0 when equal, positive when newer, undefined
 * when they are exactly 2^31 apart (RFC 1982 3.2 leaves that open).
 */
export function compareSerials(a: number, b: number): number | undefined {
  if (a === b) return 0;
  const distance = (a - b + modulus) % modulus;
  if (distance === farthest) return undefined;
  return distance < farthest ? 1 : -1;
}

/** True when `a` is newer than `b`; an undefined comparison is not newer. */
export function isNewerSerial(a: number, b: number): boolean {
  return (compareSerials(a, b) ?? 0) > 0;
}

/** The older of two serials; the first when neither is. */
export function olderSerial(a: number, b: number): number {
  return isNewerSerial(a, b) ? b : a;
}
