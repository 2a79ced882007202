/**
 * Extended errors of the running service (RFC 8914, decisions 8): which code explains which refusal,
 * and how little a refusal weighs, so that nobody can send others more than they send us.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ixfrSoa,
  optRecord,
  type RequestFields,
  readAnswer,
  requestMessage,
  wireRecord,
} from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { askByTcp, askByUdp } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Bytes of an extended error without words: code and length of the option, and its INFO-CODE. */
const explanationBytes = 6;

let open: RunningService;
/** Answers no queries, as a hidden primary does. */
let hidden: RunningService;

async function prepared(env: Record<string, string>): Promise<RunningService> {
  const service = await startService(env);
  for (const name of ['example.com', 'off.test']) {
    await service.must('POST', '/zones', {
      name,
      mname: 'ns1.example.com',
      rname: 'hostmaster@example.com',
    });
  }
  await service.must('PUT', '/zones/off.test', { enabled: false });
  return service;
}

beforeAll(async () => {
  // Nobody is a secondary, so nobody may transfer.
  [open, hidden] = await Promise.all([
    prepared({}),
    prepared({ ZONEBOOK_DNS_ANSWER_QUERIES: 'false' }),
  ]);
});
afterAll(async () => {
  await Promise.all([open[Symbol.asyncDispose](), hidden[Symbol.asyncDispose]()]);
});

/** RCODE and codes of extended errors, of the answers over UDP and TCP, which are the same. */
async function told(service: RunningService, fields: RequestFields): Promise<unknown[]> {
  const request = requestMessage({ additional: [optRecord()], ...fields });
  const [udp, tcp] = [
    readAnswer(await askByUdp(service.dnsPort, request)),
    readAnswer(await askByTcp(service.dnsPort, request)),
  ];
  expect([tcp.rcode, tcp.extendedErrors]).toEqual([udp.rcode, udp.extendedErrors]);
  expect([...udp.answers, ...udp.authorities, ...udp.additionals]).toEqual([]);
  return [udp.rcode, ...udp.extendedErrors];
}

const update = 5 << 11;

describe('the code', () => {
  it('is 20 where we are not authoritative (RFC 8914 4.21)', async () => {
    for (const name of ['example.net', 'www.example.net', 'com', '.', 'off.test', 'www.off.test']) {
      for (const service of [open, hidden]) {
        for (const type of ['SOA', 'AXFR', 'IXFR']) {
          expect(await told(service, { name, type })).toEqual(['NOTAUTH', 20]);
        }
        for (const type of ['A', 'NS', 'ANY', 'TYPE65280']) {
          expect(await told(service, { name, type })).toEqual(['REFUSED', 20]);
        }
        const zone = { name, type: 'SOA', flags: update };
        expect(await told(service, zone)).toEqual(['NOTAUTH', 20]);
      }
    }
    // Zones are transferred and updated by their own name, not by a name in them.
    for (const fields of [{ type: 'AXFR' }, { type: 'IXFR' }, { type: 'SOA', flags: update }]) {
      expect(await told(open, { name: 'www.example.com', ...fields })).toEqual(['NOTAUTH', 20]);
    }
  });

  it('is 18 where the client may not have it (RFC 8914 4.19)', async () => {
    const authority = [ixfrSoa('example.com', 1)];
    for (const service of [open, hidden]) {
      for (const name of ['example.com', 'catalog.invalid']) {
        expect(await told(service, { name, type: 'AXFR' })).toEqual(['REFUSED', 18]);
        expect(await told(service, { name, type: 'IXFR', authority })).toEqual(['REFUSED', 18]);
        // Whether a request is well formed is nobody's business who may not ask.
        expect(await told(service, { name, type: 'IXFR' })).toEqual(['REFUSED', 18]);
      }
      expect(await told(service, { name: 'catalog.invalid', type: 'SOA' })).toEqual([
        'REFUSED',
        18,
      ]);
    }
  });

  it('is 21 where nobody is answered (RFC 8914 4.22)', async () => {
    for (const type of ['A', 'NS', 'TXT', 'ANY']) {
      expect(await told(hidden, { name: 'example.com', type })).toEqual(['REFUSED', 21]);
    }
    for (const type of ['TKEY', 'MAILA', 'MAILB']) {
      expect(await told(open, { name: 'example.com', type })).toEqual(['REFUSED', 21]);
    }
  });

  it('is 22 with words where an update is refused', async () => {
    for (const service of [open, hidden]) {
      const answer = await told(service, { name: 'example.com', type: 'SOA', flags: update });
      expect(answer).toEqual(['REFUSED', 18, 22]);
    }
  });

  it('is missing where there is nothing to explain', async () => {
    expect(await told(open, { name: 'example.com', type: 'A', class: 3 })).toEqual(['REFUSED']);
    expect(await told(open, { name: 'x.example.com', type: 'A', flags: 4 << 11 })).toEqual([
      'NOTIMP',
    ]);
    const plain = readAnswer(
      await askByUdp(open.dnsPort, requestMessage({ name: 'example.com', type: 'SOA' })),
    );
    expect(plain).toMatchObject({ rcode: 'NOERROR', opt: undefined, extendedErrors: [] });
  });

  it('is not sent to clients without EDNS (RFC 8914 3)', async () => {
    const request = requestMessage({ name: 'example.net', type: 'A' });
    const answer = readAnswer(await askByUdp(open.dnsPort, request));
    expect(answer).toMatchObject({ rcode: 'REFUSED', opt: undefined });
    expect(answer.bytes).toBe(request.length);
  });
});

