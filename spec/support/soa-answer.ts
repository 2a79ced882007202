/** Answers of a small secondary: it acknowledges NOTIFY and serves the SOA of what it has. */

import { rrtype } from '../../src/dns/rrtype.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { MessageWriter } from '../../src/dns/wire/encode.ts';
import { opcode, rcode, recordClass } from '../../src/dns/wire/header.ts';

/** Bytes of the data of an SOA whose names are the root. */
const soaBytes = 22;

export interface AnswerChanges {
  readonly authoritative?: boolean;
  readonly truncated?: boolean;
  /** As while it reads its zones. */
  readonly servfail?: boolean;
  /** Its SOA is of class CH, with so many bytes of data. */
  readonly chaosBytes?: number;
}

/** The answer to a question for a zone at `serial`; undefined is a zone that it does not serve. */
export function soaAnswer(
  request: Buffer,
  serial: number | undefined,
  { authoritative = true, truncated = false, servfail = false, chaosBytes }: AnswerChanges = {},
): Buffer {
  const message = decodeMessage(request);
  const [question] = message.questions;
  const writer = new MessageWriter({
    ...message,
    rcode: servfail ? rcode.SERVFAIL : serial === undefined ? rcode.REFUSED : rcode.NOERROR,
    response: true,
    authoritative,
    truncated,
  });
  writer.question(question!);
  const hasSoa = serial !== undefined && message.opcode === opcode.QUERY && !truncated;
  if (hasSoa) {
    const rdata = Buffer.alloc(soaBytes);
    rdata.writeUInt32BE(serial, 2);
    writer.rrset('answer', question!.name, rrtype.SOA, 60, [rdata]);
  }
  const answer = writer.finish();
  return hasSoa && chaosBytes !== undefined ? ofClassChaos(answer, chaosBytes) : answer;
}

/** Bytes from the class of the SOA, which is the last record, to its data: class, TTL and length. */
const classToData = 8;

function ofClassChaos(answer: Buffer, dataBytes: number): Buffer {
  const data = answer.length - soaBytes;
  const changed = Buffer.from(answer.subarray(0, data + dataBytes));
  changed.writeUInt16BE(recordClass.CH, data - classToData);
  changed.writeUInt16BE(dataBytes, data - 2);
  return changed;
}
