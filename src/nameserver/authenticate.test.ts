/**
 * Signed requests at the nameserver (RFC 8945 5.2, 5.3): what is refused how, and that every answer
 * to a signed request is signed.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ixfrSoa,
  optRecord,
  readAnswer,
  requestMessage,
  wireName,
} from '../../spec/support/dns-messages.ts';
import { MemoryHistory } from '../../spec/support/memory-history.ts';
import {
  type MemoryServer,
  startMemoryServer,
  TcpClient,
} from '../../spec/support/memory-server.ts';
import { memoryZone } from '../../spec/support/memory-zones.ts';
import { type NameKey, parseAbsoluteName, printLabels } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { rcode } from '../dns/wire/header.ts';
import { findTsig } from '../dns/wire/tsig.ts';
import { TsigExchange } from '../dns/wire/tsig-exchange.ts';
import { TsigKey } from '../dns/wire/tsig-key.ts';
import { signRequest } from '../dns/wire/tsig-sign.ts';
import type { KnownKey } from './authenticate.ts';
import type { NameserverOptions, NameserverServices } from './nameserver.ts';
import { replyRcode } from './reply.ts';
import type { Request } from './request.ts';

const start = 1_700_000_000;
let nowSeconds = start;
const now = () => nowSeconds;

function makeKey(name: string, fill = 3, roleId = 1): KnownKey {
  const fields = { name: parseAbsoluteName(name), secret: Buffer.alloc(32, fill) } as const;
  const key = new TsigKey({ ...fields, algorithm: 'hmac-sha256' });
  return { id: roleId, name, roleId, createdAt: 0, key };
}

/** Its role may transfer example.com; that of the other may not transfer anything. */
const mover = makeKey('mover.example.com', 3, 1);
const reader = makeKey('reader.example.com', 4, 2);
const longKey = makeKey(`${`${'k'.repeat(63)}.`.repeat(3)}${'k'.repeat(61)}`, 5, 3);
let keys: KnownKey[];

let server: MemoryServer | undefined;
const clients: TcpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await server?.stop();
  server = undefined;
});

async function begin(
  zones = [small()],
  options: Partial<NameserverOptions> = {},
  services: Partial<NameserverServices> = {},
): Promise<MemoryServer> {
  nowSeconds = start;
  keys = [mover, reader, longKey];
  server = await startMemoryServer(zones, options, {
    clock: () => nowSeconds * 1000,
    findKey: (name: NameKey) => keys.find((known) => known.name === printLabels(name)),
    keyMayTransfer: ({ roleId }) => roleId === 1,
    ...services,
  });
  return server;
}

const wide = Array.from({ length: 40 }, (_, at) => `wide A 192.0.2.${at}`).join('\n');

function small(): MemoryHistory {
  const text = `@ NS ns1.example.com.\nwww A 192.0.2.80\n${wide}`;
  return new MemoryHistory(memoryZone('example.com', text));
}

async function askUdp(request: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  socket.send(request, server!.port, '127.0.0.1');
  const [reply] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return reply;
}

async function openTcp(): Promise<TcpClient> {
  const client = await TcpClient.open(server!.port);
  clients.push(client);
  return client;
}

async function askTcp(request: Buffer): Promise<Buffer> {
  const client = await openTcp();
  client.send(request);
  await client.until(({ length }) => length === 1);
  return client.messages[0]!;
}

/** Asks with a signature, over UDP unless told; the answer's signature must hold. */
async function askSigned(plain: Buffer, by = mover, ask = askUdp): Promise<Buffer> {
  const exchange = new TsigExchange(by.key, now);
  const answer = await ask(exchange.sign(plain));
  expect(exchange.verify(answer)).toBeUndefined();
  expect(exchange.finish()).toBeUndefined();
  return answer;
}

const query = (name: string, type: string, ...additional: Buffer[]) =>
  requestMessage({ name, type, additional });

