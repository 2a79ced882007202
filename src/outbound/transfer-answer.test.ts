import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ixfrSoa, wireRecord } from '../../spec/support/dns-messages.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { TransferAnswer, transferRequest } from './transfer-answer.ts';
import { TransferError } from './transfer-connection.ts';

const apex = parseAbsoluteName('example.com');
const request = { id: 0x1234, apex, maxRecords: 100, maxBytes: 10_000 };

/** One message with a whole zone, from the bytes of the request. */
function wholeZone(): Buffer {
  const head = transferRequest(request.id, apex);
  head[2] = 0x84;
  const name = Buffer.from('\x04mail\xc0\x0c', 'latin1');
  const records = [
    ixfrSoa('example.com', 7),
    wireRecord('example.com', 'MX', Buffer.concat([Buffer.from([0, 10]), name])),
    wireRecord('Www.Example.com', 'CNAME', name),
    wireRecord('example.com', 'TXT', Buffer.from('\x05hello')),
    ixfrSoa('EXAMPLE.com', 7),
  ];
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, ...records]);
}

describe('the answer to an AXFR request (RFC 5936 2.2)', () => {
  it('asks one question, of class IN and without recursion', () => {
    expect(decodeMessage(transferRequest(7, apex))).toMatchObject({
      id: 7,
      opcode: 0,
      response: false,
      recursionDesired: false,
      questions: [{ name: apex, type: 252, class: 1 }],
      answers: [],
      additionals: [],
    });
  });

  it('gives owners relative to the apex and names in RDATA uncompressed and lower-case', () => {
    const answer = new TransferAnswer(request);
    const [, records] = answer.take(wholeZone());
    expect(answer.ended).toBe(true);
    const mail = Buffer.from('\x04mail\x07example\x03com\x00', 'latin1');
    expect(records).toEqual({
      kind: 'records',
      records: [
        { owner: '', type: 15, ttl: 0, rdata: Buffer.concat([Buffer.from([0, 10]), mail]) },
        { owner: 'www\0', type: 5, ttl: 0, rdata: mail },
        { owner: '', type: 16, ttl: 0, rdata: Buffer.from('\x05hello') },
      ],
      bytes: 2 + mail.length + 4 + mail.length + 6,
    });
  });

  it('throws nothing but TransferError, whatever bytes come', () => {
    const zone = wholeZone();
    const change = fc.tuple(fc.nat(zone.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), fc.nat(zone.length), (changes, length) => {
        const bytes = Buffer.from(zone.subarray(0, length < 12 ? zone.length : length));
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
        try {
          new TransferAnswer(request).take(bytes);
        } catch (error) {
          if (!(error instanceof TransferError)) throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });
});
