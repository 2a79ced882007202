/** Answers of a small secondary: it acknowledges NOTIFY and serves the SOA of what it has. */

import { rrtype } from '../../src/dns/rrtype.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { MessageWriter } from '../../src/dns/wire/encode.ts';
import { opcode, rcode } from '../../src/dns/wire/header.ts';

export interface AnswerChanges {
  readonly authoritative?: boolean;
  readonly truncated?: boolean;
  /** As while it reads its zones. */
  readonly servfail?: boolean;
}

/** The answer to a question for a zone at `serial`; undefined is a zone that it does not serve. */
export function soaAnswer(
  request: Buffer,
  serial: number | undefined,
  { authoritative = true, truncated = false, servfail = false }: AnswerChanges = {},
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
  if (serial !== undefined && message.opcode === opcode.QUERY && !truncated) {
    const rdata = Buffer.alloc(22);
    rdata.writeUInt32BE(serial, 2);
    writer.rrset('answer', question!.name, rrtype.SOA, 60, [rdata]);
  }
  return writer.finish();
}
