import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ixfrSoa, optRecord, readAnswer, requestMessage } from '../../spec/support/dns-messages.ts';
import { MemoryHistory } from '../../spec/support/memory-history.ts';
import {
  type MemoryServer,
  startMemoryServer,
  TcpClient,
} from '../../spec/support/memory-server.ts';
import { memoryZone } from '../../spec/support/memory-zones.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { frameMessage } from '../dns/wire/framing.ts';

let server: MemoryServer | undefined;
const clients: TcpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await server?.stop();
  server = undefined;
});

async function open(): Promise<TcpClient> {
  const client = await TcpClient.open(server!.port);
  clients.push(client);
  return client;
}

const query = (id: number, name = 'www.example.com', type = 'A') =>
  requestMessage({ id, name, type });

function small(): MemoryHistory {
  return new MemoryHistory(memoryZone('example.com', '@ NS ns1.example.com.\nwww A 192.0.2.80'));
}

/** A zone of several megabytes: more than the socket buffers between us and a client hold. */
function large(count = 100_000): MemoryHistory {
  const rdata = Buffer.alloc(101, 'x');
  rdata[0] = 100;
  const records = Array.from({ length: count }, (_, at): ResourceRecord => {
    return {
      owner: `n${String(at).padStart(6, '0')}\0` as NameKey,
      type: rrtype.TXT,
      ttl: 60,
      rdata,
    };
  });
  const { zone } = memoryZone('large.test', '');
  return new MemoryHistory({ zone: { ...zone, recordCount: count }, records });
}

async function askUdp(port: number, request: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  socket.send(request, port, '127.0.0.1');
  const [reply] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return reply;
}

/** Records in the answer sections of messages. */
function recordsIn(messages: readonly Buffer[]): number {
  return messages.reduce((sum, message) => sum + message.readUInt16BE(6), 0);
}

/** Another client is answered several times: whatever the server had to do at once is done. */
async function roundTrip(): Promise<void> {
  const client = await open();
  for (let id = 1; id <= 10; id++) {
    client.send(query(id));
    await client.until(({ length }) => length === id);
  }
}