const serverCookieBytes = 16;

describe('a refusal', () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.net`;
  const tsig = wireRecord('key.example.com', 'TSIG', Buffer.alloc(60), 255);
  const refusals: [string, RequestFields][] = [
    ['unknown zone', { name, type: 'A' }],
    ['unknown zone, SOA', { name, type: 'SOA' }],
    ['transfer', { name: 'example.com', type: 'AXFR' }],
    ['incremental transfer', { name: 'example.com', type: 'IXFR', authority: [] }],
    [
      'incremental transfer with SOA',
      { name: 'example.com', type: 'IXFR', authority: [ixfrSoa('example.com', 1)] },
    ],
    ['catalog', { name: 'catalog.invalid', type: 'AXFR' }],
    ['catalog, PTR', { name: 'zones.catalog.invalid', type: 'PTR' }],
    ['update', { name: 'example.com', type: 'SOA', flags: update }],
    ['update of a stranger', { name, type: 'SOA', flags: update }],
    ['update without zone', { name: 'example.com', type: 'A', flags: update }],
    ['notify', { name: 'example.com', type: 'SOA', flags: 4 << 11 }],
    ['opcode', { name, type: 'SOA', flags: 15 << 11 }],
    ['class', { name: 'version.bind', type: 'TXT', class: 3 }],
    ['meta type', { name: 'example.com', type: 'TKEY' }],
    ['malformed signature', { name: 'example.com', type: 'SOA', additional: [tsig] }],
    ['signature and OPT', { name: 'example.com', type: 'SOA', additional: [tsig, optRecord()] }],
    ['version', { name: 'example.com', type: 'A', additional: [optRecord({ version: 1 })] }],
  ];

  it.each(refusals)(
    'is no larger than its request but for the code and a cookie: %s',
    async (what, fields) => {
      for (const service of [open, hidden]) {
        const plain = requestMessage(fields);
        expect((await askByUdp(service.dnsPort, plain)).length).toBeLessThanOrEqual(plain.length);
        if (fields.additional !== undefined) continue;
        const options = Buffer.from([0, 11, 0, 0, 0, 3, 0, 0, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
        for (const opt of [optRecord(), optRecord({ payload: 65_535, flags: 0x8000, options })]) {
          const request = requestMessage({ ...fields, additional: [opt] });
          const answer = await askByUdp(service.dnsPort, request);
          // That an update is not signed is said in words, which are no more than the request once again.
          const explained = what === 'update' ? request.length : explanationBytes;
          // Who has a cookie is given one of the server's (RFC 9018 4).
          const cookie = request.includes(options) ? serverCookieBytes : 0;
          expect(answer.length).toBeLessThanOrEqual(request.length + explained + cookie);
        }
      }
    },
  );

  it('of an unknown key is less than twice its request, even when that is compressed', async () => {
    // The key's name as a pointer to the question's: as short as a signed request can be.
    const question = requestMessage({ name, type: 'SOA' });
    const algorithm = wireRecord('hmac-sha256', 'A', Buffer.alloc(0)).subarray(0, 13);
    const times = Buffer.from('00006553f100012c', 'hex');
    for (const macBytes of [0, 16, 32]) {
      const mac = Buffer.alloc(2 + macBytes);
      mac.writeUInt16BE(macBytes, 0);
      const rdata = Buffer.concat([algorithm, times, mac, Buffer.from('123400000000', 'hex')]);
      const head = Buffer.from('c00c00fa00ff000000000000', 'hex');
      head.writeUInt16BE(rdata.length, 10);
      const request = Buffer.concat([question, head, rdata]);
      request.writeUInt16BE(1, 10);
      const answer = await askByUdp(open.dnsPort, request);
      expect(readAnswer(answer).rcode).toBe('NOTAUTH');
      // What was a pointer is a name now: once the question's, and nothing on top.
      expect(answer.length).toBeLessThanOrEqual(request.length + name.length);
      expect(answer.length).toBeLessThan(2 * request.length);
    }
  });

  it('of bytes that are no request is a header', async () => {
    for (const bytes of [12, 13, 100, 1000]) {
      const noise = Buffer.alloc(bytes, 0x55);
      noise[2] = 0;
      expect((await askByUdp(open.dnsPort, noise)).length).toBe(12);
    }
  });
});

needsPeers('dnspython')('dnspython', () => {
  it('reads the codes and their names', async () => {
    const ask = (service: RunningService) =>
      dnspython<unknown>(
        service.dnsPort,
        `
result = []
for name, rdtype in given:
    query = dns.message.make_query(name, rdtype, use_edns=0)
    answer = dns.query.udp(query, '127.0.0.1', port=port, timeout=60)
    result += [[o.code.name, o.text] for o in answer.options if isinstance(o, dns.edns.EDEOption)]
`,
        [
          ['example.net', 'A'],
          ['example.com', 'AXFR'],
          ['example.com', 'TKEY'],
        ],
      );
    const expected = [
      ['NOT_AUTHORITATIVE', null],
      ['PROHIBITED', null],
      ['NOT_SUPPORTED', null],
    ];
    expect(await ask(open)).toEqual(expected);
    expect(await ask(hidden)).toEqual(expected);
  });
});
