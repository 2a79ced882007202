/**
 * TCP connections of the running service (RFC 7766, case 42): framing, reuse, pipelining, order of
 * answers, limits and idle time.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { frameMessage } from '../../src/dns/wire/framing.ts';
import { optRecord, readAnswer, requestMessage } from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { TcpClient } from '../support/memory-server.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Longer than any run, for connections that nobody may close while another does something. */
const patientSeconds = 3600;
/** More than a host holds a process up that asks five times a second. */
const idleSeconds = 10;
const mostConnections = 12;

let service: RunningService;
const clients: TcpClient[] = [];

beforeAll(async () => {
  service = await startService({
    ZONEBOOK_DNS_TCP_IDLE_TIMEOUT_SECS: String(patientSeconds),
    ZONEBOOK_DNS_TCP_MAX_CONNECTIONS: String(mostConnections),
  });
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
  const many = Array.from({ length: 100 }, (_, at) => ({
    name: 'many',
    type: 'A',
    value: `192.0.2.${at}`,
  }));
  const texts = Array.from({ length: 20_000 }, (_, at) => ({
    name: `host-${at}`,
    type: 'TXT',
    value: 'x'.repeat(200),
  }));
  for (let at = 0; at < texts.length; at += 10_000) {
    const records = [...texts.slice(at, at + 10_000), ...(at === 0 ? many : [])];
    await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  }
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
});

async function open({ dnsPort } = service): Promise<TcpClient> {
  const client = await TcpClient.open(dnsPort);
  clients.push(client);
  return client;
}

const query = (id: number, type = 'SOA', name = 'example.com') =>
  requestMessage({ id, name, type });

const idOf = (message: Buffer) => message.readUInt16BE(0);

