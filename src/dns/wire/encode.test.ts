import { describe, expect, it } from 'vitest';
import { type NameKey, nameToWire, parseAbsoluteName } from '../name.ts';
import { packRecords } from '../record.ts';
import { rrtype } from '../rrtype.ts';
import { decodeMessage } from './decode.ts';
import { answerEdns, extendedError, extendedErrorCode } from './edns.ts';
import { appendTsig, encodeMessage } from '../../../spec/support/encode-message.ts';
import { MessageWriter } from './encode.ts';
import { type HeaderFields, opcode, rcode, recordClass } from './header.ts';
import type { WireRecord } from './message.ts';

const answerHeader: HeaderFields = {
  id: 0x1234,
  opcode: opcode.QUERY,
  rcode: rcode.NOERROR,
  response: true,
  authoritative: true,
  truncated: false,
  recursionDesired: false,
  recursionAvailable: false,
  authenticData: false,
  checkingDisabled: false,
};
const example = parseAbsoluteName('example.com');
const question = { name: example, type: rrtype.NS, class: recordClass.IN };
const address = Buffer.from([192, 0, 2, 1]);

function addressRecord(name: string | NameKey): WireRecord {
  const key = name.includes('\0') ? (name as NameKey) : parseAbsoluteName(name);
  return { name: key, type: rrtype.A, class: recordClass.IN, ttl: 300, rdata: address };
}

/** The pointers that the name at `at` leads over. */
function pointersOn(bytes: Buffer, at: number): number {
  const head = bytes[at]!;
  if (head === 0) return 0;
  if (head < 0xc0) return pointersOn(bytes, at + 1 + head);
  return 1 + pointersOn(bytes, bytes.readUInt16BE(at) & 0x3fff);
}

function nameServers(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    nameToWire(parseAbsoluteName(`ns${index}.example.com`)),
  );
}

describe('compression (RFC 1035 4.1.4)', () => {
  it('writes the names of the RFC: a whole one, a label and pointer, a pointer, the root', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question({ name: parseAbsoluteName('F.ISI.ARPA'), type: 1, class: 1 });
    for (const name of ['FOO.F.ISI.ARPA', 'ARPA', '.'])
      writer.record('answer', addressRecord(name));
    const rest = '00010001 0000012c 0004 c0000201'.replaceAll(' ', '');
    expect(writer.finish().toString('hex')).toBe(
      '123484000001000300000000' +
        '016603697369046172706100' +
        `00010001${'03666f6fc00c'}${rest}c012${rest}00${rest}`,
    );
  });

  it('compresses the names in RDATA of the types of RFC 1035 only', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question(question);
    const target = nameToWire(parseAbsoluteName('a.example.com'));
    writer.rrset('answer', example, rrtype.NS, 60, [target]);
    writer.rrset('answer', example, rrtype.MX, 60, [Buffer.concat([Buffer.of(0, 5), target])]);
    const service = Buffer.concat([Buffer.of(0, 1, 0, 2, 0, 3), target]);
    writer.rrset('answer', example, rrtype.SRV, 60, [service]);
    const bytes = writer.finish();
    const text = bytes.toString('hex');
    expect(text).toContain('c00c00020001' + '0000003c' + '0004' + '0161c00c');
    expect(text).toContain('c00c000f0001' + '0000003c' + '0004' + '0005' + 'c029');
    expect(text).toContain(`c00c002100010000003c0015${service.toString('hex')}`);
    expect(decodeMessage(bytes).answers.map((record) => record.rdata.length)).toEqual([15, 17, 21]);
  });

  it('never points beyond byte 16383', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question(question);
    const filler = { ...addressRecord('filler.test'), type: 65_280, rdata: Buffer.alloc(16_384) };
    expect(writer.record('answer', filler)).toBe(true);
    const late = addressRecord('late.invalid');
    expect(writer.record('answer', late) && writer.record('answer', late)).toBe(true);
    const bytes = writer.finish();
    expect(bytes.toString('latin1').split('late').length).toBe(3);
    expect(decodeMessage(bytes).answers.slice(1)).toEqual([late, late]);
  });

  it('leads over few pointers, because others give up after 16', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question(question);
    let name = 'example.com';
    for (let depth = 0; depth < 40; depth++) {
      name = `x.${name}`;
      expect(writer.record('answer', addressRecord(name))).toBe(true);
    }
    const bytes = writer.finish();
    expect(decodeMessage(bytes).answers.at(-1)).toEqual(addressRecord(name));
    let at = 29;
    for (let depth = 1; depth <= 40; depth++) {
      expect(pointersOn(bytes, at)).toBeLessThanOrEqual(8);
      while (bytes[at]! < 0xc0) at += 1 + bytes[at]!;
      at += 2 + 10 + 4;
    }
    expect(at).toBe(bytes.length);
  });

  it('echoes the question with its capitals and points at it', () => {
    const raw = Buffer.from('074578614d506c6503434f6d0000020001', 'hex');
    const writer = new MessageWriter(answerHeader);
    writer.questionBytes(raw, question);
    writer.record('answer', addressRecord('www.example.com'));
    const bytes = writer.finish();
    expect(bytes.subarray(12, 29)).toEqual(raw);
    expect(bytes.subarray(29, 35).toString('hex')).toBe('03777777c00c');
  });

  it('writes labels with the bytes 0 and 1 as they are', () => {
    const name = parseAbsoluteName('a\\000b\\001.\\255\\.x.example.com');
    const bytes = encodeMessage({
      ...answerHeader,
      questions: [{ ...question, name }],
      answers: [addressRecord(name)],
      authorities: [],
      additionals: [],
    });
    expect(bytes.subarray(12, 22).toString('hex')).toBe('0461006201' + '03ff2e78' + '07');
    expect(decodeMessage(bytes).answers[0]?.name).toBe(name);
  });
});

