/**
 * Cookies (RFC 7873, 9018), NSID (RFC 5001) and EXPIRE (RFC 7314) of the running service, as dig and kdig see them,
 * as named uses them, and beside what named and knotd answer themselves.
 */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ixfrSoa, optRecord, recursionDesired, requestMessage } from '../support/dns-messages.ts';
import { askByTcp, askByUdp } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startPrimary } from '../support/primaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { PeerProcess, peerFolder } from '../support/signed-peers.ts';

const zone = 'example.com';
const expireSeconds = 1_209_600;
const [expireCode, cookieCode] = [9, 10];

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ZONEBOOK_DNS_NSID: 'ns1.dc-2' });
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', {
    name: zone,
    mname: `ns1.${zone}`,
    rname: `h@${zone}`,
    expire: expireSeconds,
  });
});
afterAll(() => service[Symbol.asyncDispose]());

function dig(program: 'dig' | 'kdig', ...words: string[]): string {
  const server = ['@127.0.0.1', '-p', String(service.dnsPort)];
  return execFileSync(program, [...server, zone, ...words], { encoding: 'utf8' });
}

/** Options by code that stand in the OPT record of a message. */
function optionsOf(message: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  // The root, OPT and a size that no other record begins with here.
  for (let at = 12; at + 11 <= message.length; at++) {
    if (message[at] !== 0 || message.readUInt16BE(at + 1) !== 41) continue;
    const end = at + 11 + message.readUInt16BE(at + 9);
    if (message.readUInt16BE(at + 3) < 512 || end > message.length) continue;
    for (let next = at + 11; next + 4 <= end; ) {
      const length = message.readUInt16BE(next + 2);
      options.set(message.readUInt16BE(next), message.subarray(next + 4, next + 4 + length));
      next += 4 + length;
    }
  }
  return options;
}

