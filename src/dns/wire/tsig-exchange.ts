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
import type { Clock } from '../../base/clock.ts';
import { WireError } from '../error.ts';
import { rcode } from './header.ts';
import { findTsig, type TsigRecord, tsigErrorName } from './tsig.ts';
import { prefixedMac, signedParts, timers, variables, type TsigKey } from './tsig-key.ts';
import { type SecondsClock, signRequest } from './tsig-sign.ts';
import { judgeSignature, type TsigResult } from './tsig-verify.ts';

/** Messages in a row that may come unsigned (RFC 8945 5.3.1). */
const unsignedInRow = 99;

/** What signs one request and checks its answer; every request needs one of its own. */
export type RequestSigner = Pick<TsigExchange, 'sign' | 'verify' | 'finish'>;

/** Makes an exchange with a key for each request. */
export function exchangesWith(key: TsigKey, clock: Clock): () => TsigExchange {
  return () => new TsigExchange(key, () => Math.floor(clock() / 1000));
}

export class TsigExchange {
  readonly #key: TsigKey;
  readonly #now: SecondsClock;
  /** That of the request, and after it that of the message verified last; undefined before the request. */
  #previousMac: Buffer | undefined;
  #isFirst = true;
  /** Covers the MAC before and the unsigned messages since; undefined when there are none. */
  #pending: Hmac | undefined;
  #unsigned = 0;

  /** `requestMac`: that of a request which was signed elsewhere. */
  constructor(key: TsigKey, now: SecondsClock, requestMac?: Buffer) {
    this.#key = key;
    this.#now = now;
    this.#previousMac = requestMac;
  }

  sign(request: Buffer): Buffer {
    const signed = signRequest(request, this.#key, this.#now());
    this.#previousMac = findTsig(signed)!.mac;
    return signed;
  }

  /** What is wrong with the next message; undefined when nothing is. */
  verify(message: Buffer): string | undefined {
    if (this.#previousMac === undefined) return 'nothing was asked';
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
    if (tsig.mac.length === 0 && tsig.error !== 0) {
      return `the server says ${tsigErrorName(tsig.error)}, without a signature`;
    }
    const now = this.#now();
    const result = judgeSignature(tsig, this.#key, () => this.#macOver(message, tsig), now);
    const isSigned = result === 'ok' || result === 'BADTIME';
    if (isSigned && tsig.error !== 0) return problemOf(tsig);
    if (result !== 'ok') return this.#complaint(result, tsig, now);
    this.#previousMac = tsig.mac;
    this.#isFirst = false;
    this.#pending = undefined;
    this.#unsigned = 0;
    return undefined;
  }

  #complaint(result: Exclude<TsigResult, 'ok'>, tsig: TsigRecord, now: number): string {
    switch (result) {
      case 'BADKEY':
        return 'the answer is signed with another key or algorithm';
      case 'FORMERR':
      case 'BADTRUNC':
        return `the MAC has ${tsig.mac.length} bytes instead of ${this.#key.macBytes}`;
      case 'BADSIG':
        return 'the signature is wrong';
      case 'BADTIME':
        return `the answer was signed ${now - tsig.timeSigned} s ago by our clock`;
    }
  }

  #startPending(): Hmac {
    const pending = this.#key.startMac();
    for (const part of prefixedMac(this.#previousMac!)) pending.update(part);
    return pending;
  }

  #macOver(message: Buffer, tsig: TsigRecord): Buffer {
    const key = this.#key;
    const signed = signedParts(message, tsig);
    const last = this.#isFirst ? variables(key, tsig) : [timers(tsig)];
    if (this.#pending === undefined) {
      return key.mac([...prefixedMac(this.#previousMac!), ...signed, ...last]);
    }
    for (const part of [...signed, ...last]) this.#pending.update(part);
    const mac = this.#pending.digest();
    // Whatever comes of this message, the MAC is used up.
    this.#pending = undefined;
    return mac;
  }
}

/** An error that the server signed. */
function problemOf(tsig: TsigRecord): string {
  const name = tsigErrorName(tsig.error);
  if (tsig.error !== rcode.BADTIME || tsig.otherData.length !== 6) return `the server says ${name}`;
  const skewSeconds = Math.abs(tsig.otherData.readUIntBE(0, 6) - tsig.timeSigned);
  return `the server says ${name}: its clock and ours are ${skewSeconds} s apart`;
}
