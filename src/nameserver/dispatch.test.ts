import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ixfrSoa,
  optRecord,
  type ReadAnswer,
  type RequestFields,
  readAnswer,
  requestMessage,
} from '../../spec/support/dns-messages.ts';
import { memoryNodes, memoryZone } from '../../spec/support/memory-zones.ts';
import { Problem } from '../base/problem.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import { silentLog } from '../telemetry/log.ts';
import { Dispatcher, type DispatchServices } from './dispatch.ts';
import { RateLimit } from './rate-limit.ts';
import { SlowTransfers } from './slow-transfers.ts';
import { createTransferAcl } from './transfer-acl.ts';

const many = Array.from({ length: 100 }, (_, at) => `many A 192.0.2.${at}`).join('\n');
const zones = [
  memoryZone(
    'example.com',
    `@ NS ns1.example.com.\nns1 A 192.0.2.1\nwww A 192.0.2.80\n${many}
     mx MX 10 many.example.com.
     cut NS ns.cut.example.com.
     ns.cut A 192.0.2.2`,
  ),
  memoryZone('off.test', '@ NS ns1.off.test.', { enabled: false }),
];

const client = '198.51.100.7';

function nameserver(
  options: Partial<Pick<DispatchServices, 'answerQueries'>> = {},
  services: Partial<DispatchServices> = {},
) {
  const counted: string[] = [];
  const recorded: TransferEntry[] = [];
  const errors: string[] = [];
  const dispatcher = new Dispatcher({
    nodes: memoryNodes(zones),
    acl: {
      allows: (address) => address === '192.0.2.53',
      admits: (request) => request.client.address === '192.0.2.53',
    },
    openSource: () => undefined,
    slow: new SlowTransfers('/nonexistent'),
    metrics: {
      transfers: { inc: (...labels) => void counted.push(`xfr ${labels.join(' ')}`) },
      soaQueries: { inc: (result) => void counted.push(`soa ${result}`) },
      dnsQueries: { inc: (rcode) => void counted.push(rcode) },
    },
    transferLog: { record: (entry) => recorded.push(entry) },
    log: { ...silentLog(), error: (event) => errors.push(event) },
    clock: () => 0,
    server: { tcpIdleSeconds: 30 },
    answerQueries: true,
    ixfrCondense: true,
    snapshotMs: 60_000,
    ...options,
    ...services,
  });
  const raw = (bytes: Buffer, address = client, mustNotWait = false) =>
    dispatcher.answerDatagram(bytes, address, mustNotWait);
  const ask = async (
    fields: RequestFields,
    address = client,
    transport: 'udp' | 'tcp' = 'udp',
  ): Promise<ReadAnswer> => {
    const stream = {
      started: false,
      send: async () => {},
      takeTurn: async () => () => {},
      turnsTaken: 1,
      cut: () => {},
    };
    const bytes = requestMessage(fields);
    const reply =
      transport === 'udp'
        ? await dispatcher.answerDatagram(bytes, address)
        : await dispatcher.answerMessage(bytes, address, stream);
    return readAnswer(reply!);
  };
  return { raw, ask, counted, recorded, errors };
}

const www = { name: 'www.example.com', type: 'A' } as const;
const withOpt = { additional: [optRecord()] };

