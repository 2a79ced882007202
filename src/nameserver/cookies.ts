/**
 * DNS cookies (RFC 7873) with server cookies of version 1 (RFC 9018): a client that shows the cookie it was given
 * receives what is sent to its address, so nobody else writes in its name.
 *
 * ```
 *   version 1 | reserved, 3 bytes | seconds, 4 bytes | SipHash-2-4 of client cookie, all that, address of the client
 * ```
 * The secret is drawn when the service starts and again each day; what was made with the former one is good for as
 * long as cookies are. Nothing is kept for a client.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { writeAddress } from '../outbound/address.ts';
import { SipHash, sipKeyBytes } from './siphash.ts';

/** What the COOKIE option of a request says. */
export type CookieState = 'malformed' | 'new' | 'wrong' | 'valid';

export interface JudgedCookie {
  readonly state: CookieState;
  /** The COOKIE option of the answer; empty for one that is malformed. */
  readonly answer: Buffer;
}

const clientBytes = 8;
const serverBytes = 16;
const hashBytes = 8;
/** Bytes of what is hashed before the address. */
const headBytes = clientBytes + hashBytes;
/** Bytes of server cookies, whoever made them (RFC 7873 4). */
const serverCookie = { min: 8, max: 32 };
const version = 1;

/** Seconds that a server cookie is good for, and from when on it is made anew (RFC 9018 4.3). */
const validSeconds = 3600;
const renewSeconds = 1800;
/** Seconds that the clock of another server of the same address may be ahead. */
const aheadSeconds = 300;
/** Milliseconds after which the secret is drawn anew (RFC 7873 7.1: about once a day). */
const secretMs = 24 * 3_600_000;

interface Secret {
  readonly sip: SipHash;
  readonly since: number;
}

const nothing = Buffer.alloc(0);

export class Cookies {
  readonly #clock: Clock;
  #secret: Secret;
  #former: Secret | undefined;
  /** What is hashed: client cookie, head of the server cookie, address. */
  readonly #input = Buffer.alloc(headBytes + 16);
  readonly #hash = new Int32Array(2);

  constructor(clock: Clock, secret: Buffer = randomBytes(sipKeyBytes)) {
    this.#clock = clock;
    this.#secret = { sip: new SipHash(secret), since: clock() };
  }

  /** Takes another secret; the present one is good for what it made. */
  rotate(secret: Buffer = randomBytes(sipKeyBytes)): void {
    this.#former = this.#secret;
    this.#secret = { sip: new SipHash(secret), since: this.#clock() };
  }

  /** Judges the option of a client at an address. */
  judge(option: Buffer, address: string): JudgedCookie {
    const given = option.length - clientBytes;
    if (given < 0 || (given > 0 && (given < serverCookie.min || given > serverCookie.max))) {
      return { state: 'malformed', answer: nothing };
    }
    const now = this.#clock();
    // A clock that was set back counts from then on.
    if (Math.abs(now - this.#secret.since) >= secretMs) this.rotate();
    const length = headBytes + writeAddress(address, this.#input, headBytes);
    const seconds = Math.floor(now / 1000);
    const madeBy = this.#secretOf(option, length);
    if (madeBy === undefined) {
      return {
        state: given === 0 ? 'new' : 'wrong',
        answer: this.#make(option, seconds, length),
      };
    }
    // Seconds are compared as serials are (RFC 1982).
    const age = (seconds - option.readUInt32BE(clientBytes + 4)) | 0;
    const isValid = age <= validSeconds && age >= -aheadSeconds;
    const isFresh = isValid && age < renewSeconds && madeBy === this.#secret;
    const answer = isFresh ? option : this.#make(option, seconds, length);
    return { state: isValid ? 'valid' : 'wrong', answer };
  }

  /** The secret that a server cookie was made with; undefined when it is none of ours. */
  #secretOf(option: Buffer, length: number): Secret | undefined {
    if (option.length !== clientBytes + serverBytes) return undefined;
    if (option[clientBytes] !== version) return undefined;
    option.copy(this.#input, 0, 0, headBytes);
    for (const secret of [this.#secret, this.#former]) {
      if (secret === undefined) continue;
      secret.sip.hash(this.#input, length, this.#hash);
      const low = option.readInt32LE(headBytes) ^ this.#hash[0]!;
      const high = option.readInt32LE(headBytes + 4) ^ this.#hash[1]!;
      // Both halves are looked at, whatever the first one is.
      if ((low | high) === 0) return secret;
    }
    return undefined;
  }

  #make(option: Buffer, seconds: number, length: number): Buffer {
    const made = Buffer.alloc(clientBytes + serverBytes);
    option.copy(made, 0, 0, clientBytes);
    made[clientBytes] = version;
    made.writeUInt32BE(seconds >>> 0, clientBytes + 4);
    made.copy(this.#input, 0, 0, headBytes);
    this.#secret.sip.hash(this.#input, length, this.#hash);
    made.writeInt32LE(this.#hash[0]!, headBytes);
    made.writeInt32LE(this.#hash[1]!, headBytes + 4);
    return made;
  }
}
