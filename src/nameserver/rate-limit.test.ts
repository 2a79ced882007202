import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ixfrSoa, optRecord, readAnswer, requestMessage } from '../../spec/support/dns-messages.ts';
import { isLong } from '../../spec/support/long.ts';
import { memoryNodes, memoryZone } from '../../spec/support/memory-zones.ts';
import { silentLog } from '../telemetry/log.ts';
import type { FindKey } from './authenticate.ts';
import { Cookies } from './cookies.ts';
import { Dispatcher } from './dispatch.ts';
import { RateLimit } from './rate-limit.ts';
import { SlowTransfers } from './slow-transfers.ts';

/** The prefix of an address, worked out in another way than the program does. */
function prefixOf(address: string): string {
  if (!address.includes(':')) return address.split('.').slice(0, 3).join('.');
  const { hostname } = new URL(`http://[${address}]/`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const groups = [head, tail].map((text) => text.split(':').filter((group) => group !== ''));
  const zeros = Array(8 - groups[0]!.length - groups[1]!.length).fill('0');
  const all = [...groups[0]!, ...(hostname.includes('::') ? zeros : []), ...groups[1]!];
  if (all.slice(0, 5).join('') === '00000' && all[5] === 'ffff') {
    const ipv4 = Number.parseInt(all[6]!, 16) * 65_536 + Number.parseInt(all[7]!, 16);
    return [ipv4 >>> 24, (ipv4 >>> 16) & 255, (ipv4 >>> 8) & 255].join('.');
  }
  const digits = all.map((group) => group.padStart(4, '0')).join('');
  return `${digits.slice(0, 14)}/56`;
}

/**
 * A list of all answers of a prefix: one may be given when the bucket, played again from the first to the last of
 * them, holds a whole one. In units of 1/1000 of an answer, so that nothing is rounded.
 */
class Model {
  readonly #given = new Map<string, number[]>();

  readonly perSecond: number;

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  take(address: string, now: number): boolean {
    const prefix = prefixOf(address);
    const given = this.#given.get(prefix) ?? [];
    let left = this.perSecond * 1000;
    let last = 0;
    for (const at of [...given, now]) {
      left = Math.min(this.perSecond * 1000, left + (at - last) * this.perSecond);
      last = at;
      if (at === now && left < 1000) return false;
      left -= 1000;
    }
    this.#given.set(prefix, [...given, now]);
    return true;
  }
}

const addresses = [
  '192.0.2.1',
  '192.0.2.255',
  '::ffff:192.0.2.77',
  '::FFFF:C000:24D',
  '192.0.3.1',
  '19.20.2.1',
  '2001:db8::1',
  '2001:db8:0:ff::1',
  '2001:db8:0:100::1',
  '2001:db8:0:1ff:ffff::',
  'fe80::1',
];

/** With so many places as 2 ** 16 no two of the prefixes here share one. */
const sipKey = Buffer.alloc(16, 7);

describe('answers over UDP to a prefix', () => {
  it('are those that a list of all of them allows', () => {
    const step = fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 }), fc.constant(5000)),
      address: fc.constantFrom(...addresses),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.array(step, { maxLength: 150 }),
        (perSecond, steps) => {
          let now = 0;
          const options = { responsesPerSecond: perSecond, slip: 2 };
          const limit = new RateLimit(options, () => now, 2 ** 16, sipKey);
          const model = new Model(perSecond);
          for (const { after, address } of steps) {
            now += after;
            expect([now, address, limit.take(address)]).toEqual([
              now,
              address,
              model.take(address, now),
            ]);
          }
        },
      ),
      { numRuns: isLong ? 1000 : 40 },
    );
  });

  it('are bounded, and take no memory, however many prefixes are forged', () => {
    const now = 0;
    const limit = new RateLimit({ responsesPerSecond: 5, slip: 2 }, () => now, 1024);
    for (let count = 0; count < 5; count++) expect(limit.take('198.51.100.1')).toBe(true);
    expect(limit.take('198.51.100.1')).toBe(false);
    const before = process.memoryUsage().arrayBuffers;
    let answered = 0;
    for (let forged = 0; forged < 200_000; forged++) {
      const text = `${1 + (forged >> 16)}.${(forged >> 8) & 255}.${forged & 255}.9`;
      if (limit.take(text)) answered++;
    }
    // A table that grew would have 13 MB; others in this process may allocate some meanwhile.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
    // All that the table holds, and not one more.
    expect(answered).toBeLessThanOrEqual(1024 * 5);
    // The flood has not made the service forget whom it had limited.
    expect(limit.take('198.51.100.200')).toBe(false);
  });

  it('slip for one of so many beyond the limit', () => {
    const slips = (slip: number) => {
      const limit = new RateLimit({ responsesPerSecond: 1, slip }, () => 0);
      return Array.from({ length: 6 }, () => limit.slips('192.0.2.1'));
    };
    expect(slips(0)).toEqual([false, false, false, false, false, false]);
    expect(slips(1)).toEqual([true, true, true, true, true, true]);
    expect(slips(2)).toEqual([false, true, false, true, false, true]);
    expect(slips(3)).toEqual([false, false, true, false, false, true]);
  });
});