describe('the table of the DNS listener (decisions 8)', () => {
  it('drops responses and what is shorter than a header (case 59)', () => {
    const { raw, counted } = nameserver();
    expect(raw(requestMessage({ ...www, flags: 0x8000 }))).toBeUndefined();
    expect(raw(requestMessage(www).subarray(0, 11))).toBeUndefined();
    expect(raw(Buffer.alloc(0))).toBeUndefined();
    expect(counted).toEqual([]);
  });

  it('answers FORMERR when no more than the header can be read (case 60)', async () => {
    const { raw, counted } = nameserver();
    const whole = requestMessage({ ...www, ...withOpt });
    for (let bytes = 12; bytes < whole.length; bytes++) {
      const { id, rcode, rd } = readAnswer((await raw(whole.subarray(0, bytes)))!);
      expect({ id, rcode, rd }).toEqual({ id: 0x1234, rcode: 'FORMERR', rd: true });
    }
    expect(readAnswer((await raw(Buffer.concat([whole, Buffer.from([0])])))!).rcode).toBe(
      'FORMERR',
    );
    expect(new Set(counted)).toEqual(new Set(['FORMERR']));
  });

  it('answers FORMERR for no question, two questions and two OPT records (cases 58, 59)', async () => {
    const { raw, ask } = nameserver();
    const none = requestMessage({ ...www, counts: [0, 0, 0, 0] }).subarray(0, 12);
    expect(readAnswer((await raw(none))!).rcode).toBe('FORMERR');
    const one = requestMessage({ ...www, counts: [2, 0, 0, 0] });
    const two = Buffer.concat([one, one.subarray(12)]);
    expect(readAnswer((await raw(two))!).rcode).toBe('FORMERR');
    expect((await ask({ ...www, additional: [optRecord(), optRecord()] })).rcode).toBe('FORMERR');
  });

  it('refuses classes other than IN (case 61)', async () => {
    const { ask } = nameserver();
    for (const other of [3, 4, 254, 255, 7]) {
      expect((await ask({ ...www, class: other })).rcode).toBe('REFUSED');
    }
  });

  it('answers NOTIMP to NOTIFY and opcodes nobody knows, with the question (cases 57, 59)', async () => {
    const { raw, ask } = nameserver();
    for (const code of [1, 2, 3, 4, 6, 15]) {
      const { rcode, questions } = await ask({ ...www, type: 'SOA', flags: code << 11 });
      expect({ code, rcode, questions }).toEqual({ code, rcode: 'NOTIMP', questions: 1 });
    }
    const bare = requestMessage({ ...www, flags: 2 << 11, counts: [0, 0, 0, 0] }).subarray(0, 12);
    expect(readAnswer((await raw(bare))!).rcode).toBe('NOTIMP');
  });

  it('answers BADVERS to EDNS versions above 0, in version 0 (case 58)', async () => {
    const { ask, counted } = nameserver();
    const answer = await ask({ ...www, additional: [optRecord({ version: 1 })] });
    expect(answer.opt).toEqual({ payload: 1232, version: 0, extendedRcode: 1 });
    expect(answer.answers).toEqual([]);
    expect(counted).toEqual(['BADVERS']);
  });

  it('ignores options and flags it does not know, and sends OPT only when asked', async () => {
    const { ask } = nameserver();
    const cookie = Buffer.from([0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
    const odd = await ask({ ...www, additional: [optRecord({ flags: 0x4fff, options: cookie })] });
    expect(odd).toMatchObject({ rcode: 'NOERROR', answers: ['www.example.com 3600 A 192.0.2.80'] });
    expect((await ask(www)).opt).toBeUndefined();
  });

  it('refuses unknown and disabled zones; SOA, transfers and updates NOTAUTH; EDE 20', async () => {
    const { ask, counted } = nameserver();
    for (const name of ['www.example.net', 'www.off.test', 'off.test']) {
      expect(await ask({ name, type: 'A', ...withOpt })).toMatchObject({
        rcode: 'REFUSED',
        aa: false,
        extendedErrors: [20],
      });
      for (const [type, code] of [
        ['SOA', 0],
        ['AXFR', 0],
        ['IXFR', 0],
        ['SOA', 5],
      ] as const) {
        expect(await ask({ name, type, flags: code << 11, ...withOpt })).toMatchObject({
          rcode: 'NOTAUTH',
          extendedErrors: [20],
        });
      }
    }
    expect(counted.filter((label) => label === 'soa notauth')).toHaveLength(3);
    expect((await ask({ name: 'www.example.net', type: 'A' })).opt).toBeUndefined();
  });

  it('refuses meta-queries (case 61)', async () => {
    const { ask } = nameserver();
    for (const type of ['MAILA', 'MAILB', 'TKEY', 'TSIG', 'OPT']) {
      expect((await ask({ name: 'example.com', type })).rcode).toBe('REFUSED');
    }
  });

  it('refuses updates as long as nobody applies them', async () => {
    const { ask } = nameserver();
    const update = { name: 'example.com', type: 'SOA', flags: 5 << 11 };
    expect((await ask(update)).rcode).toBe('REFUSED');
    expect((await ask({ ...update, type: 'A' })).rcode).toBe('FORMERR');
    expect((await ask({ ...update, class: 3 })).rcode).toBe('NOTAUTH');
    // The zone section names a zone, not a name in one (case 1).
    expect((await ask({ ...update, name: 'www.example.com' })).rcode).toBe('NOTAUTH');
  });
});

describe('answers', () => {
  it('copy id, RD and the question with its capitals, and never set RA', async () => {
    const { raw } = nameserver();
    const request = requestMessage({ name: 'wWw.ExAmple.COM', type: 'A', id: 7, flags: 0 });
    const reply = (await raw(request))!;
    const { id, rd, ra, aa, answers } = readAnswer(reply);
    expect({ id, rd, ra, aa, count: answers.length }).toEqual({
      id: 7,
      rd: false,
      ra: false,
      aa: true,
      count: 1,
    });
    expect(reply.subarray(12, request.length)).toEqual(request.subarray(12));
  });

  it('have TC over UDP beyond what the client takes, 1232 at most (case 58)', async () => {
    const { ask } = nameserver();
    const name = 'many.example.com';
    const plain = await ask({ name, type: 'A' });
    expect(plain).toMatchObject({ tc: true, answers: [] });
    expect(plain.bytes).toBeLessThanOrEqual(512);
    for (const payload of [100, 512, 1231, 1232, 4096, 65_535]) {
      const answer = await ask({ name, type: 'A', additional: [optRecord({ payload })] });
      expect(answer.bytes).toBeLessThanOrEqual(Math.min(Math.max(payload, 512), 1232));
      expect(answer).toMatchObject({ tc: true, opt: { payload: 1232 } });
    }
    const tcp = await ask({ name, type: 'A' }, client, 'tcp');
    expect(tcp).toMatchObject({ tc: false });
    expect(tcp.answers).toHaveLength(100);
  });

  it('leave additional addresses out without TC, glue never', async () => {
    const { ask } = nameserver();
    const mx = await ask({ name: 'mx.example.com', type: 'MX' });
    expect(mx).toMatchObject({ tc: false, additionals: [] });
    expect(mx.answers).toHaveLength(1);
    const referral = await ask({ name: 'x.cut.example.com', type: 'A' });
    expect(referral.additionals).toEqual(['ns.cut.example.com 3600 A 192.0.2.2']);
  });

  it('tell TCP clients that ask how long an idle connection lives (RFC 7828)', async () => {
    const { ask } = nameserver();
    const options = Buffer.from([0, 11, 0, 0]);
    const request = { ...www, additional: [optRecord({ options })] };
    const reply = await ask(request, client, 'tcp');
    expect(reply.opt).toBeDefined();
    expect(reply.bytes).toBe((await ask(request)).bytes + 6);
  });

  it('are SERVFAIL when something breaks, and the next one is fine', async () => {
    let broken = true;
    const healthy = memoryNodes(zones);
    const { ask, errors, counted } = nameserver(
      {},
      {
        nodes: {
          ...healthy,
          findZone(name) {
            if (broken) throw new Error('disk I/O error');
            return healthy.findZone(name);
          },
        },
      },
    );
    expect((await ask(www)).rcode).toBe('SERVFAIL');
    broken = false;
    expect((await ask(www)).rcode).toBe('NOERROR');
    expect(errors).toEqual(['dns.failed']);
    expect(counted).toEqual(['SERVFAIL', 'NOERROR']);
  });
});

describe('with answer_queries off (decisions 8 and 12)', () => {
  const soa = { name: 'example.com', type: 'SOA', ...withOpt };

  it('answers SOA to those who may transfer and to this host, and refuses others', async () => {
    const { ask, counted } = nameserver({ answerQueries: false });
    expect(await ask(soa, '192.0.2.53')).toMatchObject({ rcode: 'NOERROR', aa: true });
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect((await ask(soa, address)).answers).toHaveLength(1);
    }
    expect(await ask(soa)).toMatchObject({ rcode: 'REFUSED', extendedErrors: [18], answers: [] });
    expect(counted.filter((label) => label === 'soa refused')).toHaveLength(1);
    expect(counted.filter((label) => label === 'soa answered')).toHaveLength(5);
  });

  it('refuses the rest with EDE 21', async () => {
    const { ask } = nameserver({ answerQueries: false });
    for (const address of [client, '127.0.0.1', '192.0.2.53']) {
      const answer = await ask({ ...www, ...withOpt }, address);
      expect(answer).toMatchObject({ rcode: 'REFUSED', extendedErrors: [21] });
    }
  });
});

describe('while enough datagrams wait', () => {
  const atRest = { name: 'example.com', type: 'SOA' };
  const never = new Promise<never>(() => {});
  const acl = createTransferAcl(
    {
      enabled: () => ['ns.example.net', '192.0.2.53'].map((address) => ({ address }) as Secondary),
    },
    { addressesOf: (host) => (host === '192.0.2.53' ? [host] : never) },
  );
  const updates = { answer: () => never };
  const rateLimit = new RateLimit({ responsesPerSecond: 0, slip: 1 });
  const update = { ...atRest, flags: 5 << 11 };
  const ixfr = { ...atRest, type: 'IXFR', authority: [ixfrSoa('example.com', 1)] };

  it('what waits for nothing is answered', async () => {
    const { raw } = nameserver({}, { acl, updates });
    const answer = raw(requestMessage(www), client, true) as Buffer;
    expect(readAnswer(answer).answers).toHaveLength(1);
    const hidden = nameserver({ answerQueries: false }, { acl, updates });
    expect(
      readAnswer((await hidden.raw(requestMessage(atRest), '192.0.2.53', true))!).answers,
    ).toHaveLength(1);
  });

  it.each([
    ['a transfer', { ...atRest, type: 'AXFR' }, {}],
    ['an update', update, {}],
    ['a SOA for those who may transfer alone', atRest, { answerQueries: false }],
    ['what is beyond the rate limit', www, { rateLimit }],
  ])('%s is dropped', async (_, fields, services) => {
    const { raw, errors, counted } = nameserver({}, { acl, updates, ...services });
    expect(await raw(requestMessage(fields), client, true)).toBeUndefined();
    expect([...errors, ...counted]).toEqual([]);
  });

  it('a transfer that finds no snapshot is dropped', async () => {
    const openSource = () => {
      throw new Problem('OVERLOADED', 'too many');
    };
    const { raw, errors } = nameserver({}, { openSource });
    expect(await raw(requestMessage(ixfr), '192.0.2.53', true)).toBeUndefined();
    expect(errors).toEqual([]);
  });
});

describe('transfers that are not given (cases 32, 40, 41)', () => {
  it('are refused with EDE 18, counted and recorded', async () => {
    const { ask, counted, recorded } = nameserver();
    for (const transport of ['udp', 'tcp'] as const) {
      const answer = await ask(
        { name: 'example.com', type: 'AXFR', ...withOpt },
        client,
        transport,
      );
      expect(answer).toMatchObject({ rcode: 'REFUSED', extendedErrors: [18], tc: false });
      expect(counted).toContain(`xfr axfr refused ${transport}`);
    }
    expect(recorded[0]).toMatchObject({
      zoneName: 'example.com',
      address: client,
      kind: 'axfr',
      result: 'refused',
      serial: null,
    });
  });

  it('over UDP say TC to a client that could have the AXFR over TCP', async () => {
    const { ask } = nameserver();
    const answer = await ask({ name: 'example.com', type: 'AXFR' }, '192.0.2.53');
    expect(answer).toMatchObject({ rcode: 'NOERROR', tc: true, answers: [] });
  });

  it('are NOTAUTH for a name below an apex', async () => {
    const { ask } = nameserver();
    const answer = await ask({ name: 'www.example.com', type: 'AXFR' }, '192.0.2.53', 'tcp');
    expect(answer.rcode).toBe('NOTAUTH');
  });

  it('are FORMERR when an IXFR does not carry the SOA of its zone', async () => {
    const { ask } = nameserver();
    const wrong = [
      [],
      [ixfrSoa('example.net', 1)],
      [ixfrSoa('example.com', 1, 3)],
      [ixfrSoa('example.com', 1), ixfrSoa('example.com', 2)],
    ];
    for (const authority of wrong) {
      for (const transport of ['udp', 'tcp'] as const) {
        const request = { name: 'example.com', type: 'IXFR', authority };
        expect((await ask(request, '192.0.2.53', transport)).rcode).toBe('FORMERR');
      }
    }
  });
});

describe('bytes of any kind (case 60)', () => {
  const seeds = [
    requestMessage({ ...www, ...withOpt }),
    requestMessage({ name: 'example.com', type: 'SOA' }),
    requestMessage({ name: 'example.com', type: 'IXFR', authority: [ixfrSoa('example.com', 1)] }),
    requestMessage({ name: 'example.com', type: 'SOA', flags: 5 << 11, ...withOpt }),
    requestMessage({ name: 'example.com', type: 'AXFR', ...withOpt }),
  ];
  const mutation = fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 255 }));

  it('are answered with their id or not at all, and break nothing', async () => {
    const { raw, errors } = nameserver();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(mutation, { maxLength: 6 }),
        fc.uint8Array({ maxLength: 20 }),
        async (seed, mutations, tail) => {
          const bytes = Buffer.concat([seed, tail]);
          for (const [at, byte] of mutations) if (at < bytes.length) bytes[at] = byte;
          const reply = await raw(bytes, '192.0.2.53');
          if ((bytes[2]! & 0x80) !== 0) expect(reply).toBeUndefined();
          else {
            expect(reply!.readUInt16BE(0)).toBe(bytes.readUInt16BE(0));
            expect(reply![2]! & 0x80).toBe(0x80);
            expect(reply!.length).toBeLessThanOrEqual(1232);
          }
        },
      ),
      { numRuns: 5000 },
    );
    expect(errors).toEqual([]);
  });
});
