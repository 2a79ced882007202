/**
 * NOTIFY octet by octet (RFC 1996 3, cases 56 and 57): what the running service sends, and what it
 * says to those who take it for a secondary.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { optRecord, readAnswer, requestMessage, wireRecord } from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { answerByUdp, askByTcp, askByUdp } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const notify = 4 << 11;
const zone = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

let service: RunningService;
let socket: Socket;
const received: { bytes: Buffer; from: RemoteInfo; at: number }[] = [];
/** RCODE of the answers; undefined keeps silent. */
let answerWith: number | undefined = 0;

beforeAll(async () => {
  socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    received.push({ bytes, from, at: performance.now() });
    if (answerWith === undefined) return;
    const answer = Buffer.from(bytes);
    answer[2]! |= 0x80;
    answer[3] = answerWith;
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  service = await startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: '2',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '2',
  });
  const address = `127.0.0.1:${socket.address().port}`;
  await service.must('POST', '/secondaries', { name: 'ns2', address });
  await service.must('POST', '/zones', { ...zone, name: 'example.com' });
  // The new zone and the catalog are told of by themselves; what comes from here on was asked for.
  await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
});
afterAll(async () => {
  socket.close();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  received.length = 0;
  answerWith = 0;
});

const tell = () => service.call('POST', '/zones/example.com/notify');

it('is a question for the SOA with the SOA as answer, every other field zero (3.2, 3.7)', async () => {
  expect((await tell()).status).toBe(200);
  const { bytes } = received[0]!;
  // QR 0, opcode 4, AA, nothing else; one question, one answer, no further record.
  expect(bytes.readUInt16BE(2)).toBe(notify | 0x0400);
  expect([4, 6, 8, 10].map((at) => bytes.readUInt16BE(at))).toEqual([1, 1, 0, 0]);
  const question = requestMessage({ name: 'example.com', type: 'SOA' }).subarray(12);
  expect(bytes.subarray(12, 12 + question.length)).toEqual(question);
  const { answers } = readAnswer(bytes);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toContain('"mname":"ns1.example.com"');
});

it('has an id of its own each time, and ends with the first answer (3.3, 3.6)', async () => {
  for (let round = 0; round < 5; round++) expect((await tell()).status).toBe(200);
  expect(received).toHaveLength(5);
  expect(new Set(received.map(({ bytes }) => bytes.readUInt16BE(0))).size).toBeGreaterThan(3);
});

it('is sent again after the timeout, octet by octet the same, then given up (3.6)', async () => {
  answerWith = undefined;
  expect((await tell()).status).toBe(500);
  expect(received).toHaveLength(3);
  const [first, second, third] = received;
  expect(second!.bytes).toEqual(first!.bytes);
  expect(third!.bytes).toEqual(first!.bytes);
  expect(second!.at - first!.at).toBeGreaterThan(1500);
  expect(third!.at - second!.at).toBeGreaterThan(1500);
});

it('ends with NOTIMP too, from one who does not know it (3.12)', async () => {
  answerWith = 4;
  const { status, body } = await tell();
  expect([status, received.length]).toEqual([500, 1]);
  expect(body.error).toContain('NOTIMP');
});

it('is not sent to a server that is a secondary no more', async () => {
  await service.must('PUT', '/secondaries/ns2', { enabled: false });
  await service.must('PUT', '/zones/example.com', { refresh: 321 });
  expect((await tell()).status).toBe(200);
  expect(received).toHaveLength(0);
  await service.must('PUT', '/secondaries/ns2', { enabled: true });
});

it('that comes in is NOTIMP, with its question, and starts nothing (case 57)', async () => {
  const { zone: before } = await service.must('GET', '/zones/example.com');
  const soa = wireRecord('example.com', 'SOA', Buffer.alloc(22, 0));
  for (const name of ['example.com', 'www.example.com', 'example.net', 'catalog.invalid']) {
    for (const fields of [{}, { additional: [optRecord()] }, { authority: [soa] }]) {
      const request = requestMessage({ name, type: 'SOA', flags: notify | 0x0400, ...fields });
      for (const answer of [
        await askByUdp(service.dnsPort, request),
        await askByTcp(service.dnsPort, request),
      ]) {
        const { rcode, opcode, questions, answers, aa } = readAnswer(answer);
        expect({ rcode, opcode, questions, answers, aa }).toEqual({
          rcode: 'NOTIMP',
          opcode: 'NOTIFY',
          questions: 1,
          answers: [],
          aa: false,
        });
      }
    }
  }
  expect((await service.must('GET', '/zones/example.com')).zone).toEqual(before);
  expect(received).toHaveLength(0);
});

it('that comes as an answer is dropped, whoever sends it (case 57)', async () => {
  const answer = requestMessage({ name: 'example.com', type: 'SOA', flags: notify | 0x8400 });
  expect(await answerByUdp(service.dnsPort, answer, 300)).toBeUndefined();
});

needsPeers('dnspython')('dnspython', () => {
  it('is told NOTIMP when it notifies (case 57)', async () => {
    const outcome = await dnspython<unknown>(
      service.dnsPort,
      `
query = dns.message.make_query('example.com', 'SOA')
query.set_opcode(dns.opcode.NOTIFY)
query.flags |= dns.flags.AA
answer = dns.query.udp(query, '127.0.0.1', port=port, timeout=60)
result = [dns.rcode.to_text(answer.rcode()), dns.opcode.to_text(answer.opcode())]
`,
    );
    expect(outcome).toEqual(['NOTIMP', 'NOTIFY']);
  });
});