const zone = memoryZone(
  'example.com',
  '@ NS ns1.example.com.\nns1 A 192.0.2.1\nwww TXT "some text"',
);

/** A server whose prefixes have one answer, and no second one while the clock stands still. */
function limited(more: { slip?: number; isUnsure?: boolean; findKey?: FindKey } = {}) {
  const counted: string[] = [];
  const looked: string[] = [];
  const nodes = memoryNodes([zone]);
  const dispatcher = new Dispatcher({
    nodes: { ...nodes, findZone: (name) => (looked.push(name), nodes.findZone(name)) },
    acl: {
      allows: (address) => {
        const isSecondary = address === '192.0.2.53';
        return more.isUnsure ? Promise.resolve(isSecondary) : isSecondary;
      },
      admits: () => false,
    },
    openSource: () => undefined,
    slow: new SlowTransfers('/nonexistent'),
    metrics: {
      transfers: { inc: () => {} },
      soaQueries: { inc: () => {} },
      dnsQueries: { inc: (rcode) => void counted.push(rcode) },
      rateLimited: { inc: (result) => void counted.push(result) },
    },
    transferLog: { record: () => {} },
    log: silentLog(),
    clock: () => 1_000_000_000,
    findKey: more.findKey,
    server: {
      tcpIdleSeconds: 30,
      nsid: Buffer.alloc(128, 'n'),
      cookies: new Cookies(() => 1_000_000_000),
    },
    rateLimit: new RateLimit(
      { responsesPerSecond: 1, slip: more.slip ?? 1 },
      () => 0,
      2 ** 16,
      sipKey,
    ),
    answerQueries: true,
    ixfrCondense: true,
    snapshotMs: 60_000,
  });
  const ask = async (address: string, bytes: Buffer) => {
    const reply = await dispatcher.answerDatagram(bytes, address);
    return reply && { ...readAnswer(reply), bytes: reply, cookie: cookieIn(reply) };
  };
  return { ask, counted, looked };
}

const query = (...options: Buffer[]) =>
  requestMessage({
    name: 'www.example.com',
    type: 'TXT',
    additional: [optRecord({ options: Buffer.concat(options) })],
  });

