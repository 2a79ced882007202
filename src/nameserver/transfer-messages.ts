/**
 * Messages of a transfer (RFC 5936 2.2): packed records copied into messages of about 64 KiB.
 *
 * Every message repeats the question, so that the pointers of packed records lead to the apex at
 * byte 12 (RFC 5936 3.4). Whole runs of records are copied as they are; only the run at the end of
 * a message is walked for a border. Messages are made when they are asked for, so a slow reader
 * costs one message and not a zone.
 */
import { limits } from '../base/limits.ts';
import { packedEndOf } from '../dns/record.ts';
import type { MessageSigner } from '../dns/wire/tsig-sign.ts';
import type { PackedRecords } from './transfer-source.ts';

/** What all messages of one transfer have in common. */
export interface TransferFrame {
  readonly id: number;
  /** The 16 bits of the header's flags. */
  readonly flags: number;
  /** The question section as received. */
  readonly questionBytes: Buffer;
  /** The OPT record of the first message; none when the client sent none (RFC 6891 7). */
  readonly optBytes?: Buffer | undefined;
  /** Signs messages when they are sent; here only its bytes are kept free. */
  readonly signer?: MessageSigner | undefined;
}

/** Why a transfer can not be finished; the message is a clause for logs and the transfer list. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}

/** Bytes of the length prefix that TCP wants before each message. */
const prefixBytes = 2;
const headerOctets = 12;

/** Fills messages with the runs of records, each message behind its length prefix. */
export function* fillMessages(
  frame: TransferFrame,
  runs: Iterable<PackedRecords>,
): Generator<Buffer> {
  let message = new TransferMessage(frame, frame.optBytes);
  for (const { count, records } of runs) {
    let from = 0;
    let left = count;
    while (from < records.length) {
      if (records.length - from <= message.room) {
        message.append(records, from, records.length, left);
        break;
      }
      const border = lastBorder(records, from, message.room);
      if (border.count > 0) {
        message.append(records, from, border.at, border.count);
        from = border.at;
        left -= border.count;
      } else if (message.recordCount === 0) {
        const bytes = packedEndOf(records, from) - from;
        throw new TransferError(`a record of ${bytes} bytes does not fit any message`);
      }
      yield message.finish();
      message = new TransferMessage(frame, undefined);
    }
  }
  yield message.finish();
}

/** The last border between records within `room` bytes from `from`, and the records before it. */
function lastBorder(records: Buffer, from: number, room: number): { at: number; count: number } {
  let at = from;
  let count = 0;
  for (;;) {
    const next = packedEndOf(records, at);
    if (next - from > room) return { at, count };
    at = next;
    count++;
  }
}

/** A message of `fillMessages` with its signature (RFC 8945 5.3.1). */
export function signFramed(framed: Buffer, signer: MessageSigner): Buffer {
  const signed = Buffer.allocUnsafe(framed.length + signer.octets);
  signed.set(framed);
  const bytes = signer.sign(signed.subarray(prefixBytes), framed.length - prefixBytes);
  signed.writeUInt16BE(bytes, 0);
  return signed.subarray(0, prefixBytes + bytes);
}

class TransferMessage {
  readonly #frame: TransferFrame;
  readonly #optBytes: Buffer | undefined;
  readonly #buffer: Buffer;
  readonly #end: number;
  #at: number;
  recordCount = 0;

  constructor(frame: TransferFrame, optBytes: Buffer | undefined) {
    this.#frame = frame;
    this.#optBytes = optBytes;
    this.#buffer = Buffer.allocUnsafe(prefixBytes + limits.messageOctets);
    const reserved = (optBytes?.length ?? 0) + (frame.signer?.octets ?? 0);
    this.#end = this.#buffer.length - reserved;
    this.#at = prefixBytes + headerOctets;
    this.#at += frame.questionBytes.copy(this.#buffer, this.#at);
  }

  get room(): number {
    return this.#end - this.#at;
  }

  append(records: Buffer, from: number, to: number, count: number): void {
    this.#at += records.copy(this.#buffer, this.#at, from, to);
    this.recordCount += count;
  }

  finish(): Buffer {
    const message = this.#buffer.subarray(prefixBytes);
    message.writeUInt16BE(this.#frame.id, 0);
    message.writeUInt16BE(this.#frame.flags, 2);
    message.writeUInt16BE(1, 4);
    message.writeUInt16BE(this.recordCount, 6);
    message.writeUInt16BE(0, 8);
    message.writeUInt16BE(this.#optBytes === undefined ? 0 : 1, 10);
    if (this.#optBytes !== undefined) this.#at += this.#optBytes.copy(this.#buffer, this.#at);
    const bytes = this.#at - prefixBytes;
    this.#buffer.writeUInt16BE(bytes, 0);
    return this.#buffer.subarray(0, prefixBytes + bytes);
  }
}
