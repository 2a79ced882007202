import { describe, expect, it } from 'vitest';
import { WireError } from '../error.ts';
import { parseAbsoluteName } from '../name.ts';
import { rrtype } from '../rrtype.ts';
import { decodeMessage } from './decode.ts';
import { udpAnswerBytes } from './edns.ts';
import { decodeHeader, opcode, rcode, rcodeName, recordClass } from './header.ts';

const example = parseAbsoluteName('example.com');
const questionHex = '076578616d706c6503636f6d0000010001';

function bytesOf(...hex: string[]): Buffer {
  return Buffer.from(hex.join('').replaceAll(' ', ''), 'hex');
}

describe('header (RFC 1035 4.1.1)', () => {
  it('reads every flag and count', () => {
    expect(decodeHeader(bytesOf('abcd afb3 0001 0002 0003 0004'))).toEqual({
      id: 0xabcd,
      opcode: opcode.UPDATE,
      rcode: rcode.NXDOMAIN,
      response: true,
      authoritative: true,
      truncated: true,
      recursionDesired: true,
      recursionAvailable: true,
      authenticData: true,
      checkingDisabled: true,
      questionCount: 1,
      answerCount: 2,
      authorityCount: 3,
      additionalCount: 4,
    });
  });

  it('gives nothing for fewer than twelve bytes', () => {
    expect(decodeHeader(Buffer.alloc(11))).toBeUndefined();
  });

  it('names rcodes', () => {
    expect([0, 9, 16, 23, 3000].map(rcodeName)).toEqual([
      'NOERROR',
      'NOTAUTH',
      'BADVERS',
      'BADCOOKIE',
      'RCODE3000',
    ]);
  });
});

describe('case 58: EDNS', () => {
  it('reads the version above 0 and nothing else of it', () => {
    const query = decodeMessage(
      bytesOf('0001 0000 0001 0000 0000 0001', questionHex, '00 0029 04d0 00018000 0003 ffffff'),
    );
    expect(query.edns).toEqual({ udpPayload: 1232, version: 1, dnssecOk: true, options: [] });
  });

  it('ignores unknown options and flags', () => {
    const query = decodeMessage(
      bytesOf(
        '0001 0000 0001 0000 0000 0001',
        questionHex,
        '00 0029 1000 00007fff 0006 fde9 0002 abcd',
      ),
    );
    expect(query.edns).toEqual({
      udpPayload: 4096,
      version: 0,
      dnssecOk: false,
      options: [{ code: 65_001, data: bytesOf('abcd') }],
    });
  });

  it('takes a payload below 512 for 512, and never answers more than 1232', () => {
    const edns = { udpPayload: 100, version: 0, dnssecOk: false, options: [] };
    expect(udpAnswerBytes(edns)).toBe(512);
    expect(udpAnswerBytes({ ...edns, udpPayload: 900 })).toBe(900);
    expect(udpAnswerBytes({ ...edns, udpPayload: 4096 })).toBe(1232);
    expect(udpAnswerBytes(undefined)).toBe(512);
  });

  it('puts the high bits of the rcode before the low ones', () => {
    const message = decodeMessage(
      bytesOf('0001 8000 0001 0000 0000 0001', questionHex, '00 0029 04d0 01000000 0000'),
    );
    expect(message.rcode).toBe(rcode.BADVERS);
  });
});

describe('case 59: questions', () => {
  it('leaves the question count of unknown opcodes to the door, which answers NOTIMP', () => {
    expect(decodeMessage(bytesOf('0001 7800 0000 0000 0000 0000')).opcode).toBe(15);
  });

  it('reads responses without a question, as transfers send them', () => {
    expect(decodeMessage(bytesOf('0001 8400 0000 0000 0000 0000')).questions).toEqual([]);
  });

  it('keeps the bytes of the question, capitals and all', () => {
    const bytes = bytesOf('0001 0000 0001 0000 0000 0000', '074578414d706c6503434f4d00 0001 0001');
    const query = decodeMessage(bytes);
    expect(query.questions).toEqual([{ name: example, type: rrtype.A, class: recordClass.IN }]);
    expect(query.questionBytes).toEqual(bytes.subarray(12));
  });
});