describe('limits', () => {
  it('writes an RRset whole or not at all (RFC 2181 9)', () => {
    const writer = new MessageWriter(answerHeader, 512);
    writer.question(question);
    expect(writer.rrset('answer', example, rrtype.NS, 60, nameServers(40))).toBe(false);
    expect(writer.rrset('answer', example, rrtype.NS, 60, nameServers(3))).toBe(true);
    writer.setTruncated();
    const message = decodeMessage(writer.finish());
    expect(message.truncated).toBe(true);
    // Had the refused names stayed in the compression map, these would not be readable.
    expect(message.answers.map((record) => record.rdata)).toEqual(nameServers(3));
  });

  it('keeps the room of OPT and of what is reserved, to the byte', () => {
    const edns = answerEdns({ udpPayload: 4096, version: 0, dnssecOk: true, options: [] });
    const used = 12 + 17 + 11 + 16;
    for (const [limit, fits] of [
      [used + 100, true],
      [used + 99, false],
    ] as const) {
      const writer = new MessageWriter(answerHeader, limit);
      writer.edns(edns);
      writer.reserve(100);
      writer.question(question);
      expect(writer.record('answer', addressRecord(example))).toBe(fits);
      expect(writer.finish()).toHaveLength(fits ? used : used - 16);
    }
  });

  it('case 37: a record that fits into no message is refused, not cut', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question(question);
    const huge = { ...addressRecord(example), type: 65_280, rdata: Buffer.alloc(65_535) };
    expect(writer.record('answer', huge)).toBe(false);
    expect(writer.record('answer', { ...huge, rdata: Buffer.alloc(65_535 - 41) })).toBe(true);
    expect(writer.freeBytes).toBe(0);
    expect(writer.finish()).toHaveLength(65_535);
  });

  it('case 52: a truncated message keeps OPT and TSIG', () => {
    const tsig = { ...addressRecord('key'), type: rrtype.TSIG, class: recordClass.ANY, ttl: 0 };
    const bytes = encodeMessage(
      {
        ...answerHeader,
        questions: [question],
        answers: Array.from({ length: 60 }, () => addressRecord(example)),
        authorities: [],
        additionals: [addressRecord('ns.example.com')],
        edns: { udpPayload: 1232, version: 0, dnssecOk: false, options: [] },
        tsig: { ...tsig, offset: 0 },
      },
      { limit: 512 },
    );
    expect(bytes.length).toBeLessThanOrEqual(512);
    const message = decodeMessage(bytes);
    expect(message.truncated).toBe(true);
    expect(message.edns).toBeDefined();
    expect(message.tsig?.name).toBe(tsig.name);
    expect(message.answers.length).toBe(Math.floor((512 - 12 - 17 - 11 - 19) / 16));
    expect(message.additionals).toEqual([]);
  });

  it('refuses sections out of order as a bug', () => {
    const writer = new MessageWriter(answerHeader);
    writer.record('additional', addressRecord(example));
    expect(() => writer.record('answer', addressRecord(example))).toThrow('assertion failed');
  });
});

describe('parts of a message', () => {
  it('splits an extended rcode between header and OPT', () => {
    const writer = new MessageWriter(answerHeader);
    writer.setRcode(rcode.BADVERS);
    writer.edns({ udpPayload: 1232, version: 0, dnssecOk: false, options: [] });
    const reason = extendedError(extendedErrorCode.NOT_AUTHORITATIVE, 'no such zone');
    writer.edns({ udpPayload: 1232, version: 0, dnssecOk: false, options: [reason] });
    const bytes = writer.finish();
    expect(bytes[3]! & 15).toBe(0);
    const message = decodeMessage(bytes);
    expect(message.rcode).toBe(rcode.BADVERS);
    expect(message.edns?.options).toEqual([reason]);
  });

  it('asserts that an extended rcode has an OPT to stand in', () => {
    const writer = new MessageWriter(answerHeader);
    writer.setRcode(rcode.BADVERS);
    expect(() => writer.finish()).toThrow('assertion failed');
  });

  it('sends packed records as they are', () => {
    const packed = packRecords([
      { owner: '' as NameKey, type: rrtype.A, ttl: 60, rdata: address },
      { owner: parseAbsoluteName('www'), type: rrtype.A, ttl: 60, rdata: address },
    ]);
    const writer = new MessageWriter(answerHeader, 512);
    writer.question(question);
    expect(writer.packedRecords('answer', packed, 2)).toBe(true);
    expect(writer.packedRecords('answer', Buffer.alloc(512), 1)).toBe(false);
    const { answers } = decodeMessage(writer.finish());
    expect(answers.map((record) => record.name)).toEqual([
      example,
      parseAbsoluteName('www.example.com'),
    ]);
  });

  it('appends a TSIG and counts it', () => {
    const writer = new MessageWriter(answerHeader);
    writer.question(question);
    const before = writer.finish();
    const tsig = { ...addressRecord('key.example.com'), type: rrtype.TSIG, class: 255, ttl: 0 };
    const message = decodeMessage(appendTsig(before, tsig));
    expect(message.tsig).toEqual({ ...tsig, offset: before.length });
  });
});