function option(code: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

needsPeers('dig', 'kdig')('cookies', () => {
  it('are good for dig, and the same for half an hour', () => {
    const [, cookie, verdict] = /COOKIE: ([0-9a-f]{48}) \((\w+)\)/.exec(
      dig('dig', 'SOA', '+cookie'),
    )!;
    expect(verdict).toBe('good');
    for (const way of ['+notcp', '+tcp']) {
      expect(dig('dig', 'SOA', way, `+cookie=${cookie}`)).toContain(`COOKIE: ${cookie} (good)`);
    }
    // Another version is no cookie of ours: a good one is given.
    const foreign = `${cookie!.slice(0, 16)}02${cookie!.slice(18)}`;
    const answer = dig('dig', 'SOA', `+cookie=${foreign}`);
    expect(answer).toMatch(
      new RegExp(`COOKIE: ${cookie!.slice(0, 16)}01000000[0-9a-f]{24} \\(good\\)`),
    );
  });

  it('are good for kdig', () => {
    const answer = dig('kdig', 'SOA', '+cookie=0102030405060708');
    expect(answer).toMatch(/COOKIE: 010203040506070801000000[0-9a-f]{24}/i);
  });

  it('are given to a query that asks nothing else', async () => {
    const header = Buffer.from('123400000000000000000001', 'hex');
    const client = Buffer.from('0102030405060708', 'hex');
    const ask = (data: Buffer) =>
      askByUdp(
        service.dnsPort,
        Buffer.concat([header, optRecord({ options: option(cookieCode, data) })]),
      );
    const answer = await ask(client);
    const given = optionsOf(answer).get(cookieCode)!;
    expect([answer[3]! & 15, given.length, given.subarray(0, 8)]).toEqual([0, 24, client]);
    const spoilt = Buffer.from(given);
    spoilt[23]! ^= 1;
    // BADCOOKIE is 23: 7 in the header and 1 in the OPT record.
    const refused = await ask(spoilt);
    expect([refused[3]! & 15, refused[12 + 5]]).toEqual([7, 1]);
    expect((await ask(client.subarray(1)))[3]! & 15).toBe(1);
  });
});

/** Between named and the service: passes everything on, and keeps the cookies of both. */
async function spy(target: number) {
  const port = await freePort();
  const [sent, given]: [string[], string[]] = [[], []];
  const udp = createSocket('udp4');
  udp.on('message', (request, from) => {
    sent.push(optionsOf(request).get(cookieCode)?.toString('hex') ?? '');
    const onward = createSocket('udp4');
    onward.once('message', (answer) => {
      given.push(optionsOf(answer).get(cookieCode)?.toString('hex') ?? '');
      udp.send(answer, from.port, from.address);
      onward.close();
    });
    onward.send(request, target, '127.0.0.1');
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return { port, sent, given, [Symbol.dispose]: () => udp.close() };
}

/** named as a resolver that asks one server for everything. */
async function startForwarder(port: number): Promise<PeerProcess> {
  const folder = peerFolder('named');
  const own = await freePort();
  writeFileSync(
    join(folder, 'named.conf'),
    `options {
      directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${own} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion yes; dnssec-validation no; qname-minimization off; max-cache-ttl 0;
      forward only; forwarders { 127.0.0.1 port ${port}; };
    };
    controls { };`,
  );
  return new PeerProcess('named', ['-g', '-n', '1', '-c', 'named.conf'], folder, own);
}

needsPeers('named')('named as a resolver', () => {
  it('takes the answers, and shows the cookie that it was given', async () => {
    using between = await spy(service.dnsPort);
    await using named = await startForwarder(between.port);
    await named.waitFor(zone);
    const isVisible = () => between.sent.some((cookie) => between.given.includes(cookie));
    for (let count = 0; count < 20 && !isVisible(); count++) {
      const name = `n${count}.${zone}`;
      const answer = await askByUdp(named.port, requestMessage({ name, type: 'A' }));
      // NXDOMAIN, as there is no such name.
      expect(answer[3]! & 15).toBe(3);
    }
    expect(between.sent.every((cookie) => cookie.length >= 16)).toBe(true);
    expect(isVisible()).toBe(true);
    expect(new Set(between.given.map((cookie) => cookie.length))).toEqual(new Set([48]));
  });
});

describe('NSID', () => {
  needsPeers('dig')('is the configured text', () => {
    it('to those who ask, over UDP and TCP', () => {
      for (const way of ['+notcp', '+tcp']) {
        expect(dig('dig', 'SOA', '+nsid', way)).toContain(
          'NSID: 6e 73 31 2e 64 63 2d 32 ("ns1.dc-2")',
        );
        expect(dig('dig', 'SOA', '+nonsid', way)).not.toContain('NSID');
      }
    });
  });
});

needsPeers(
  'named',
  'knotd',
  'dig',
)('EXPIRE', () => {
  it('is the SOA expire where named or knotd send it: to SOA, AXFR and IXFR', async () => {
    const text = `@ 3600 IN SOA ns1 h 5 300 60 ${expireSeconds} 300\n@ 3600 IN NS ns1\nns1 A 192.0.2.1\n`;
    await using named = await startPrimary('named', zone, text);
    await using knotd = await startPrimary('knotd', zone, text);
    const asked = {
      flags: recursionDesired,
      additional: [optRecord({ options: option(expireCode) })],
    };
    const expireOf = (message: Buffer) => optionsOf(message).get(expireCode)?.toString('hex');
    const seen = async (port: number) => ({
      soa: expireOf(await askByUdp(port, requestMessage({ ...asked, name: zone, type: 'SOA' }))),
      other: expireOf(await askByUdp(port, requestMessage({ ...asked, name: zone, type: 'NS' }))),
      below: expireOf(
        await askByUdp(port, requestMessage({ ...asked, name: `ns1.${zone}`, type: 'SOA' })),
      ),
      axfr: expireOf(await askByTcp(port, requestMessage({ ...asked, name: zone, type: 'AXFR' }))),
      ixfr: expireOf(
        await askByTcp(
          port,
          requestMessage({ ...asked, name: zone, type: 'IXFR', authority: [ixfrSoa(zone, 1)] }),
        ),
      ),
    });
    const [ours, ofNamed, ofKnotd] = await Promise.all(
      [service.dnsPort, named.port, knotd.port].map(seen),
    );
    const expire = Buffer.alloc(4);
    expire.writeUInt32BE(expireSeconds, 0);
    const [set, none] = [expire.toString('hex'), undefined];
    expect(ours).toEqual({ soa: set, other: none, below: none, axfr: set, ixfr: set });
    // Each of them is one that may leave it out, or say more; what both say, we say.
    for (const key of ['soa', 'axfr', 'ixfr'] as const) {
      for (const theirs of [ofNamed![key], ofKnotd![key]]) expect([set, none]).toContain(theirs);
    }
    expect([ofNamed!.soa, ofKnotd!.soa, ofKnotd!.axfr, ofKnotd!.ixfr]).toEqual([
      set,
      set,
      set,
      set,
    ]);
    expect([ofNamed!.other, ofNamed!.below]).toEqual([none, none]);
  });
});
