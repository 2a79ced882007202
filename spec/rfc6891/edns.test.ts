/**
 * EDNS of the running service, byte by byte (RFC 6891, cases 58 to 61): what a request may say in
 * its OPT record, what it may not, and what comes back.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ixfrSoa,
  type OptFields,
  optRecord,
  type ReadAnswer,
  readAnswer,
  requestMessage,
  wireName,
  wireRecord,
} from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { askByTcp, askByUdp, expectDropped } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService();
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
  const addresses = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ name, type: 'A', value: `192.0.2.${at}` }));
  // As answers these have 33 + 16 bytes a record: more than 512, and more than 1232 bytes.
  const records = [...addresses('some', 50), ...addresses('many', 100), ...addresses('www', 1)];
  await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

async function ask(name: string, opt: OptFields | undefined, flags?: number): Promise<ReadAnswer> {
  const additional = opt === undefined ? [] : [optRecord(opt)];
  const fields = { name, type: 'A', additional, ...(flags === undefined ? {} : { flags }) };
  return readAnswer(await askByUdp(service.dnsPort, requestMessage(fields)));
}

/** Both transports: what is malformed is so on either. */
async function rcodesOf(request: Buffer): Promise<string[]> {
  const answers = [
    await askByUdp(service.dnsPort, request),
    await askByTcp(service.dnsPort, request),
  ];
  return answers.map((answer) => readAnswer(answer).rcode);
}

const www = { name: 'www.example.com', type: 'A' } as const;

describe('the OPT record of an answer', () => {
  it('is there exactly when the request had one (RFC 6891 6.1.1, 7)', async () => {
    const names = ['www.example.com', 'nothing.example.com', 'www.example.net', 'many.example.com'];
    for (const name of names) {
      expect((await ask(name, undefined)).opt).toBeUndefined();
      expect((await ask(name, {})).opt).toEqual({ payload: 1232, version: 0, extendedRcode: 0 });
    }
    for (const opcode of [1, 2, 4, 6, 15]) {
      expect((await ask('www.example.com', undefined, opcode << 11)).opt).toBeUndefined();
      expect((await ask('www.example.com', {}, opcode << 11)).opt?.version).toBe(0);
    }
    const chaos = { name: 'version.bind', type: 'TXT', class: 3 };
    const refused = requestMessage({ ...chaos, additional: [optRecord()] });
    const answer = readAnswer(await askByUdp(service.dnsPort, refused));
    expect(answer).toMatchObject({ rcode: 'REFUSED', opt: { payload: 1232 } });
  });

  it('stands in answers to requests without a question too, and says which version we know (6.1.3)', async () => {
    const withoutQuestion = (opcode: number, ...additional: Buffer[]) => {
      const counts = [0, 0, 0, additional.length] as const;
      const header = requestMessage({ ...www, flags: opcode << 11, counts }).subarray(0, 12);
      return Buffer.concat([header, ...additional]);
    };
    const opt = { payload: 1232, version: 0, extendedRcode: 0 };
    for (const [opcode, version, rcode, answered] of [
      [0, 0, 'FORMERR', opt],
      // BADVERS is 16, of which 1 stands in the OPT record.
      [0, 1, 'NOERROR', { ...opt, extendedRcode: 1 }],
      [2, 0, 'NOTIMP', opt],
    ] as const) {
      const request = withoutQuestion(opcode, optRecord({ version }));
      const answer = readAnswer(await askByUdp(service.dnsPort, request));
      expect(answer).toMatchObject({ rcode, questions: 0, opt: answered });
    }
    const plain = readAnswer(await askByUdp(service.dnsPort, withoutQuestion(2)));
    expect(plain).toMatchObject({ rcode: 'NOTIMP', opt: undefined });
  });

  it('stands in answers to transfers too', async () => {
    for (const type of ['AXFR', 'IXFR', 'SOA']) {
      const authority = type === 'IXFR' ? [ixfrSoa('example.com', 1)] : [];
      const fields = { name: 'example.com', type, authority };
      const plain = await askByTcp(service.dnsPort, requestMessage(fields));
      expect(readAnswer(plain).opt).toBeUndefined();
      const extended = requestMessage({ ...fields, additional: [optRecord()] });
      const answer = await askByTcp(service.dnsPort, extended);
      expect(readAnswer(answer).opt).toEqual({ payload: 1232, version: 0, extendedRcode: 0 });
    }
  });

  it('has the root as owner and our payload as class, whatever the client takes (6.1.2, 6.2.4)', async () => {
    const request = requestMessage({ ...www, additional: [optRecord({ payload: 4096 })] });
    const answer = await askByUdp(service.dnsPort, request);
    expect(answer.subarray(-11)).toEqual(optRecord({ payload: 1232 }));
  });

  it('copies DO and no other flag (RFC 6891 6.1.4, RFC 3225 3)', async () => {
    for (const [sent, returned] of [
      [0x8000, 0x8000],
      [0x7fff, 0],
      [0xffff, 0x8000],
      [0, 0],
    ] as const) {
      const request = requestMessage({ ...www, additional: [optRecord({ flags: sent })] });
      for (const answer of [
        await askByUdp(service.dnsPort, request),
        await askByTcp(service.dnsPort, request),
      ]) {
        expect(answer.readUInt16BE(answer.length - 4)).toBe(returned);
        expect(readAnswer(answer).answers).toHaveLength(1);
      }
    }
  });
});