describe('the nameserver', () => {
  it('answers on one port over UDP and TCP', async () => {
    server = await startMemoryServer([small()]);
    const udp = readAnswer(await askUdp(server.port, query(1)));
    expect(udp.answers).toEqual(['www.example.com 3600 A 192.0.2.80']);
    const client = await open();
    client.send(query(2));
    await client.until(({ length }) => length === 1);
    expect(readAnswer(client.messages[0]!)).toMatchObject({ id: 2, answers: udp.answers });
    expect(server.counted).toEqual(['NOERROR', 'NOERROR']);
  });

  it('answers on IPv6, where an IPv4 client is known by its IPv4 address', async () => {
    server = await startMemoryServer([small()], { listenAddr: '::' });
    const answer = readAnswer(await askUdp(server.port, query(1, 'example.com', 'AXFR')));
    expect(answer).toMatchObject({ rcode: 'NOERROR', tc: true });
  });

  it('refuses to start on a port that is taken', async () => {
    server = await startMemoryServer([small()]);
    await expect(startMemoryServer([small()], { listenPort: server.port })).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});

describe('TCP connections (RFC 7766, case 42)', () => {
  it('take requests cut anywhere, and several in one piece', async () => {
    server = await startMemoryServer([small()]);
    const client = await open();
    client.socket.setNoDelay(true);
    for (const byte of frameMessage(query(1))) {
      client.socket.write(Buffer.from([byte]));
      await sleep(1);
    }
    client.send(query(2), query(3), query(4));
    await client.until(({ length }) => length === 4);
    const ids = client.messages.map((message) => readAnswer(message).id);
    expect(ids.sort()).toEqual([1, 2, 3, 4]);
  });

  it('answer what came before the client closed its side', async () => {
    server = await startMemoryServer([small()]);
    const client = await open();
    client.socket.end(Buffer.concat([frameMessage(query(1)), frameMessage(query(2))]));
    await client.untilClosed();
    expect(client.messages).toHaveLength(2);
  });

  it('have a number of queries in work; the rest wait', async () => {
    const waiting: (() => void)[] = [];
    server = await startMemoryServer(
      [small()],
      {},
      {
        resolver: {
          addressesOf: () => new Promise((resolve) => waiting.push(() => resolve(['127.0.0.1']))),
        },
      },
    );
    const client = await open();
    const requests = Array.from({ length: 40 }, (_, id) => query(id, 'example.com', 'AXFR'));
    client.send(...requests);
    await expect.poll(() => waiting.length).toBe(16);
    await roundTrip();
    expect(waiting).toHaveLength(16);
    waiting.shift()!();
    await client.until(({ length }) => length === 1);
    await expect.poll(() => waiting.length).toBe(16);
    while (client.messages.length < 40) {
      for (const release of waiting.splice(0)) release();
      await sleep(5);
    }
  });

  it('are closed beyond their number, the one idle longest first', async () => {
    server = await startMemoryServer([small()], { tcpMaxConnections: 3 });
    const kept = [await open(), await open(), await open()];
    kept[0]!.send(query(9));
    await kept[0]!.until(({ length }) => length === 1);
    const fourth = await open();
    await kept[1]!.untilClosed();
    for (const client of [kept[0]!, kept[2]!, fourth]) {
      client.send(query(5));
      await client.until(({ length }) => length >= 1);
      expect(client.closed).toBe(false);
    }
  });

  it('are closed beyond their number at once when none is idle', async () => {
    const waiting: (() => void)[] = [];
    const outcome = { rcode: 'NOERROR', zone: small().zone } as const;
    const writer = {
      submit: () => new Promise<typeof outcome>((resolve) => waiting.push(() => resolve(outcome))),
    };
    server = await startMemoryServer(
      [small()],
      { tcpMaxConnections: 2 },
      { updates: { writer, appliedSince: () => [], tsigRequired: false } },
    );
    const kept = [await open(), await open()];
    const update = requestMessage({ name: 'example.com', type: 'SOA', flags: 0x2800 });
    for (const client of kept) client.send(update);
    await expect.poll(() => waiting.length).toBe(2);
    const beyond = await open();
    await beyond.untilClosed();
    for (const release of waiting) release();
    for (const client of kept) await client.until(({ length }) => length === 1);
    const next = await open();
    next.send(query(6));
    await next.until(({ length }) => length === 1);
  });

  it('are closed when idle, half a message or not', async () => {
    server = await startMemoryServer([small()], { tcpIdleTimeoutSecs: 3 });
    const started = performance.now();
    const silent = await open();
    const half = await open();
    const busy = await open();
    half.socket.write(frameMessage(query(1)).subarray(0, 9));
    const asking = setInterval(() => busy.send(query(1)), 50);
    await Promise.all([silent.untilClosed(), half.untilClosed()]);
    expect(performance.now() - started).toBeGreaterThan(2900);
    expect(busy.closed).toBe(false);
    clearInterval(asking);
    await busy.untilClosed();
  });

  it('survive garbage', async () => {
    server = await startMemoryServer([small()]);
    const client = await open();
    client.send(Buffer.alloc(0), Buffer.alloc(5), Buffer.alloc(600, 0xff), Buffer.alloc(12));
    client.send(query(7));
    await client.until(({ length }) => length >= 2);
    const answers = client.messages.map((message) => readAnswer(message).rcode);
    expect(answers.sort()).toEqual(['FORMERR', 'NOERROR']);
  });
});

describe('transfers over TCP', () => {
  it('go interleaved over one connection, each whole (case 42)', async () => {
    const history = large(20_000);
    server = await startMemoryServer([history, small()]);
    const client = await open();
    client.send(query(1, 'large.test', 'AXFR'), query(2, 'example.com', 'AXFR'));
    client.send(query(3, 'large.test', 'AXFR'), query(4));
    const complete = (messages: readonly Buffer[]) => {
      const counts = new Map<number, number>();
      for (const message of messages) {
        const { id, answers } = decodeMessage(message);
        counts.set(id, (counts.get(id) ?? 0) + answers.length);
      }
      return counts.get(1) === 20_002 && counts.get(2) === 4 && counts.get(3) === 20_002;
    };
    await client.until((messages) => messages.length > 75 && complete(messages));
    expect(server.counted.filter((label) => label === 'xfr axfr ok tcp')).toHaveLength(3);
    expect(history.closed).toBe(history.opened);
    expect(server.recorded).toContainEqual({
      zoneName: 'large.test',
      address: '127.0.0.1',
      at: 1000,
      kind: 'axfr',
      result: 'ok',
      incremental: false,
      serial: 1,
      error: null,
      bytes: expect.toSatisfy((bytes: number) => bytes > 2_000_000),
      tookMs: expect.any(Number),
    });
  });

  it('to slow clients go on from a file, and let the snapshot go', async () => {
    const history = large();
    server = await startMemoryServer([history], { snapshotMs: 300 });
    const client = await open();
    client.socket.pause();
    const started = performance.now();
    client.send(query(1, 'large.test', 'AXFR'));
    await expect.poll(() => history.closed).toBe(1);
    expect(performance.now() - started).toBeGreaterThan(250);
    expect(history.opened).toBe(1);
    expect(server.recorded).toEqual([]);
    client.socket.resume();
    await client.until((messages) => recordsIn(messages) >= 100_002);
    expect(recordsIn(client.messages)).toBe(100_002);
    const last = decodeMessage(client.messages.at(-1)!);
    expect(last.answers.at(-1)).toMatchObject({ type: rrtype.SOA });
    await expect.poll(() => server?.recorded[0]).toMatchObject({ result: 'ok' });
    expect(server.logged).toEqual([]);
  });

  it('of slow readers end with the idle time', async () => {
    const history = large();
    server = await startMemoryServer([history], { tcpIdleTimeoutSecs: 3 });
    const client = await open();
    client.socket.pause();
    client.send(query(1, 'large.test', 'AXFR'));
    await expect.poll(() => history.closed).toBe(1);
    await expect
      .poll(() => server?.recorded[0])
      .toMatchObject({
        result: 'failed',
        error: 'the client took no message for 3 s',
      });
  });

  it('end with the connection', async () => {
    const history = large();
    server = await startMemoryServer([history]);
    const client = await open();
    client.socket.pause();
    client.send(query(1, 'large.test', 'AXFR'));
    await expect.poll(() => history.opened).toBe(1);
    client.end();
    await expect.poll(() => history.closed).toBe(1);
    await expect.poll(() => server?.recorded[0]).toMatchObject({ result: 'failed' });
  });

  it('fail with SERVFAIL when nothing was sent yet, with the connection otherwise (case 37)', async () => {
    const { zone } = memoryZone('example.com', '');
    const tooLarge = { owner: '' as NameKey, type: 65_280, ttl: 60, rdata: Buffer.alloc(65_520) };
    const history = new MemoryHistory({ zone: { ...zone, recordCount: 1 }, records: [tooLarge] });
    server = await startMemoryServer([history]);
    const client = await open();
    client.send(query(1, 'example.com', 'AXFR'));
    await client.untilClosed();
    // The SOA went out in a message of its own, so only the end of the connection can say it.
    expect(client.messages.length).toBeLessThanOrEqual(1);
    expect(history.closed).toBe(1);
    const busy = await startMemoryServer(
      [history],
      {},
      {
        snapshots: {
          open: () => {
            throw new Error('too many transfers are in flight');
          },
        },
      },
    );
    const other = await TcpClient.open(busy.port);
    other.send(query(2, 'example.com', 'AXFR'));
    await other.until(({ length }) => length === 1);
    expect(readAnswer(other.messages[0]!).rcode).toBe('SERVFAIL');
    expect(busy.recorded[0]).toMatchObject({ result: 'failed', zoneName: 'example.com' });
    other.end();
    await busy.stop();
  });

  it('wait for their turn when too many are in progress', async () => {
    let busy = 3;
    const history = small();
    server = await startMemoryServer(
      [history],
      {},
      {
        snapshots: {
          open: () => {
            if (busy-- > 0) throw new Problem('OVERLOADED', 'too many transfers are in flight', 1);
            return history.snapshot();
          },
        },
      },
    );
    const client = await open();
    client.send(query(1, 'example.com', 'AXFR'));
    await client.until(({ length }) => length === 1);
    expect(readAnswer(client.messages[0]!).answers).toHaveLength(4);
    expect(server.recorded).toHaveLength(1);
  });

  it('of one connection are two at a time, the others wait for their turn', async () => {
    const history = large(20_000);
    server = await startMemoryServer([history]);
    const client = await open();
    client.socket.pause();
    client.send(...[1, 2, 3, 4, 5].map((id) => query(id, 'large.test', 'AXFR')));
    await expect.poll(() => history.opened).toBe(2);
    await roundTrip();
    expect([history.opened, history.closed]).toEqual([2, 0]);
    client.socket.resume();
    await client.until((messages) => recordsIn(messages) === 5 * 20_002);
    expect([history.opened, history.closed]).toEqual([5, 5]);
  });

  it('wait behind those of a connection that has fewer', async () => {
    const history = large(100_000);
    let free = 1;
    server = await startMemoryServer(
      [history],
      {},
      {
        snapshots: {
          open() {
            if (free === 0) {
              throw new Problem('OVERLOADED', 'too many transfers are in flight', 1);
            }
            free--;
            return history.snapshot();
          },
        },
      },
    );
    const stalled = await open();
    stalled.socket.pause();
    stalled.send(query(1, 'large.test', 'AXFR'), query(2, 'large.test', 'AXFR'));
    await expect.poll(() => history.opened).toBe(1);
    const other = await open();
    other.send(query(3, 'large.test', 'AXFR'));
    await roundTrip();
    free++;
    await other.until((messages) => recordsIn(messages) === 100_002);
    expect(history.opened).toBe(2);
  });

  it('yield to others when their client stalls: the rest goes into a file', async () => {
    const history = large(20_000);
    server = await startMemoryServer(
      [history],
      {},
      {
        snapshots: {
          open() {
            if (history.opened > history.closed) {
              throw new Problem('OVERLOADED', 'too many transfers are in flight', 1);
            }
            return history.snapshot();
          },
        },
      },
    );
    const stalled = await open();
    stalled.socket.pause();
    stalled.send(query(1, 'large.test', 'AXFR'));
    await expect.poll(() => history.opened).toBe(1);
    const other = await open();
    other.send(query(2, 'large.test', 'AXFR'));
    await other.until((messages) => recordsIn(messages) === 20_002);
    stalled.socket.resume();
    await stalled.until((messages) => recordsIn(messages) === 20_002);
    await expect.poll(() => server!.recorded.map(({ result }) => result)).toEqual(['ok', 'ok']);
  });

  it('are finished by a server that stops, which takes no new connection', async () => {
    const history = large(30_000);
    server = await startMemoryServer([history]);
    const idle = await open();
    const client = await open();
    client.send(query(1, 'large.test', 'AXFR'));
    await client.until(({ length }) => length > 0);
    const stopped = server.stop();
    await client.untilClosed();
    const records = recordsIn(client.messages);
    expect(records).toBe(30_002);
    await idle.untilClosed();
    await stopped;
    await expect(TcpClient.open(server.port)).rejects.toThrow('ECONNREFUSED');
    server = undefined;
  });
});

describe('IXFR', () => {
  const ixfr = (serial: number, additional: Buffer[] = []) =>
    requestMessage({
      id: 1,
      name: 'example.com',
      type: 'IXFR',
      authority: [ixfrSoa('example.com', serial)],
      additional,
    });

  function changed(): MemoryHistory {
    const many = Array.from({ length: 200 }, (_, at) => `n${at} A 192.0.2.${at % 200}`).join('\n');
    const history = new MemoryHistory(memoryZone('example.com', many, { serial: 1 }));
    history.change({ added: ['x A 192.0.2.201'] });
    history.change({ added: Array.from({ length: 90 }, (_, at) => `m${at} A 192.0.2.202`) });
    return history;
  }

  it('is recorded as incremental, full, or not at all for one SOA', async () => {
    server = await startMemoryServer([changed()]);
    const client = await open();
    for (const [index, serial] of [1, 99, 3].entries()) {
      const request = ixfr(serial === 99 ? 0 : serial);
      client.send(request);
      await client.until(({ length }) => length === index + 1);
    }
    const counts = client.messages.map((message) => decodeMessage(message).answers.length);
    expect(counts).toEqual([91 + 4, 291 + 2, 1]);
    expect(server.recorded.map(({ kind, incremental }) => [kind, incremental])).toEqual([
      ['ixfr', true],
      ['ixfr', false],
    ]);
    expect(server.counted.filter((label) => label === 'xfr ixfr ok tcp')).toHaveLength(3);
  });

  it('over UDP is the whole delta when it fits, else the SOA of now (case 25)', async () => {
    const history = changed();
    server = await startMemoryServer([history]);
    const fits = decodeMessage(await askUdp(server.port, ixfr(2).subarray()));
    expect(fits.answers).toHaveLength(1);
    history.change({ added: ['y A 192.0.2.203'] });
    const delta = decodeMessage(await askUdp(server.port, ixfr(3)));
    expect(delta.answers).toHaveLength(5);
    expect(delta.truncated).toBe(false);
    const tooMuch = decodeMessage(await askUdp(server.port, ixfr(1, [optRecord()])));
    expect(tooMuch.answers.map(({ type }) => type)).toEqual([rrtype.SOA]);
    const unknown = decodeMessage(await askUdp(server.port, ixfr(0, [optRecord()])));
    expect(unknown.answers).toHaveLength(1);
    expect(history.closed).toBe(history.opened);
    expect(server.recorded).toHaveLength(1);
  });
});
