/**
 * Messages over TCP: each stands behind its length in two bytes (RFC 1035 4.2.2, RFC 7766 8).
 *
 * A stream may be cut anywhere. Messages that came whole in one chunk are handed on as views of it;
 * one that spans chunks is copied once, into a buffer of its length.
 */
import type { MessageSigner } from './tsig-sign.ts';

/** Bytes of the length. */
export const prefixBytes = 2;

export class FrameReader {
  /** The first byte of a length whose second has not come yet. */
  #lengthHead: number | undefined;
  /** A message whose end has not come yet, and how much of it has. */
  #partial: Buffer | undefined;
  #partialBytes = 0;

  /** Takes the next bytes of the stream and gives the messages they complete. */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#partial !== undefined) {
        const copied = chunk.copy(this.#partial, this.#partialBytes, at);
        this.#partialBytes += copied;
        at += copied;
      } else if (this.#lengthHead !== undefined) {
        this.#begin((this.#lengthHead << 8) | chunk[at]!);
        this.#lengthHead = undefined;
        at += 1;
      } else if (chunk.length - at === 1) {
        this.#lengthHead = chunk[at]!;
        at += 1;
      } else {
        const length = chunk.readUInt16BE(at);
        at += 2;
        if (at + length <= chunk.length) {
          messages.push(chunk.subarray(at, at + length));
          at += length;
        } else {
          this.#begin(length);
        }
      }
      if (this.#partial !== undefined && this.#partialBytes === this.#partial.length) {
        messages.push(this.#partial);
        this.#partial = undefined;
      }
    }
    return messages;
  }

  #begin(length: number): void {
    this.#partial = Buffer.allocUnsafe(length);
    this.#partialBytes = 0;
  }
}

/** The length prefix of a message. */
export function lengthPrefix(message: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes);
  prefix.writeUInt16BE(message.length, 0);
  return prefix;
}

/** A message behind its length prefix, in one buffer for one write. */
export function frameMessage(message: Buffer): Buffer {
  return Buffer.concat([lengthPrefix(message), message]);
}

/** The same, signed in that buffer. */
export function frameSigned(message: Buffer, signer: MessageSigner): Buffer {
  const framed = Buffer.allocUnsafe(prefixBytes + message.length + signer.bytes);
  framed.set(message, prefixBytes);
  const length = signer.sign(framed.subarray(prefixBytes), message.length);
  framed.writeUInt16BE(length, 0);
  return framed.subarray(0, prefixBytes + length);
}