describe('payload sizes (RFC 6891 6.2.3 to 6.2.5, case 58)', () => {
  it('below 512 are 512, above 1232 are 1232; what does not fit is cut with TC', async () => {
    for (const [payload, most] of [
      [0, 512],
      [1, 512],
      [511, 512],
      [512, 512],
      [513, 513],
      [1232, 1232],
      [1233, 1232],
      [65_535, 1232],
    ] as const) {
      for (const name of ['some.example.com', 'many.example.com']) {
        const answer = await ask(name, { payload });
        expect(answer.bytes).toBeLessThanOrEqual(most);
        const fits = name === 'some.example.com' && most === 1232;
        expect({ payload, name, tc: answer.tc }).toEqual({ payload, name, tc: !fits });
        expect(answer.answers).toHaveLength(fits ? 50 : 0);
      }
    }
    const plain = await ask('some.example.com', undefined);
    expect(plain).toMatchObject({ tc: true, opt: undefined });
    expect(plain.bytes).toBeLessThanOrEqual(512);
  });

  it('do not count over TCP', async () => {
    const additional = [optRecord({ payload: 512 })];
    const request = requestMessage({ name: 'many.example.com', type: 'A', additional });
    const answer = readAnswer(await askByTcp(service.dnsPort, request));
    expect(answer).toMatchObject({ tc: false, opt: { payload: 1232 } });
    expect(answer.answers).toHaveLength(100);
  });
});

describe('versions (RFC 6891 6.1.3, case 58)', () => {
  it('above 0 are BADVERS in version 0, without an answer, whatever else they say', async () => {
    const broken = Buffer.from([0, 10, 0xff, 0xff, 1]);
    for (const version of [1, 2, 100, 255]) {
      for (const options of [Buffer.alloc(0), broken]) {
        const answer = await ask('www.example.com', { version, options, flags: 0x8000 });
        expect(answer).toMatchObject({
          // 16 is BADVERS: its low four bits stand in the header, as NOERROR.
          rcode: 'NOERROR',
          opt: { payload: 1232, version: 0, extendedRcode: 1 },
          questions: 1,
          answers: [],
          authorities: [],
        });
      }
    }
  });

  it('of a request may come with an extended RCODE, which says nothing', async () => {
    const opt = optRecord();
    opt[5] = 0xff;
    const answer = await askByUdp(service.dnsPort, requestMessage({ ...www, additional: [opt] }));
    expect(readAnswer(answer)).toMatchObject({ rcode: 'NOERROR', opt: { extendedRcode: 0 } });
    expect(readAnswer(answer).answers).toHaveLength(1);
  });
});