describe('records', () => {
  it('expands names in RDATA and makes them lower-case', () => {
    const { answers } = decodeMessage(
      bytesOf(
        '0001 8000 0001 0001 0000 0000',
        questionHex,
        'c00c 0002 0001 0000003c 0006 034e5331 c00c',
      ),
    );
    expect(answers).toEqual([
      {
        name: example,
        type: rrtype.NS,
        class: recordClass.IN,
        ttl: 60,
        rdata: bytesOf('036e7331 076578616d706c6503636f6d00'),
      },
    ]);
  });

  it('takes a TTL with its highest bit set for 0 (RFC 2181 8)', () => {
    const { answers } = decodeMessage(
      bytesOf(
        '0001 8000 0001 0001 0000 0000',
        questionHex,
        'c00c 0001 0001 80000001 0004 c0000201',
      ),
    );
    expect(answers[0]?.ttl).toBe(0);
  });

  it('keeps data of other classes as they came', () => {
    const { answers } = decodeMessage(
      bytesOf('0001 8000 0001 0001 0000 0000', questionHex, 'c00c 0001 0003 00000000 0003 00 0102'),
    );
    expect(answers[0]?.rdata).toEqual(bytesOf('000102'));
  });

  it('reads deletions: class ANY and NONE without data, class NONE with data', () => {
    const { authorities } = decodeMessage(
      bytesOf(
        '0001 2800 0001 0000 0003 0000',
        '076578616d706c6503636f6d00 0006 0001',
        'c00c 00ff 00ff 00000000 0000',
        'c00c 0001 00fe 00000000 0000',
        'c00c 0002 00fe 00000000 0006 034e5331 c00c',
      ),
    );
    expect(authorities.map(({ type, class: ofClass, rdata }) => [type, ofClass, rdata])).toEqual([
      [rrtype.ANY, recordClass.ANY, Buffer.alloc(0)],
      [rrtype.A, recordClass.NONE, Buffer.alloc(0)],
      [rrtype.NS, recordClass.NONE, bytesOf('036e7331 076578616d706c6503636f6d00')],
    ]);
  });

  it('hands out the raw TSIG record and where it starts', () => {
    const tsig = '036b657900 00fa 00ff 00000000 0003 010203';
    const bytes = bytesOf('0001 0000 0001 0000 0000 0001', questionHex, tsig);
    const message = decodeMessage(bytes);
    expect(message.additionals).toEqual([]);
    expect(message.tsig).toEqual({
      name: parseAbsoluteName('key'),
      type: rrtype.TSIG,
      class: recordClass.ANY,
      ttl: 0,
      rdata: bytesOf('010203'),
      offset: 29,
    });
    expect(bytes.subarray(message.tsig!.offset)).toEqual(bytesOf(tsig));
  });

  it('case 60: ends quickly on messages made to be slow', () => {
    // The deepest name there can be, and then as many names that lead to it as the message holds.
    const deepest = Buffer.concat([Buffer.from('0161'.repeat(127), 'hex'), Buffer.of(0)]);
    const first = Buffer.concat([deepest, bytesOf('0001 0001 00000000 0004 c0000201')]);
    const repeated = bytesOf('c00c 0002 0001 00000000 0002 c00c');
    const count = Math.floor((65_535 - 12 - first.length) / repeated.length);
    const head = bytesOf('0001 8000 0000 0000 0000 0000');
    head.writeUInt16BE(count + 1, 6);
    const bytes = Buffer.concat([head, first, ...new Array<Buffer>(count).fill(repeated)]);
    // Time of the processor, for the host may have other things to do.
    const before = process.cpuUsage();
    expect(decodeMessage(bytes).answers).toHaveLength(count + 1);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('refuses more bytes than a message can have', () => {
    expect(() => decodeMessage(Buffer.alloc(65_536))).toThrow(WireError);
  });
});
