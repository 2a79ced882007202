import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../../spec/support/encode-message.ts';
import { needsPeers, peer } from '../../../spec/support/peers.ts';
import { WireError } from '../error.ts';
import { keyFromLabels, type NameKey, nameToWire } from '../name.ts';
import { rrtype } from '../rrtype.ts';
import { decodeMessage } from './decode.ts';
import { opcode, recordClass } from './header.ts';
import type { Edns, Message, WireRecord } from './message.ts';

/** Few labels, so that names share suffixes and compression has work; and some of any bytes. */
const label = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'www', 'example', 'com', 'xn--nxasmq6b') },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ minLength: 1, maxLength: 63 })
      .map((bytes) => Buffer.from(bytes).toString('latin1')),
  },
);
const name: fc.Arbitrary<NameKey> = fc
  .array(label, { maxLength: 8 })
  .filter((labels) => labels.reduce((sum, each) => sum + each.length + 1, 1) <= 255)
  .map((labels) => keyFromLabels(labels));
const target = name.map((key) => nameToWire(key));
const u16 = fc.nat(65_535);
const bytes = (exactly: number) =>
  fc.uint8Array({ minLength: exactly, maxLength: exactly }).map((bytes) => Buffer.from(bytes));
const text = fc
  .array(fc.uint8Array({ maxLength: 255 }), { minLength: 1, maxLength: 3 })
  .map((segments) =>
    Buffer.concat(segments.flatMap((segment) => [Buffer.of(segment.length), segment])),
  );
const concatenated = (...parts: fc.Arbitrary<Buffer>[]) =>
  fc.tuple(...parts).map((buffers) => Buffer.concat(buffers));

const typeAndRdata = fc.oneof(
  fc.tuple(fc.constant(rrtype.A), bytes(4)),
  fc.tuple(fc.constant(rrtype.AAAA), bytes(16)),
  fc.tuple(fc.constantFrom(rrtype.NS, rrtype.CNAME, rrtype.PTR, rrtype.DNAME), target),
  fc.tuple(fc.constant(rrtype.MX), concatenated(bytes(2), target)),
  fc.tuple(fc.constant(rrtype.SRV), concatenated(bytes(6), target)),
  fc.tuple(fc.constant(rrtype.TXT), text),
  fc.tuple(fc.constant(rrtype.SOA), concatenated(target, target, bytes(20))),
  fc.tuple(
    fc.constant(65_280),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  ),
);
const record: fc.Arbitrary<WireRecord> = fc
  .tuple(name, typeAndRdata, fc.nat(2_147_483_647))
  .map(([owner, [type, rdata], ttl]) => ({
    name: owner,
    type,
    class: recordClass.IN,
    ttl,
    rdata,
  }));
const records = fc.array(record, { maxLength: 6 });
/** Codes above those that dnspython reads itself and would refuse when their data are odd. */
const option = fc.record({
  code: fc.integer({ min: 65_001, max: 65_534 }),
  data: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
});
const edns: fc.Arbitrary<Edns> = fc.record({
  udpPayload: u16,
  version: fc.constant(0),
  dnssecOk: fc.boolean(),
  options: fc.array(option, { maxLength: 3 }),
});

function messages(code: fc.Arbitrary<number>): fc.Arbitrary<Message> {
  const fields = fc.record({
    id: u16,
    opcode: code,
    rcode: fc.nat(15),
    response: fc.boolean(),
    authoritative: fc.boolean(),
    truncated: fc.boolean(),
    recursionDesired: fc.boolean(),
    recursionAvailable: fc.boolean(),
    authenticData: fc.boolean(),
    checkingDisabled: fc.boolean(),
    questions: fc.tuple(
      fc.record({ name, type: fc.constantFrom(1, 6, 28, 252, 255), class: fc.constant(1) }),
    ),
    answers: records,
    authorities: records,
    additionals: records,
  });
  return fc.tuple(fields, fc.option(fc.tuple(edns, fc.nat(0xfff)), { nil: undefined })).map(
    ([message, extra]): Message =>
      // Without EDNS an rcode has four bits.
      extra === undefined ? message : { ...message, edns: extra[0], rcode: extra[1] },
  );
}

const ordinary = messages(fc.constantFrom(opcode.QUERY, opcode.NOTIFY));

/** A message without what depends on the bytes it was read from. */
function meaning(message: Message): unknown {
  const { questionBytes: _bytes, tsig, ...rest } = message;
  return tsig === undefined ? rest : { ...rest, tsig: { ...tsig, offset: 0 } };
}