describe('options (RFC 6891 6.1.2)', () => {
  const option = (code: number, data: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(code, 0);
    head.writeUInt16BE(data.length, 2);
    return Buffer.concat([head, data]);
  };

  it('nobody knows are ignored, in any number and order, and not echoed', async () => {
    const unknown = [
      option(3, Buffer.alloc(0)),
      option(8, Buffer.from([0, 1, 24, 0, 192, 0, 2])),
      option(9, Buffer.alloc(0)),
      option(12, Buffer.alloc(100)),
      option(65_001, Buffer.from('local')),
      option(0, Buffer.alloc(0)),
    ];
    for (const some of [unknown, [...unknown].reverse(), [...unknown, ...unknown]]) {
      const request = requestMessage({
        ...www,
        additional: [optRecord({ options: Buffer.concat(some) })],
      });
      const answer = await askByUdp(service.dnsPort, request);
      expect(readAnswer(answer).answers).toHaveLength(1);
      expect(answer.subarray(-11)).toEqual(optRecord());
    }
  });

  it('that are cut off are FORMERR', async () => {
    for (const options of [[0], [0, 10], [0, 10, 0], [0, 10, 0, 1], [0, 3, 0, 0, 0, 10, 0, 9, 1]]) {
      const additional = [optRecord({ options: Buffer.from(options) })];
      expect(await rcodesOf(requestMessage({ ...www, additional }))).toEqual([
        'FORMERR',
        'FORMERR',
      ]);
    }
  });
});