function option(code: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

const clientCookie = Buffer.from('0102030405060708', 'hex');

/** The COOKIE option of 24 bytes in an answer. */
function cookieIn(reply: Buffer): Buffer | undefined {
  const at = reply.indexOf(Buffer.concat([Buffer.from([0, 10, 0, 24]), clientCookie]));
  return at < 0 ? undefined : reply.subarray(at + 4, at + 28);
}

describe('a query beyond the limit', () => {
  it('is answered with TC and no record, no longer than it is', async () => {
    const { ask, counted } = limited();
    expect((await ask('198.51.100.1', query()))!.answers).toHaveLength(1);
    const short = (await ask('198.51.100.2', query()))!;
    expect(short).toMatchObject({ rcode: 'NOERROR', tc: true, answers: [], authorities: [] });
    expect(short.bytes.length).toBeLessThanOrEqual(query().length);
    const named = query(option(3, Buffer.alloc(0)));
    expect((await ask('198.51.100.2', named))!.bytes.length).toBeLessThanOrEqual(named.length);
    expect(counted).toEqual(['NOERROR', 'slipped', 'NOERROR', 'slipped', 'NOERROR']);
  });

  it('is dropped where it does not slip, and nothing is looked up for it', async () => {
    const { ask, counted, looked } = limited({ slip: 2 });
    await ask('198.51.100.1', query());
    looked.length = 0;
    expect(await ask('198.51.100.1', query())).toBeUndefined();
    expect(await ask('198.51.100.1', query())).toMatchObject({ tc: true });
    expect(looked).toEqual([]);
    expect(counted).toEqual(['NOERROR', 'dropped', 'slipped', 'NOERROR']);
  });

  it('of a client with a cookie is asked for a good one, and answered with that', async () => {
    const { ask, counted } = limited();
    const first = (await ask('198.51.100.1', query(option(10, clientCookie))))!;
    expect(first).toMatchObject({ rcode: 'NOERROR', answers: [expect.anything()] });
    const bad = (await ask('198.51.100.1', query(option(10, clientCookie))))!;
    expect(bad).toMatchObject({ tc: false, answers: [], opt: { extendedRcode: 1 } });
    expect(bad.bytes[3]! & 15).toBe(7);
    const good = query(option(10, bad.cookie!));
    expect((await ask('198.51.100.1', good))!.answers).toHaveLength(1);
    // It is of that address only.
    expect(await ask('198.51.100.2', good)).toMatchObject({ opt: { extendedRcode: 1 } });
    expect(counted.slice(1)).toEqual(['slipped', 'BADCOOKIE', 'NOERROR', 'slipped', 'BADCOOKIE']);
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '192.0.2.53', '::ffff:192.0.2.53'])(
    'of %s is answered: loopback and secondaries are not limited',
    async (address) => {
      for (const isUnsure of [false, true]) {
        const { ask } = limited({ isUnsure });
        for (let count = 0; count < 5; count++) {
          expect((await ask(address, query()))!.answers).toHaveLength(1);
        }
        expect(await ask('192.0.2.54', query())).toMatchObject({ tc: address.includes('192.') });
      }
    },
  );

  it('is dropped where it can not be judged', async () => {
    const findKey = () => {
      throw new Error('the secret of the key is damaged');
    };
    const { ask, counted } = limited({ findKey });
    const signed = requestMessage({
      name: 'example.com',
      type: 'SOA',
      additional: [unknownTsig()],
    });
    expect(await ask('198.51.100.1', signed)).toMatchObject({ rcode: 'SERVFAIL' });
    expect(await ask('198.51.100.1', signed)).toBeUndefined();
    expect(counted).toEqual(['SERVFAIL', 'dropped']);
  });

  it.each([
    ['an update', requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2800 })],
    ['a NOTIFY', requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2000 })],
    ['one that can not be read', Buffer.concat([query(), Buffer.from([1, 2, 3])])],
    ['a header alone', query().subarray(0, 12)],
    [
      'another version of EDNS',
      requestMessage({ name: 'a', type: 'A', additional: [optRecord({ version: 1 })] }),
    ],
    [
      'one with a signature of nobody',
      requestMessage({
        name: 'example.com',
        type: 'IXFR',
        authority: [ixfrSoa('example.com', 1)],
        additional: [unknownTsig()],
      }),
    ],
  ])('is not answered at length when it is %s', async (_, bytes) => {
    const { ask } = limited();
    await ask('198.51.100.1', query());
    const reply = await ask('198.51.100.1', bytes);
    if (reply !== undefined) expect(reply.bytes.length).toBeLessThanOrEqual(bytes.length);
  });
});

it('a query for a cookie alone counts with its RCODE', async () => {
  const { ask, counted } = limited();
  const wrong = optRecord({ options: option(10, Buffer.concat([clientCookie, Buffer.alloc(16)])) });
  const header = Buffer.from([0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  await ask('198.51.100.1', Buffer.concat([header, wrong]));
  expect(counted).toEqual(['BADCOOKIE']);
});

/** A TSIG record (RFC 8945 4.2) of a key that there is not. */
function unknownTsig(): Buffer {
  const name = Buffer.from('\x06nobody\x00', 'latin1');
  const algorithm = Buffer.from('\x0bhmac-sha256\x00', 'latin1');
  const rdata = Buffer.concat([algorithm, Buffer.alloc(8), Buffer.from([0, 32]), Buffer.alloc(38)]);
  const head = Buffer.from([0, 250, 0, 255, 0, 0, 0, 0, rdata.length >> 8, rdata.length & 255]);
  return Buffer.concat([name, head, rdata]);
}