describe('answers to signed requests', () => {
  it('are signed: positive, negative, refused, not authoritative', async () => {
    await begin();
    for (const [name, type, code] of [
      ['www.example.com', 'A', 'NOERROR'],
      ['gone.example.com', 'A', 'NXDOMAIN'],
      ['www.example.com', 'TKEY', 'REFUSED'],
      ['example.org', 'A', 'REFUSED'],
      ['example.org', 'SOA', 'NOTAUTH'],
      ['example.org', 'AXFR', 'NOTAUTH'],
    ] as const) {
      for (const ask of [askUdp, askTcp]) {
        const answer = await askSigned(query(name, type, optRecord()), mover, ask);
        expect(readAnswer(answer).rcode, `${name} ${type}`).toBe(code);
      }
    }
    expect(server!.logged).toEqual([]);
  });

  it('are signed: other opcodes and versions of EDNS, updates, malformed transfers', async () => {
    await begin();
    const notify = requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2000 });
    expect(readAnswer(await askSigned(notify)).rcode).toBe('NOTIMP');
    const update = requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2800 });
    expect(readAnswer(await askSigned(update)).rcode).toBe('REFUSED');
    const badVersion = query('www.example.com', 'A', optRecord({ version: 1 }));
    expect(decodeMessage(await askSigned(badVersion)).rcode).toBe(rcode.BADVERS);
    for (const ask of [askUdp, askTcp]) {
      const answer = await askSigned(query('example.com', 'IXFR'), mover, ask);
      expect(readAnswer(answer).rcode).toBe('FORMERR');
    }
    expect(server!.counted.filter((label) => !label.includes(' '))).toEqual([
      'NOTIMP',
      'REFUSED',
      'BADVERS',
      'FORMERR',
      'FORMERR',
    ]);
  });

  it('are signed when RDATA can not be read, and say BADSIG when the signature is wrong too', async () => {
    await begin();
    // An address of three bytes.
    const broken = Buffer.concat([
      wireName('www.example.com'),
      Buffer.from([0, 1, 0, 1, 0, 0, 0, 60, 0, 3, 192, 0, 2]),
    ]);
    const update = requestMessage({
      name: 'example.com',
      type: 'SOA',
      flags: 0x2800,
      authority: [broken],
    });
    for (const ask of [askUdp, askTcp]) {
      const answer = await askSigned(update, mover, ask);
      expect(readAnswer(answer)).toMatchObject({ rcode: 'FORMERR', questions: 1 });
    }
    const wrong = signRequest(update, mover.key, nowSeconds);
    findTsig(wrong)!.mac[5]! ^= 1;
    expect(findTsig(await askUdp(wrong))).toMatchObject({ error: rcode.BADSIG });
    expect(findTsig(await askUdp(update))).toBeUndefined();
  });

  it('are signed when the server fails', async () => {
    const failing = () => {
      throw new Error('the disk is gone');
    };
    const updates = { writer: { submit: failing }, appliedSince: () => [], tsigRequired: true };
    await begin([small()], {}, { updates, snapshots: { open: failing } });
    const update = requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2800 });
    expect(readAnswer(await askSigned(update)).rcode).toBe('SERVFAIL');
    const axfr = await askSigned(query('example.com', 'AXFR'), mover, askTcp);
    expect(readAnswer(axfr).rcode).toBe('SERVFAIL');
  });

  it('case 52: keep OPT and TSIG when they are truncated, and are no larger than asked', async () => {
    await begin();
    for (const [bytes, opts] of [
      [512, []],
      [512, [optRecord({ payload: 512 })]],
      [600, [optRecord({ payload: 600 })]],
    ] as const) {
      const answer = await askSigned(query('wide.example.com', 'A', ...opts));
      expect(readAnswer(answer)).toMatchObject({ rcode: 'NOERROR', tc: true, answers: [] });
      expect(answer.length).toBeLessThanOrEqual(bytes);
      expect(decodeMessage(answer).edns !== undefined).toBe(opts.length > 0);
    }
    // 1232 bytes hold the answer unsigned and signed alike.
    const whole = await askSigned(query('wide.example.com', 'A', optRecord()));
    expect(readAnswer(whole)).toMatchObject({ tc: false });
    expect(readAnswer(whole).answers).toHaveLength(40);
  });

  it('go out even when question and signature alone exceed 512 bytes', async () => {
    await begin();
    const name = `${`${'q'.repeat(63)}.`.repeat(3)}${'q'.repeat(49)}.example.com`;
    const answer = await askSigned(query(name, 'A', optRecord({ payload: 512 })), longKey);
    expect(answer.length).toBeGreaterThan(512);
    expect(readAnswer(answer)).toMatchObject({ rcode: 'NXDOMAIN', tc: true });
    expect(server!.logged).toEqual([]);
  });
});

