/**
 * Limits of what strangers can cause at will: the log lines of a minute, and the answers over UDP to one prefix.
 *
 * The latter is a /24 of IPv4 or a /56 of IPv6: who forges the address of a victim can not have more sent there. Each
 * prefix has a number of answers a second, and no more than those of one second at once.
 *
 * Prefixes share a table of fixed size by a keyed hash. So memory is bounded whatever addresses are forged, no prefix
 * is forgotten because of others, and nobody can tell which prefixes share a slot; two that do share their answers.
 *
 * Beyond the limit one of `slip` queries is answered in short: with TC, no longer than the query, or with BADCOOKIE and
 * the 16 bytes of a cookie. A client that is really there goes on over TCP, or shows its cookie; a victim gets next to
 * nothing.
 */
import { randomBytes } from 'node:crypto';
import { monotonicMs } from '../base/clock.ts';
import { writeAddress } from '../outbound/address.ts';
import { nameserverLimits } from './limits.ts';
import { SipHash, sipKeyBytes } from './siphash.ts';

const minuteMs = 60_000;

/** A number of times in one minute and no more. */
export class MinuteLimit {
  readonly #perMinute: number;
  #minute = 0;
  #taken = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** True while the minute that `atMs` lies in has a turn left. */
  take(atMs: number): boolean {
    const minute = Math.floor(atMs / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
    }
    this.#taken++;
    return this.#taken <= this.#perMinute;
  }
}

export interface RateLimitOptions {
  readonly responsesPerSecond: number;
  /** One of this many queries beyond the limit is answered in short; 0 for none. */
  readonly slip: number;
}

/** Bytes that name a prefix: the version of IP, and 3 of an IPv4 address or 7 of an IPv6 address. */
const prefixBytes = 8;

export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #now: () => number;
  readonly #sip: SipHash;
  /** The version of IP, and an address: more of it than is hashed. */
  readonly #prefix = new Uint8Array(17);
  readonly #hash = new Int32Array(2);
  /** Answers that are left, and when that was true, in milliseconds. */
  readonly #left: Float64Array;
  readonly #at: Float64Array;
  /** Queries beyond the limit since one was answered in short. */
  readonly #unanswered: Uint8Array;

  constructor(
    options: RateLimitOptions,
    now: () => number = monotonicMs,
    slots: number = nameserverLimits.limitedPrefixes,
    key: Buffer = randomBytes(sipKeyBytes),
  ) {
    this.#sip = new SipHash(key);
    this.#options = options;
    this.#now = now;
    this.#left = new Float64Array(slots).fill(options.responsesPerSecond);
    this.#at = new Float64Array(slots).fill(now());
    this.#unanswered = new Uint8Array(slots);
  }

  /** Takes one of the answers that the prefix of an address has; false when none is left. */
  take(address: string): boolean {
    const slot = this.#slotOf(address);
    const max = this.#options.responsesPerSecond;
    const now = this.#now();
    const earned = ((now - this.#at[slot]!) * max) / 1000;
    const left = Math.min(max, this.#left[slot]! + earned);
    this.#at[slot] = now;
    this.#left[slot] = left >= 1 ? left - 1 : left;
    return left >= 1;
  }

  /** Whether a query beyond the limit is one that is answered in short. */
  slips(address: string): boolean {
    const { slip } = this.#options;
    if (slip === 0) return false;
    const slot = this.#slotOf(address);
    const count = this.#unanswered[slot]! + 1;
    this.#unanswered[slot] = count >= slip ? 0 : count;
    return count >= slip;
  }

  #slotOf(address: string): number {
    const prefix = this.#prefix;
    const isIpv4 = writeAddress(address, prefix, 1) === 4;
    prefix[0] = isIpv4 ? 4 : 6;
    // The last byte is the host's.
    if (isIpv4) prefix.fill(0, 4, prefixBytes);
    this.#sip.hash(prefix, prefixBytes, this.#hash);
    return (this.#hash[0]! >>> 0) % this.#left.length;
  }
}
