/**
 * Whole messages as bytes, the counterpart of decodeMessage: the program itself writes messages part by part.
 */
import { nameBytes, nameToWire } from '../../src/dns/name.ts';
import { MessageWriter } from '../../src/dns/wire/encode.ts';
import { readUint16 } from '../../src/dns/wire/header.ts';
import type { Message, WireRecord } from '../../src/dns/wire/message.ts';

/** Bytes of a record besides its owner and RDATA: type, class, TTL, length. */
const recordHeadBytes = 10;
const additionalCountOffset = 10;

/**
 * The bytes of a whole message. What does not fit into `limit` is left out: TC is set when that
 * concerns answers or authorities; OPT and TSIG stay (RFC 8945 5.3).
 */
export function encodeMessage(message: Message, options: { limit?: number } = {}): Buffer {
  const writer = new MessageWriter(message, options.limit);
  const [first, ...others] = message.questions;
  if (message.edns !== undefined) writer.edns(message.edns);
  if (message.tsig !== undefined) writer.reserve(uncompressedBytes(message.tsig));
  if (first !== undefined) {
    if (message.questionBytes === undefined || others.length > 0) writer.question(first);
    else writer.questionBytes(message.questionBytes, first);
  }
  for (const question of others) writer.question(question);
  const fits =
    message.answers.every((record) => writer.record('answer', record)) &&
    message.authorities.every((record) => writer.record('authority', record));
  if (fits) message.additionals.every((record) => writer.record('additional', record));
  else writer.setTruncated();
  const bytes = writer.finish();
  return message.tsig === undefined ? bytes : appendTsig(bytes, message.tsig);
}

/** The message with its TSIG record behind it, uncompressed, and counted. */
export function appendTsig(message: Buffer, tsig: WireRecord): Buffer {
  const owner = nameToWire(tsig.name);
  const whole = Buffer.allocUnsafe(message.length + uncompressedBytes(tsig));
  whole.set(message);
  whole.writeUInt16BE(readUint16(message, additionalCountOffset) + 1, additionalCountOffset);
  whole.set(owner, message.length);
  let at = message.length + owner.length;
  at = whole.writeUInt16BE(tsig.type, at);
  at = whole.writeUInt16BE(tsig.class, at);
  at = whole.writeUInt32BE(tsig.ttl, at);
  at = whole.writeUInt16BE(tsig.rdata.length, at);
  whole.set(tsig.rdata, at);
  return whole;
}

/** Bytes of a record that is written without compression. */
function uncompressedBytes(record: WireRecord): number {
  return nameBytes(record.name) + recordHeadBytes + record.rdata.length;
}