describe('the length of a message (RFC 7766 8)', () => {
  it('may come in a segment of its own, and byte by byte', async () => {
    const client = await open();
    client.socket.setNoDelay(true);
    const framed = frameMessage(query(1));
    client.socket.write(framed.subarray(0, 2));
    await sleep(20);
    client.socket.write(framed.subarray(2));
    for (const byte of frameMessage(query(2))) {
      client.socket.write(Buffer.from([byte]));
      await sleep(2);
    }
    await client.until(({ length }) => length === 2);
    expect(client.messages.map(idOf)).toEqual([1, 2]);
  });

  it('leaves in one segment with its message', async () => {
    const socket = connect({ port: service.dnsPort, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(frameMessage(query(1)));
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(first.length).toBe(2 + first.readUInt16BE(0));
  });

  it('may be 65,535, or 0, which is no message at all', async () => {
    const client = await open();
    client.send(Buffer.alloc(0), Buffer.concat([query(1), Buffer.alloc(65_535 - 29)]), query(2));
    await client.until(({ length }) => length === 2);
    const answers = client.messages.map((message) => readAnswer(message));
    expect(answers.map(({ id, rcode }) => [id, rcode]).sort()).toEqual([
      [1, 'FORMERR'],
      [2, 'NOERROR'],
    ]);
  });
});

describe('a connection', () => {
  it('serves one query after the other (RFC 7766 6.2.1)', async () => {
    const client = await open();
    for (let id = 1; id <= 50; id++) {
      client.send(query(id));
      await client.until(({ length }) => length === id);
      expect(idOf(client.messages[id - 1]!)).toBe(id);
    }
    expect(client.closed).toBe(false);
  });

  it('takes queries without waiting for answers, each answered once (RFC 7766 6.2.1.1)', async () => {
    const client = await open();
    const types = ['SOA', 'NS', 'TXT', 'A'];
    const ids = Array.from({ length: 500 }, (_, at) => at + 1);
    client.send(...ids.map((id) => query(id, types[id % 4])));
    await client.until(({ length }) => length === 500);
    // One answered twice would be so before a question that comes after all of them.
    client.send(query(501));
    await client.until((messages) => messages.some((message) => idOf(message) === 501));
    expect(client.messages.map(idOf).sort((a, b) => a - b)).toEqual([...ids, 501]);
    for (const message of client.messages.filter((one) => idOf(one) !== 501)) {
      const { id, questions } = readAnswer(message);
      // Whoever matches answers needs the question too (RFC 7766 7).
      expect(questions).toBe(1);
      const sent = query(id, types[id % 4]);
      expect(message.subarray(12, sent.length)).toEqual(sent.subarray(12));
    }
  });

  it('does not hold answers up behind a transfer (RFC 7766 7)', async () => {
    const client = await open();
    client.send(query(1, 'AXFR'), query(2), query(3, 'NS'));
    const recordsOf = (messages: readonly Buffer[]) =>
      messages.reduce((sum, one) => (idOf(one) === 1 ? sum + one.readUInt16BE(6) : sum), 0);
    await client.until((messages) => recordsOf(messages) === 20_103 && messages.length > 20);
    const order = client.messages.map(idOf);
    for (const id of [2, 3]) {
      expect(order.filter((one) => one === id)).toHaveLength(1);
      expect(order.indexOf(id)).toBeLessThan(order.lastIndexOf(1));
    }
  });

  it('closed by the client on its side is answered to the end (RFC 7766 6.2.4)', async () => {
    const client = await open();
    client.socket.end(Buffer.concat([1, 2, 3].map((id) => frameMessage(query(id)))));
    await client.untilClosed();
    expect(client.messages.map(idOf).sort()).toEqual([1, 2, 3]);
  });

  it('reset by the client, amid an answer or a question, harms no other', async () => {
    const other = await open();
    for (let round = 0; round < 20; round++) {
      const client = await open();
      client.socket.write(frameMessage(query(round, 'AXFR')).subarray(0, round < 10 ? 31 : 17));
      await sleep(5);
      client.socket.resetAndDestroy();
    }
    other.send(query(7));
    await other.until(({ length }) => length === 1);
    expect(readAnswer(other.messages[0]!).rcode).toBe('NOERROR');
  });
});

describe('idle connections (RFC 7766 6.2.3)', () => {
  it('are closed after the idle time, half a message or not; busy ones are not', async () => {
    const seconds = String(idleSeconds);
    await using hasty = await startService({ ZONEBOOK_DNS_TCP_IDLE_TIMEOUT_SECS: seconds });
    const started = performance.now();
    const [silent, half, busy] = [await open(hasty), await open(hasty), await open(hasty)];
    half.socket.write(frameMessage(query(1)).subarray(0, 9));
    const asking = setInterval(() => busy.send(query(1)), 200);
    await Promise.all([silent.untilClosed(), half.untilClosed()]);
    expect(performance.now() - started).toBeGreaterThan(idleSeconds * 1000 - 100);
    expect(busy.closed).toBe(false);
    clearInterval(asking);
    await busy.untilClosed();
  });

  it('are announced to those who ask (RFC 7828)', async () => {
    const client = await open();
    const keepalive = optRecord({ options: Buffer.from([0, 11, 0, 0]) });
    client.send(
      requestMessage({ name: 'example.com', type: 'SOA', additional: [keepalive] }),
      requestMessage({ name: 'example.com', type: 'SOA', additional: [optRecord()] }),
    );
    await client.until(({ length }) => length === 2);
    const [asked, plain] = [...client.messages].sort((a, b) => b.length - a.length);
    const option = Buffer.from([0, 11, 0, 2, 0, 0]);
    option.writeUInt16BE(patientSeconds * 10, 4);
    expect(asked!.subarray(-option.length)).toEqual(option);
    expect(asked!.length).toBe(plain!.length + option.length);
  });
});

describe('the number of connections (RFC 7766 6.2.2)', () => {
  it('has a limit: beyond it those idle longest are closed (RFC 7766 6.2.3)', async () => {
    const all: TcpClient[] = [];
    for (let count = 0; count < mostConnections; count++) {
      all.push(await open());
      await sleep(5);
    }
    all[0]!.send(query(4));
    await all[0]!.until(({ length }) => length === 1);
    const beyond = [await open(), await open()];
    for (const client of all.slice(1, 3)) await client.untilClosed();
    const kept = [all[0]!, ...all.slice(3), ...beyond];
    for (const client of kept) client.send(query(5));
    for (const client of kept) await client.until(({ length }) => length >= 1);
  });
});

needsPeers('dnspython')('transport', () => {
  it('is the choice of the client; what UDP cuts, TCP has whole (RFC 7766 5)', async () => {
    const outcome = await dnspython<unknown>(
      service.dnsPort,
      `
query = dns.message.make_query('many.example.com', 'A')
cut = dns.query.udp(query, '127.0.0.1', port=port, timeout=60)
whole, by_tcp = dns.query.udp_with_fallback(query, '127.0.0.1', port=port, timeout=60)
first = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60)
result = [bool(cut.flags & dns.flags.TC), by_tcp, len(whole.answer[0]), len(first.answer[0])]
`,
    );
    expect(outcome).toEqual([true, true, 100, 100]);
  });
});
