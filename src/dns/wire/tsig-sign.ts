/**
 * Signing (RFC 8945 5.1, 5.3): requests, answers of one message or many, and answers that say what
 * was wrong with a request's own signature.
 *
 * Time comes from the caller, in whole seconds since 1970, for every message: those of a long
 * transfer are signed when they are sent.
 */
import { nameToWire } from '../name.ts';
import { rcode } from './header.ts';
import {
  defaultFudgeSeconds,
  noBytes,
  type TsigRecord,
  type TsigTimes,
  tsigBytes,
  writeTsig,
} from './tsig.ts';
import { prefixedMac, timers, variables, type TsigKey } from './tsig-key.ts';

/** Returns the present as whole seconds since 1970. */
export type SecondsClock = () => number;

/** Signs the messages of one answer, one after the other. */
export interface MessageSigner {
  /** Bytes that a signature takes. */
  readonly bytes: number;
  /** Signs the first `length` bytes of `message` in place; returns the length with signature. */
  sign(message: Buffer, length: number): number;
}

/** A request with its signature. */
export function signRequest(request: Buffer, key: TsigKey, nowSeconds: number): Buffer {
  const bytes = tsigBytes(key, key.macBytes, 0);
  const signed = Buffer.allocUnsafe(request.length + bytes);
  signed.set(request);
  const times = timesOf(nowSeconds);
  const mac = key.mac([request, ...variables(key, times)]);
  writeTsig(signed, request.length, key, times, mac);
  return signed;
}

/** Signs an answer of any number of messages: the first with all variables, the others without. */
export class AnswerSigner implements MessageSigner {
  readonly bytes: number;
  readonly #key: TsigKey;
  readonly #now: SecondsClock;
  #previousMac: Buffer;
  #isFirst = true;

  constructor(key: TsigKey, requestMac: Buffer, now: SecondsClock) {
    this.bytes = tsigBytes(key, key.macBytes, 0);
    this.#key = key;
    this.#now = now;
    this.#previousMac = requestMac;
  }

  sign(message: Buffer, length: number): number {
    const key = this.#key;
    const times = timesOf(this.#now());
    const before = prefixedMac(this.#previousMac);
    const signed = message.subarray(0, length);
    const mac = this.#isFirst
      ? key.mac([...before, signed, ...variables(key, times)])
      : key.mac([...before, signed, timers(times)]);
    this.#isFirst = false;
    this.#previousMac = mac;
    return writeTsig(message, length, key, times, mac);
  }
}

/**
 * Signs an answer about a request whose MAC held but whose time, or length of MAC, did not (RFC 8945
 * 5.2.3): with the request's time, so that its sender can verify it, and ours beside it in BADTIME.
 */
export function errorSigner(
  key: TsigKey,
  request: TsigRecord,
  error: number,
  nowSeconds: number,
): MessageSigner {
  const otherData = error === rcode.BADTIME ? fortyEightBits(nowSeconds) : noBytes;
  return {
    bytes: tsigBytes(key, key.macBytes, otherData.length),
    sign(message, length) {
      const { fudgeSeconds } = request;
      const timeSigned = error === rcode.BADTIME ? request.timeSigned : nowSeconds;
      const times: TsigTimes = { timeSigned, fudgeSeconds, error, otherData };
      const signed = message.subarray(0, length);
      const mac = key.mac([...prefixedMac(request.mac), signed, ...variables(key, times)]);
      return writeTsig(message, length, key, times, mac);
    },
  };
}

/**
 * Says in a TSIG without MAC that a request's key is unknown or its MAC is wrong: to sign that would
 * let anybody collect signatures (RFC 8945 5.3.2).
 */
export function unsignedError(request: TsigRecord, error: number): MessageSigner {
  const { timeSigned, fudgeSeconds } = request;
  const names = {
    nameWire: nameToWire(request.name),
    algorithmWire: nameToWire(request.algorithm),
  };
  const times = { timeSigned, fudgeSeconds, error, otherData: noBytes };
  return {
    bytes: tsigBytes(names, 0, 0),
    sign: (message, length) => writeTsig(message, length, names, times, noBytes),
  };
}

function timesOf(timeSigned: number): TsigTimes {
  return { timeSigned, fudgeSeconds: defaultFudgeSeconds, error: 0, otherData: noBytes };
}

function fortyEightBits(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(number, 0, 6);
  return bytes;
}