describe('malformed requests are FORMERR', () => {
  const formerr = ['FORMERR', 'FORMERR'];

  it('with two OPT records, side by side or not (RFC 6891 6.1.1, case 58)', async () => {
    const other = wireRecord('x.example.com', 'A', Buffer.from([192, 0, 2, 1]));
    for (const additional of [
      [optRecord(), optRecord()],
      [optRecord(), other, optRecord()],
      [optRecord(), optRecord({ version: 1 })],
      [optRecord({ version: 1 }), optRecord()],
    ]) {
      expect(await rcodesOf(requestMessage({ ...www, additional }))).toEqual(formerr);
    }
  });

  it('with OPT outside the additional section, or with an owner (RFC 6891 6.1.1, 6.1.2)', async () => {
    expect(await rcodesOf(requestMessage({ ...www, authority: [optRecord()] }))).toEqual(formerr);
    const asAnswer = requestMessage({ ...www, additional: [optRecord()], counts: [1, 1, 0, 0] });
    expect(await rcodesOf(asAnswer)).toEqual(formerr);
    const owned = Buffer.concat([wireName('example.com'), optRecord().subarray(1)]);
    expect(await rcodesOf(requestMessage({ ...www, additional: [owned] }))).toEqual(formerr);
    // An OPT whose owner is a pointer to a root is one with an owner, too: nobody writes that.
    const pointed = Buffer.concat([Buffer.from([0xc0, 28]), optRecord().subarray(1)]);
    expect(await rcodesOf(requestMessage({ ...www, additional: [pointed] }))).toEqual(formerr);
  });

  it('but other records beside OPT are no harm', async () => {
    const other = wireRecord('x.example.com', 'A', Buffer.from([192, 0, 2, 1]));
    for (const additional of [
      [other, optRecord()],
      [optRecord(), other],
    ]) {
      const answer = await askByUdp(service.dnsPort, requestMessage({ ...www, additional }));
      expect(readAnswer(answer)).toMatchObject({ rcode: 'NOERROR', opt: { version: 0 } });
    }
  });

  it('without a question, with two, with bytes left over or counts that lie (cases 59, 60)', async () => {
    const whole = requestMessage({ ...www, additional: [optRecord()] });
    const twice = requestMessage({ ...www, counts: [2, 0, 0, 0] });
    for (const request of [
      requestMessage({ ...www, counts: [0, 0, 0, 0] }).subarray(0, 12),
      Buffer.concat([twice, twice.subarray(12)]),
      Buffer.concat([whole, Buffer.from([0])]),
      requestMessage({ ...www, counts: [1, 0, 0, 1] }),
      requestMessage({ ...www, counts: [1, 65_535, 65_535, 65_535] }),
      requestMessage({ ...www, counts: [65_535, 0, 0, 0] }),
      whole.subarray(0, -1),
    ]) {
      expect(await rcodesOf(request)).toEqual(formerr);
    }
  });

  it('with names that loop, point ahead or are too long, at bounded cost (case 60)', async () => {
    const question = (name: number[]) =>
      Buffer.concat([
        requestMessage(www).subarray(0, 12),
        Buffer.from(name),
        Buffer.from([0, 1, 0, 1]),
      ]);
    const label = (bytes: number) => [bytes, ...Array.from({ length: bytes }, () => 97)];
    for (const name of [
      [0xc0, 12],
      [0xc0, 14],
      [1, 97, 0xc0, 12],
      [0xff, 0xff],
      [64, ...Array.from({ length: 64 }, () => 97), 0],
      [0x80, 0],
      [...label(63), ...label(63), ...label(63), ...label(62), 0],
    ]) {
      expect(await rcodesOf(question(name))).toEqual(formerr);
    }
    // Thousands of records, each with a name that leads through all the ones before.
    const pointers = Array.from({ length: 5000 }, (_, at) => {
      const record = Buffer.alloc(13);
      record.writeUInt16BE(0xc000 | Math.min(at === 0 ? 12 : 33 + 13 * (at - 1), 0x3fff), 0);
      record.writeUInt16BE(16, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(1, 10);
      return record;
    });
    const slow = requestMessage({ ...www, counts: [1, 0, 5000, 0], authority: pointers });
    expect(readAnswer(await askByTcp(service.dnsPort, slow)).rcode).toBe('FORMERR');
  });
});

describe('other requests', () => {
  it('that are answers are dropped (case 59)', async () => {
    const answer = requestMessage({ ...www, flags: 0x8180, additional: [optRecord()] });
    await expectDropped(service.dnsPort, answer, answer.subarray(0, 11));
  });

  it('of opcodes nobody knows are NOTIMP, with their question (case 59)', async () => {
    for (const opcode of [1, 2, 3, 6, 7, 15]) {
      const answer = await ask('www.example.com', {}, opcode << 11);
      expect(answer).toMatchObject({ rcode: 'NOTIMP', questions: 1, answers: [] });
      // Nobody knows how many questions they have: the first one has to do.
      const flags = opcode << 11;
      const twice = requestMessage({
        ...www,
        flags,
        counts: [2, 0, 0, 1],
        additional: [optRecord()],
      });
      const second = requestMessage({ name: 'a.example', type: 'A' }).subarray(12);
      const several = Buffer.concat([twice.subarray(0, -11), second, twice.subarray(-11)]);
      expect(readAnswer(await askByUdp(service.dnsPort, several))).toEqual(answer);
    }
    expect(service.output).not.toContain('dns.failed');
  });

  it('of other classes and for meta types are REFUSED, ANY is minimal (case 61)', async () => {
    for (const recordClass of [0, 3, 4, 254, 255]) {
      const request = requestMessage({ ...www, class: recordClass });
      expect(readAnswer(await askByUdp(service.dnsPort, request)).rcode).toBe('REFUSED');
    }
    for (const type of ['MAILA', 'MAILB', 'TKEY', 'TSIG', 'OPT']) {
      const request = requestMessage({ name: 'example.com', type });
      expect(readAnswer(await askByUdp(service.dnsPort, request)).rcode).toBe('REFUSED');
    }
    const any = requestMessage({ name: 'example.com', type: 'ANY', additional: [optRecord()] });
    const { rcode, answers } = readAnswer(await askByUdp(service.dnsPort, any));
    // The apex holds SOA and NS; one RRset is enough of an answer (RFC 8482 4.1).
    expect({ rcode, answers: answers.length }).toEqual({ rcode: 'NOERROR', answers: 1 });
  });
});

needsPeers('dnspython')('dnspython', () => {
  it('finds OPT, DO and BADVERS where it wants them', async () => {
    const outcome = await dnspython<unknown>(
      service.dnsPort,
      `
def ask(version=0, **fields):
    query = dns.message.make_query('www.example.com', 'A', **fields)
    if version > 0: query.use_edns(version)
    answer = dns.query.udp(query, '127.0.0.1', port=port, timeout=60)
    return [dns.rcode.to_text(answer.rcode()), answer.edns, answer.payload,
            bool(answer.ednsflags & dns.flags.DO), len(answer.answer)]
result = [ask(use_edns=False), ask(use_edns=0), ask(use_edns=0, want_dnssec=True), ask(version=1)]
`,
    );
    expect(outcome).toEqual([
      ['NOERROR', -1, 0, false, 1],
      ['NOERROR', 0, 1232, false, 1],
      ['NOERROR', 0, 1232, true, 1],
      ['BADVERS', 0, 1232, false, 0],
    ]);
  });
});