describe('requests whose signature does not hold', () => {
  const soa = query('example.com', 'SOA');
  const signed = () => signRequest(soa, mover.key, nowSeconds);

  /** The parts of an answer that say what was wrong. */
  function problemOf(answer: Buffer) {
    const tsig = findTsig(answer);
    return {
      rcode: readAnswer(answer).rcode,
      error: tsig?.error,
      mac: tsig?.mac.length,
      other: tsig?.otherData.length,
    };
  }

  it('case 45: unknown keys and algorithms are BADKEY, unsigned, with the names echoed', async () => {
    await begin();
    const stranger = makeKey('stranger.example.org').key;
    const fields = { name: mover.key.name, secret: Buffer.alloc(32, 3) };
    const otherAlgorithm = new TsigKey({ ...fields, algorithm: 'hmac-sha384' });
    for (const key of [stranger, otherAlgorithm]) {
      const answer = await askUdp(signRequest(soa, key, nowSeconds));
      const expected = { rcode: 'NOTAUTH', error: rcode.BADKEY, mac: 0, other: 0 };
      expect(problemOf(answer)).toEqual(expected);
      const { name, algorithm } = findTsig(answer)!;
      expect([name, algorithm]).toEqual([key.name, key.algorithmName]);
      expect(readAnswer(answer)).toMatchObject({ id: 0x1234, answers: [], questions: 1 });
    }
    keys = [];
    expect(problemOf(await askUdp(signed())).error).toBe(rcode.BADKEY);
    expect(server!.logged).toEqual(['dns.unverified', 'dns.unverified', 'dns.unverified']);
  });

  it('case 46: wrong MACs are BADSIG, unsigned', async () => {
    await begin();
    const wrong = signed();
    findTsig(wrong)!.mac[5]! ^= 1;
    const expected = { rcode: 'NOTAUTH', error: rcode.BADSIG, mac: 0, other: 0 };
    expect(problemOf(await askUdp(wrong))).toEqual(expected);
    expect(problemOf(await askTcp(wrong))).toEqual(expected);
  });

  it('case 47: times too far off are BADTIME, signed, with our time beside the client’s', async () => {
    await begin();
    for (const apart of [-301, 301]) {
      const exchange = new TsigExchange(mover.key, () => start + apart);
      const answer = await askUdp(exchange.sign(soa));
      const expected = { rcode: 'NOTAUTH', error: rcode.BADTIME, mac: 32, other: 6 };
      expect(problemOf(answer)).toEqual(expected);
      const { timeSigned, otherData } = findTsig(answer)!;
      expect([timeSigned, otherData.readUIntBE(0, 6)]).toEqual([start + apart, start]);
      expect(exchange.verify(answer)).toBe(
        'the server says BADTIME: its clock and ours are 301 s apart',
      );
    }
  });

  it('case 49: MACs of impossible lengths are FORMERR, short ones BADTRUNC and signed', async () => {
    await begin();
    const withMac = (bytes: number) => {
      const whole = signed();
      const { mac, offset } = findTsig(whole)!;
      const macAt = mac.byteOffset - whole.byteOffset;
      const parts = [whole.subarray(0, macAt), mac.subarray(0, bytes), whole.subarray(macAt + 32)];
      const cut = Buffer.concat(parts);
      cut.writeUInt16BE(bytes, macAt - 2);
      const lengthAt = offset + mover.key.nameWire.length + 8;
      cut.writeUInt16BE(cut.readUInt16BE(lengthAt) + bytes - 32, lengthAt);
      return cut;
    };
    for (const bytes of [0, 9, 15]) {
      const expected = { rcode: 'FORMERR', error: undefined, mac: undefined, other: undefined };
      expect(problemOf(await askUdp(withMac(bytes)))).toEqual(expected);
    }
    const short = withMac(16);
    const answer = await askUdp(short);
    const expected = { rcode: 'NOTAUTH', error: rcode.BADTRUNC, mac: 32, other: 0 };
    expect(problemOf(answer)).toEqual(expected);
    const exchange = new TsigExchange(mover.key, now, findTsig(short)!.mac);
    expect(exchange.verify(answer)).toBe('the server says BADTRUNC');
  });

  it('never count as unsigned, are recorded when they ask for a transfer, and logged', async () => {
    await begin();
    // The client's address is that of a secondary, which gets the zone unsigned.
    expect(readAnswer(await askTcp(query('example.com', 'AXFR'))).rcode).toBe('NOERROR');
    const axfr = signRequest(query('example.com', 'AXFR'), makeKey('stranger').key, nowSeconds);
    expect(readAnswer(await askTcp(axfr)).rcode).toBe('NOTAUTH');
    const late = signRequest(query('example.com', 'AXFR'), mover.key, nowSeconds - 400);
    expect(readAnswer(await askTcp(late)).rcode).toBe('NOTAUTH');
    const reasons = server!.recorded.slice(1).map(({ result, error }) => [result, error]);
    expect(reasons).toEqual([
      ['refused', "BADKEY: no TSIG key 'stranger' with algorithm 'hmac-sha256'"],
      ['refused', "BADTIME with TSIG key 'mover.example.com': clocks are 400 s apart"],
    ]);
    expect(server!.counted.filter((label) => label.includes('refused'))).toHaveLength(2);
  });

  it('are logged at a bounded pace', async () => {
    await begin();
    const wrong = signRequest(soa, makeKey('stranger').key, nowSeconds);
    const client = await openTcp();
    for (let sent = 0; sent < 150; sent++) client.send(wrong);
    await client.until(({ length }) => length === 150);
    expect(server!.logged).toHaveLength(100);
    nowSeconds += 60;
    client.send(wrong);
    await client.until(({ length }) => length === 151);
    expect(server!.logged).toHaveLength(101);
  });
});

