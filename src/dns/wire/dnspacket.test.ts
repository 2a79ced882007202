import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode as oracleDecode,
  encode as oracleEncode,
} from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../name.ts';
import { parseRdataText } from '../rdata/rdata.ts';
import { parseType, rrtype } from '../rrtype.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from '../../../spec/support/encode-message.ts';
import { opcode, rcode, recordClass } from './header.ts';
import type { Message, WireRecord } from './message.ts';

/** Records as dns-packet holds them, and their data in master-file form. */
const vectors: [answer: Answer, text: string][] = [
  [{ type: 'A', name: 'www.example.com', ttl: 60, data: '192.0.2.1' }, '192.0.2.1'],
  [{ type: 'AAAA', name: 'www.example.com', ttl: 60, data: '2001:db8::1' }, '2001:db8::1'],
  [{ type: 'NS', name: 'example.com', ttl: 60, data: 'ns1.example.com' }, 'ns1.example.com.'],
  [{ type: 'CNAME', name: 'a.example.com', ttl: 60, data: 'www.example.com' }, 'www.example.com.'],
  [{ type: 'PTR', name: '1.2.0.192.in-addr.arpa', ttl: 60, data: 'a.example' }, 'a.example.'],
  [{ type: 'DNAME', name: 'b.example.com', ttl: 60, data: 'c.example.net' }, 'c.example.net.'],
  [
    {
      type: 'MX',
      name: 'example.com',
      ttl: 60,
      data: { preference: 5, exchange: 'm.example.com' },
    },
    '5 m.example.com.',
  ],
  [
    {
      type: 'SRV',
      name: '_sip._tcp.example.com',
      ttl: 60,
      data: { priority: 1, weight: 2, port: 5060, target: 'sip.example.com' },
    },
    '1 2 5060 sip.example.com.',
  ],
  [
    { type: 'TXT', name: 'example.com', ttl: 60, data: [Buffer.from('one'), Buffer.from('two')] },
    '"one" "two"',
  ],
  [
    {
      type: 'SOA',
      name: 'example.com',
      ttl: 60,
      data: {
        mname: 'ns1.example.com',
        rname: 'hostmaster.example.com',
        serial: 7,
        refresh: 300,
        retry: 60,
        expire: 3_600_000,
        minimum: 86_400,
      },
    },
    'ns1.example.com. hostmaster.example.com. 7 300 60 3600000 86400',
  ],
  [
    {
      type: 'CAA',
      name: 'example.com',
      ttl: 60,
      data: { flags: 0, tag: 'issue', value: 'ca.test' },
    },
    '0 issue "ca.test"',
  ],
];

function ours(answer: Answer, text: string): WireRecord {
  const type = parseType(answer.type)!;
  return {
    name: parseAbsoluteName(answer.name),
    type,
    class: recordClass.IN,
    ttl: 60,
    rdata: parseRdataText(type, text),
  };
}

const question = {
  name: parseAbsoluteName('example.com'),
  type: rrtype.MX,
  class: recordClass.IN,
};
const message: Message = {
  id: 77,
  opcode: opcode.QUERY,
  rcode: rcode.NOERROR,
  response: true,
  authoritative: true,
  truncated: false,
  recursionDesired: false,
  recursionAvailable: false,
  authenticData: false,
  checkingDisabled: false,
  questions: [question],
  answers: vectors.map(([answer, text]) => ours(answer, text)),
  authorities: [],
  additionals: [],
};

describe('dns-packet', () => {
  it('writes what we read', () => {
    const bytes = oracleEncode({
      id: 77,
      type: 'response',
      flags: AUTHORITATIVE_ANSWER,
      questions: [{ type: 'MX', name: 'example.com', class: 'IN' }],
      answers: vectors.map(([answer]) => ({ ...answer, class: 'IN' }) as Answer),
    });
    const { questionBytes: _, ...read } = decodeMessage(bytes);
    expect(read).toEqual(message);
  });

  it('reads what we write', () => {
    const read = oracleDecode(encodeMessage(message));
    expect(read.id).toBe(77);
    expect(read.questions).toEqual([{ name: 'example.com', type: 'MX', class: 'IN' }]);
    for (const [index, [answer]] of vectors.entries()) {
      expect(read.answers?.[index]).toMatchObject({ ...answer, class: 'IN' });
    }
  });

  it('reads our OPT record', () => {
    const edns = {
      udpPayload: 1232,
      version: 0,
      dnssecOk: true,
      options: [{ code: 65_001, data: Buffer.from('ab') }],
    };
    const read = oracleDecode(encodeMessage({ ...message, answers: [], edns }));
    expect(read.additionals?.[0]).toMatchObject({
      type: 'OPT',
      udpPayloadSize: 1232,
      ednsVersion: 0,
      flag_do: true,
      options: [{ code: 65_001, data: Buffer.from('ab') }],
    });
  });
});