/** The result of a reader, or undefined for a refusal; anything but a WireError fails the test. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
    return undefined;
  }
}

describe('properties', () => {
  it('what was written is read back', () => {
    fc.assert(
      fc.property(ordinary, (message) => {
        const bytes = encodeMessage(message);
        const read = decodeMessage(bytes);
        expect(meaning(read)).toEqual(message);
        expect(encodeMessage(read)).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });

  it('a limit is kept, and what is left out comes from the end', () => {
    fc.assert(
      fc.property(ordinary, fc.integer({ min: 512, max: 1232 }), (message, limit) => {
        fc.pre(message.edns === undefined || message.edns.options.length === 0);
        const bytes = encodeMessage(message, { limit });
        expect(bytes.length).toBeLessThanOrEqual(limit);
        const read = decodeMessage(bytes);
        for (const section of ['answers', 'authorities', 'additionals'] as const) {
          expect(read[section]).toEqual(message[section].slice(0, read[section].length));
        }
        if (
          read.answers.length + read.authorities.length <
          message.answers.length + message.authorities.length
        ) {
          expect(read.truncated).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('case 60: arbitrary bytes are read or refused with a WireError', () => {
    const header = fc.tuple(bytes(4), fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }));
    const framed = fc
      .tuple(header, fc.uint8Array({ maxLength: 200 }))
      .map(([[start, counts], rest]) =>
        Buffer.concat([start, Buffer.from(counts.flatMap((count) => [0, count])), rest]),
      );
    const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(framed, anything), (bytes) => {
        attempt(() => decodeMessage(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('case 60: damaged messages are read or refused, and what is read can be written', () => {
    const damage = fc.array(
      fc.record({
        at: fc.nat(1000),
        byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0xc0, 0xc1, 0xff, 41, 250)),
        kind: fc.constantFrom('set', 'set', 'insert', 'remove', 'cut'),
      }),
      { minLength: 1, maxLength: 4 },
    );
    const kinds = messages(fc.constantFrom(opcode.QUERY, opcode.UPDATE, 15));
    fc.assert(
      fc.property(kinds, damage, (message, changes) => {
        const list = [...encodeMessage(message)];
        for (const { at, byte, kind } of changes) {
          const position = at % list.length;
          if (kind === 'set') list[position] = byte;
          else if (kind === 'insert') list.splice(position, 0, byte);
          else list.splice(position, kind === 'remove' ? 1 : list.length);
          if (list.length === 0) list.push(byte);
        }
        const bytes = Buffer.from(list);
        const read = attempt(() => decodeMessage(bytes));
        if (read !== undefined) {
          expect(meaning(decodeMessage(encodeMessage(read)))).toEqual(meaning(read));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** Reads messages in hex, one a line; writes what it understood and the bytes it makes of it. */
const dnspythonProgram = `
import json, sys, dns.message, dns.name
def rows(section):
    return [[s.name.to_wire().hex(), s.rdtype, s.rdclass, s.ttl, s[0].to_digestable().hex()]
            for s in section]
for line in sys.stdin:
    m = dns.message.from_wire(bytes.fromhex(line.strip()), one_rr_per_rrset=True)
    q = m.sections[0][0]
    print(json.dumps({
        'id': m.id, 'flags': int(m.flags) & 0x87ff, 'opcode': int(m.opcode()), 'rcode': int(m.rcode()),
        'question': [q.name.to_wire().hex(), q.rdtype],
        'sections': [rows(s) for s in m.sections[1:]],
        'options': [[int(o.otype), o.to_wire().hex()] for o in m.options] if m.edns >= 0 else None,
        'payload': m.payload if m.edns >= 0 else None,
        'wire': m.to_wire(max_size=65535).hex(),
    }))
`;

needsPeers('dnspython')('dnspython', () => {
  it('reads what we write as we do, and we read what it writes', () => {
    const sample = fc.sample(messages(fc.constant(opcode.QUERY)), { numRuns: 200, seed: 1035 });
    const written = sample.map((message) => encodeMessage(message));
    const run = spawnSync(peer('dnspython')!, ['-c', dnspythonProgram], {
      input: written.map((bytes) => bytes.toString('hex')).join('\n'),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(run.stderr).toBe('');
    const lines = run.stdout.trim().split('\n');
    expect(lines).toHaveLength(sample.length);
    for (const [index, line] of lines.entries()) {
      const message = sample[index]!;
      const theirs = JSON.parse(line);
      const rows = (section: readonly WireRecord[]) =>
        section.map((each) => [
          nameToWire(each.name).toString('hex'),
          each.type,
          each.class,
          each.ttl,
          each.rdata.toString('hex'),
        ]);
      const { wire, flags, ...understood } = theirs;
      expect(flags & 0x87f0).toBe(written[index]!.readUInt16BE(2) & 0x87f0);
      expect(understood).toEqual({
        id: message.id,
        opcode: message.opcode,
        rcode: message.rcode,
        question: [
          nameToWire(message.questions[0]!.name).toString('hex'),
          message.questions[0]!.type,
        ],
        sections: [rows(message.answers), rows(message.authorities), rows(message.additionals)],
        options:
          message.edns?.options.map((each) => [each.code, each.data.toString('hex')]) ?? null,
        payload: message.edns?.udpPayload ?? null,
      });
      expect(meaning(decodeMessage(Buffer.from(wire, 'hex')))).toEqual(message);
    }
  });
});