describe('signed transfers', () => {
  /** A zone of several megabytes. */
  function large(count: number): MemoryHistory {
    const rdata = Buffer.alloc(101, 'x');
    rdata[0] = 100;
    const records = Array.from({ length: count }, (_, at): ResourceRecord => {
      const owner = `n${String(at).padStart(6, '0')}\0` as NameKey;
      return { owner, type: rrtype.TXT, ttl: 60, rdata };
    });
    const { zone } = memoryZone('large.test', '');
    return new MemoryHistory({ zone: { ...zone, recordCount: count }, records });
  }

  const answersIn = (messages: readonly Buffer[]) =>
    messages.reduce((sum, message) => sum + message.readUInt16BE(6), 0);

  it('go by the key alone, whatever the address', async () => {
    await begin();
    const axfr = query('example.com', 'AXFR', optRecord());
    const refused = await askSigned(axfr, reader, askTcp);
    expect(readAnswer(refused)).toMatchObject({ rcode: 'REFUSED', extendedErrors: [18] });
    expect(server!.recorded[0]).toMatchObject({ result: 'refused' });
    server!.secondaries.length = 0;
    expect(readAnswer(await askTcp(axfr)).rcode).toBe('REFUSED');
    expect(readAnswer(await askSigned(axfr, mover, askTcp)).rcode).toBe('NOERROR');
  });

  it('sign every message, each within 65,535 bytes (case 51)', async () => {
    await begin([large(20_000)]);
    const client = await openTcp();
    const exchange = new TsigExchange(longKey.key, now);
    keys = [{ ...longKey, roleId: 1 }];
    client.send(exchange.sign(query('large.test', 'AXFR', optRecord())));
    await client.until((messages) => answersIn(messages) === 20_002);
    expect(client.messages.length).toBeGreaterThan(20);
    for (const message of client.messages) {
      expect(findTsig(message)).toBeDefined();
      expect(exchange.verify(message)).toBeUndefined();
    }
    expect(exchange.finish()).toBeUndefined();
  });

  it('over UDP: a delta that fits, the SOA when none does, TC for AXFR', async () => {
    const history = small();
    await begin([history]);
    history.change({ added: ['new A 192.0.2.1'] });
    const ixfr = (serial: number) => {
      const authority = [ixfrSoa('example.com', serial)];
      return requestMessage({ name: 'example.com', type: 'IXFR', authority });
    };
    expect(readAnswer(await askSigned(ixfr(1))).answers).toHaveLength(5);
    expect(readAnswer(await askSigned(ixfr(2))).answers).toHaveLength(1);
    expect(readAnswer(await askSigned(ixfr(0))).answers).toHaveLength(1);
    expect(readAnswer(await askSigned(query('example.com', 'AXFR')))).toMatchObject({
      rcode: 'NOERROR',
      tc: true,
    });
    expect(readAnswer(await askSigned(ixfr(1), reader)).rcode).toBe('REFUSED');
  });

  it('to slow clients are signed when they are sent, not when they are put in the file', async () => {
    const history = large(100_000);
    await begin([history], { snapshotMs: 200 });
    const client = await openTcp();
    client.socket.pause();
    const exchange = new TsigExchange(mover.key, now);
    client.send(exchange.sign(query('large.test', 'AXFR')));
    await expect.poll(() => history.closed).toBe(1);
    // Everything is in the file by now, and everything in it is older than the fudge when sent.
    nowSeconds += 5000;
    client.socket.resume();
    await client.until((messages) => answersIn(messages) === 100_002);
    const times = client.messages.map((message) => findTsig(message)!.timeSigned - start);
    expect(new Set(times)).toEqual(new Set([0, 5000]));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    for (const [at, message] of client.messages.entries()) {
      nowSeconds = start + times[at]!;
      expect(exchange.verify(message), `message ${at}`).toBeUndefined();
    }
  });

  it('case 55: go on to their end when their key is deleted, and never begin again', async () => {
    const history = large(100_000);
    await begin([history]);
    const client = await openTcp();
    client.socket.pause();
    const exchange = new TsigExchange(mover.key, now);
    const axfr = query('large.test', 'AXFR');
    client.send(exchange.sign(axfr));
    await expect.poll(() => history.opened).toBe(1);
    keys = [];
    client.socket.resume();
    await client.until((messages) => answersIn(messages) === 100_002);
    for (const message of client.messages) expect(exchange.verify(message)).toBeUndefined();
    expect(exchange.finish()).toBeUndefined();
    const again = await askTcp(signRequest(axfr, mover.key, nowSeconds));
    expect(findTsig(again)!.error).toBe(rcode.BADKEY);
  });
});

describe('the count of RCODEs', () => {
  it('finds BADVERS in front of a signature', async () => {
    await begin();
    const answer = await askSigned(query('www.example.com', 'A', optRecord({ version: 1 })));
    const bytes = answer.length - findTsig(answer)!.offset;
    const request = { signer: { bytes } } as Request;
    expect(replyRcode(answer, request)).toBe(rcode.BADVERS);
  });
});
