/**
 * TSIG keys, their MACs (RFC 8945 6, RFC 2104: HMAC with SHA-256, SHA-384 and SHA-512), and what a MAC covers
 * (RFC 8945 4.3), as parts of bytes in their order:
 *
 * ```
 *   request           message, all variables
 *   answer            MAC of the request, message, all variables
 *   later answers     MAC before, messages since then, time and fudge
 * ```
 * The message is always as it was before the TSIG record came: its own id, and one record less.
 *
 * Short messages, which means nearly all, are hashed in two single calls into the runtime; an Hmac
 * object costs twice as much to make as to use. Longer ones are streamed through one.
 */
import { createHash, createHmac, type Hmac, hash } from 'node:crypto';
import { type NameKey, nameToWire } from '../name.ts';
import { headerBytes, readUint16, recordClass } from './header.ts';
import type { TsigRecord, TsigTimes } from './tsig.ts';

/** What each algorithm hashes with, and the bytes of its blocks and MACs (RFC 4868 2.1.1). */
const algorithms = {
  'hmac-sha256': { digest: 'sha256', blockBytes: 64, macBytes: 32 },
  'hmac-sha384': { digest: 'sha384', blockBytes: 128, macBytes: 48 },
  'hmac-sha512': { digest: 'sha512', blockBytes: 128, macBytes: 64 },
} as const;

export type TsigAlgorithm = keyof typeof algorithms;

export interface TsigKeyFields {
  /** Absolute, lower-case. */
  readonly name: NameKey;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Buffer;
}

/** Bytes of the class and TTL that stand between the names in the digest (RFC 8945 4.3.3). */
const classAndTtlBytes = 6;

/** Bytes up to which two single calls are cheaper than an Hmac. */
const shortBytes = 2048;

/** A key as signatures need it: its names in wire form, and its secret ready for use. */
export class TsigKey {
  readonly name: NameKey;
  readonly algorithm: TsigAlgorithm;
  /** The name of the algorithm, such as `hmac-sha256.`. */
  readonly algorithmName: NameKey;
  readonly nameWire: Buffer;
  readonly algorithmWire: Buffer;
  /** The part of the digested variables that is the same for all signatures (RFC 8945 4.3.3). */
  readonly constantVariables: Buffer;
  readonly macBytes: number;
  readonly #digest: string;
  readonly #blockBytes: number;
  readonly #secret: Buffer;
  /** The inner pad, and behind it room for a short message. */
  readonly #inner: Buffer;
  /** The outer pad, and behind it room for the inner hash. */
  readonly #outer: Buffer;

  constructor({ name, algorithm, secret }: TsigKeyFields) {
    const { digest, blockBytes, macBytes } = algorithms[algorithm];
    this.name = name;
    this.algorithm = algorithm;
    this.algorithmName = `${algorithm}\0` as NameKey;
    this.nameWire = nameToWire(name);
    this.algorithmWire = nameToWire(this.algorithmName);
    const classAndTtl = Buffer.alloc(classAndTtlBytes);
    classAndTtl.writeUInt16BE(recordClass.ANY, 0);
    this.constantVariables = Buffer.concat([this.nameWire, classAndTtl, this.algorithmWire]);
    this.macBytes = macBytes;
    this.#digest = digest;
    this.#blockBytes = blockBytes;
    this.#secret = Buffer.from(secret);
    this.#inner = Buffer.alloc(blockBytes + shortBytes);
    this.#outer = Buffer.alloc(blockBytes + macBytes);
    const block = Buffer.alloc(blockBytes);
    block.set(secret.length > blockBytes ? createHash(digest).update(secret).digest() : secret);
    for (let at = 0; at < blockBytes; at++) {
      this.#inner[at] = block[at]! ^ 0x36;
      this.#outer[at] = block[at]! ^ 0x5c;
    }
  }

  /** The MAC over some bytes, given in parts. */
  mac(parts: readonly Buffer[]): Buffer {
    let bytes = 0;
    for (const part of parts) bytes += part.length;
    if (bytes > shortBytes) {
      const hmac = this.startMac();
      for (const part of parts) hmac.update(part);
      return hmac.digest();
    }
    let at = this.#blockBytes;
    for (const part of parts) {
      this.#inner.set(part, at);
      at += part.length;
    }
    const innerHash = hash(this.#digest, this.#inner.subarray(0, at), 'latin1');
    this.#outer.latin1Write(innerHash, this.#blockBytes);
    return Buffer.from(hash(this.#digest, this.#outer, 'latin1'), 'latin1');
  }

  /** A MAC over bytes that come one after the other. */
  startMac(): Hmac {
    return createHmac(this.#digest, this.#secret);
  }
}

/** Small parts are written into memory that is used again: a part is good until the next of its kind. */
const macLength = Buffer.alloc(2);
const originalHeader = Buffer.alloc(headerBytes);
const tsigVariables = Buffer.alloc(12);

/** A MAC behind its length, in two parts, as they open the digest of the message after it. */
export function prefixedMac(mac: Buffer): [length: Buffer, mac: Buffer] {
  macLength.writeUInt16BE(mac.length, 0);
  return [macLength, mac];
}

/** Header and rest of a received message, as they were signed. */
export function signedParts(message: Buffer, tsig: TsigRecord): [header: Buffer, rest: Buffer] {
  message.copy(originalHeader, 0, 0, headerBytes);
  originalHeader.writeUInt16BE(tsig.originalId, 0);
  originalHeader.writeUInt16BE(readUint16(message, 10) - 1, 10);
  return [originalHeader, message.subarray(headerBytes, tsig.offset)];
}

/** All variables (RFC 8945 4.3.3), in two parts. */
export function variables(key: TsigKey, times: TsigTimes): [constant: Buffer, changing: Buffer] {
  const { otherData } = times;
  const { length } = otherData;
  const changing = length === 0 ? tsigVariables : Buffer.allocUnsafe(12 + length);
  changing.writeUIntBE(times.timeSigned, 0, 6);
  changing.writeUInt16BE(times.fudgeSeconds, 6);
  changing.writeUInt16BE(times.error, 8);
  changing.writeUInt16BE(length, 10);
  changing.set(otherData, 12);
  return [key.constantVariables, changing];
}

/** Time and fudge alone, for the messages after the first (RFC 8945 5.3.1). */
export function timers(times: Pick<TsigTimes, 'timeSigned' | 'fudgeSeconds'>): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUIntBE(times.timeSigned, 0, 6);
  bytes.writeUInt16BE(times.fudgeSeconds, 6);
  return bytes;
}
