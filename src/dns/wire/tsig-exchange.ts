/**
 * The asking side (RFC 8945 5.4): signs one request and checks the messages that answer it.
 *
 * ```
 *   request signed --first, signed--> following --signed--> following
 *                                       |   ^
 *                                       +---+ unsigned, at most 99 in a row
 * ```
 * What is wrong is said as a clause for logs. An error that comes without MAC proves nothing, so it
 * is reported as what the server claims.
 */
import type { Hmac } from 'node:crypto';
import { WireError } from '../error.ts';
import { rcode } from './header.ts';
import { findTsig, type TsigRecord, tsigErrorName } from './tsig.ts';
import { prefixedMac, signedParts, timers, variables, type TsigKey } from './tsig-key.ts';
import { type SecondsClock, signRequest } from './tsig-sign.ts';
import { hasPossibleMac, isInTime, isSignedWith, macMatches } from './tsig-verify.ts';

/** Messages in a row that may come unsigned (RFC 8945 5.3.1). */
const unsignedInRow = 99;

/** Verifies the messages of one answer, in their order. */
export class AnswerVerifier {
  readonly #key: TsigKey;
  readonly #now: SecondsClock;
  #previousMac: Buffer;
  #isFirst = true;
  /** Covers the MAC before and the unsigned messages since; undefined when there are none. */
  #pending: Hmac | undefined;
  #unsigned = 0;

  constructor(key: TsigKey, requestMac: Buffer, now: SecondsClock) {
    this.#key = key;
    this.#now = now;
    this.#previousMac = requestMac;
  }

  /** What is wrong with the next message; undefined when nothing is. */
  verify(message: Buffer): string | undefined {
    try {
      const tsig = findTsig(message);
      return tsig === undefined ? this.#acceptUnsigned(message) : this.#check(message, tsig);
    } catch (error) {
      if (error instanceof WireError) return error.message;
      throw error;
    }
  }

  /** What is wrong when the message verified last is the last of all: that one has to be signed. */
  finish(): string | undefined {
    if (this.#isFirst) return 'nothing is signed';
    return this.#unsigned > 0 ? 'the last message is not signed' : undefined;
  }

  #acceptUnsigned(message: Buffer): string | undefined {
    if (this.#isFirst) return 'the answer is not signed';
    this.#unsigned++;
    if (this.#unsigned > unsignedInRow) {
      return `more than ${unsignedInRow} messages in a row are not signed`;
    }
    this.#pending ??= this.#startPending();
    this.#pending.update(message);
    return undefined;
  }

  #check(message: Buffer, tsig: TsigRecord): string | undefined {
    const key = this.#key;
    if (tsig.mac.length === 0 && tsig.error !== 0) {
      return `the server says ${tsigErrorName(tsig.error)}, without a signature`;
    }
    if (!isSignedWith(tsig, key)) return 'the answer is signed with another key or algorithm';
    if (!hasPossibleMac(tsig, key) || tsig.mac.length < key.macBytes) {
      return `the MAC has ${tsig.mac.length} bytes instead of ${key.macBytes}`;
    }
    const mac = this.#macOver(message, tsig);
    if (!macMatches(tsig.mac, mac)) return 'the signature is wrong';
    if (tsig.error !== 0) return refusal(tsig);
    if (!isInTime(tsig, this.#now())) {
      return `the answer was signed ${this.#now() - tsig.timeSigned} s ago by our clock`;
    }
    this.#previousMac = mac;
    this.#isFirst = false;
    this.#pending = undefined;
    this.#unsigned = 0;
    return undefined;
  }

  #startPending(): Hmac {
    const pending = this.#key.startMac();
    for (const part of prefixedMac(this.#previousMac)) pending.update(part);
    return pending;
  }

  #macOver(message: Buffer, tsig: TsigRecord): Buffer {
    const key = this.#key;
    const content = signedParts(message, tsig);
    const last = this.#isFirst ? variables(key, tsig) : [timers(tsig)];
    if (this.#pending === undefined) {
      return key.mac([...prefixedMac(this.#previousMac), ...content, ...last]);
    }
    for (const part of [...content, ...last]) this.#pending.update(part);
    const mac = this.#pending.digest();
    // Whatever comes of this message, the MAC is used up.
    this.#pending = undefined;
    return mac;
  }
}

/** Signs a request and verifies its answer; one for every request. */
export class TsigExchange {
  readonly #key: TsigKey;
  readonly #now: SecondsClock;
  #answer: AnswerVerifier | undefined;

  constructor(key: TsigKey, now: SecondsClock) {
    this.#key = key;
    this.#now = now;
  }

  sign(request: Buffer): Buffer {
    const signed = signRequest(request, this.#key, this.#now());
    const { mac } = findTsig(signed)!;
    this.#answer = new AnswerVerifier(this.#key, mac, this.#now);
    return signed;
  }

  verify(message: Buffer): string | undefined {
    return this.#answer === undefined ? 'nothing was asked' : this.#answer.verify(message);
  }

  finish(): string | undefined {
    return this.#answer === undefined ? 'nothing was asked' : this.#answer.finish();
  }
}

/** An error that the server signed. */
function refusal(tsig: TsigRecord): string {
  const name = tsigErrorName(tsig.error);
  if (tsig.error !== rcode.BADTIME || tsig.otherData.length !== 6) return `the server says ${name}`;
  const apart = Math.abs(tsig.otherData.readUIntBE(0, 6) - tsig.timeSigned);
  return `the server says ${name}: its clock and ours are ${apart} s apart`;
}
