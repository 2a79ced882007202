import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { encode } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import type { Destination } from './policy.ts';
import { freePort } from '../../spec/support/ports.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { parseRdataText } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { encodeMessage } from '../../spec/support/encode-message.ts';
import { rcode, recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import { probeDs } from './ds-probe.ts';

const zoneName = 'child.example.test';
const digest = Buffer.alloc(32, 0xab);
const rdata = Buffer.concat([Buffer.from('12340d02', 'hex'), digest]);
const apex = parseAbsoluteName(zoneName);
const ds: WireRecord = { name: apex, type: rrtype.DS, class: recordClass.IN, ttl: 300, rdata };
const found = { ds: [rdata], ttlSeconds: 300 };

const closing: (() => void)[] = [];
// The patience of who asks ends when the test says so, however slow the host is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  for (const close of closing.splice(0)) close();
  vi.useRealTimers();
});

const patienceMs = 100;

/** Sends these answers, if any, and lets the patience of who waits for a better one end. */
function inVain(...answers: Buffer[]): Buffer[] {
  setImmediate(() => setImmediate(() => vi.advanceTimersByTime(patienceMs)));
  return answers;
}

type Respond = (request: Buffer, over: 'udp' | 'tcp') => readonly Buffer[];

/** A server that answers as told, over UDP and TCP. */
async function listen(respond: Respond, address = '127.0.0.1') {
  const port = await freePort(address);
  const received: { over: 'udp' | 'tcp'; request: Buffer }[] = [];
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (request, from) => {
    received.push({ over: 'udp', request });
    for (const answer of respond(request, 'udp')) udp.send(answer, from.port, from.address);
  });
  udp.bind(port, address);
  await once(udp, 'listening');
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (framed) => {
      const request = Buffer.from(framed).subarray(2);
      received.push({ over: 'tcp', request });
      for (const answer of respond(request, 'tcp')) {
        socket.write(
          Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]),
        );
      }
      socket.end();
    });
  });
  tcp.listen(port, address);
  await once(tcp, 'listening');
  closing.push(
    () => udp.close(),
    () => tcp.close(),
  );
  return { target: destinationOf(address, port), received };
}

/** The honest answer with its DS, changed as told. */
function answered(request: Buffer, changes: Partial<Message> = {}): Buffer {
  const { edns: _edns, questionBytes: _bytes, ...message } = decodeMessage(request);
  return encodeMessage({
    ...message,
    response: true,
    authoritative: true,
    answers: [ds],
    ...changes,
  });
}

const probe = (target: Destination, tries = 1) =>
  probeDs(target, 'Child.Example.test', { tryMs: patienceMs, tries });

describe('the question for a DS', () => {
  it('is asked with EDNS and DO, without RD', async () => {
    const { target, received } = await listen((request) => [answered(request)]);
    expect(await probe(target)).toEqual(found);
    expect(decodeMessage(received[0]!.request)).toMatchObject({
      response: false,
      recursionDesired: false,
      questions: [{ name: apex, type: rrtype.DS, class: recordClass.IN }],
      edns: { udpPayload: 1232, version: 0, dnssecOk: true },
    });
  });

  it('takes the bytes that another encoder writes', async () => {
    const { target } = await listen((request) => [
      encode({
        type: 'response',
        id: request.readUInt16BE(0),
        flags: 0x400,
        questions: [{ type: 'DS', name: 'CHILD.example.TEST' }],
        answers: [
          {
            type: 'DS',
            name: 'CHILD.example.TEST',
            ttl: 300,
            data: { keyTag: 0x1234, algorithm: 13, digestType: 2, digest },
          },
        ],
      }),
    ]);
    expect(await probe(target)).toEqual(found);
  });

  it('is asked over IPv6', async () => {
    const { target } = await listen((request) => [answered(request)], '::1');
    expect(await probe(target)).toEqual(found);
  });

  it('is asked again when nobody answers', async () => {
    let count = 0;
    const { target, received } = await listen((request) =>
      count++ === 0 ? inVain() : [answered(request)],
    );
    expect(await probe(target, 2)).toEqual(found);
    expect(received).toHaveLength(2);
    expect(received[0]!.request.subarray(0, 2)).not.toEqual(received[1]!.request.subarray(0, 2));
  });

  it('is asked over TCP when the answer is cut off, wherever it is', async () => {
    const cutTidily: Respond = (request, over) => [
      over === 'tcp' ? answered(request) : answered(request, { truncated: true, answers: [] }),
    ];
    const tidy = await listen(cutTidily);
    expect(await probe(tidy.target)).toEqual(found);
    expect(tidy.received.map(({ over }) => over)).toEqual(['udp', 'tcp']);
    const rough = await listen((request, over) =>
      over === 'tcp'
        ? [answered(request)]
        : [answered(request, { truncated: true }).subarray(0, -10)],
    );
    expect(await probe(rough.target)).toEqual(found);
  });
});

describe('no answer to the question', () => {
  const silence = 'did not answer within 0.1 s';
  const other = parseAbsoluteName('other.example.test');
  const questionOf = (changes: object) => ({
    questions: [{ name: apex, type: rrtype.DS, class: recordClass.IN, ...changes }],
  });

  it.each<[string, (request: Buffer) => Buffer]>([
    ['another id', (request) => answered(request, { id: request.readUInt16BE(0) ^ 1 })],
    ['a request', (request) => answered(request, { response: false })],
    ['another opcode', (request) => answered(request, { opcode: 4 })],
    ['another name', (request) => answered(request, questionOf({ name: other }))],
    ['another type', (request) => answered(request, questionOf({ type: rrtype.NS }))],
    ['another class', (request) => answered(request, questionOf({ class: recordClass.CH }))],
    ['no question', (request) => answered(request, { questions: [] })],
    [
      'another name, cut off',
      (request) => answered(request, { ...questionOf({ name: other }), truncated: true }),
    ],
    ['no message', () => Buffer.from('nonsense')],
    ['no message at all', () => Buffer.alloc(0)],
  ])('is %s: passed over, whoever sends it', async (_, lie) => {
    const liar = await listen((request) => inVain(lie(request)));
    expect(await probe(liar.target, 2)).toEqual({ failure: silence });
    expect(liar.received).toHaveLength(2);
    const crowd = await listen((request) => [lie(request), answered(request)]);
    expect(await probe(crowd.target)).toEqual(found);
  });

  it('is what can not be read, which is told', async () => {
    const short = parseRdataText(rrtype.DS, `1 13 2 ${'00'.repeat(32)}`).subarray(0, 20);
    const { target } = await listen((request) =>
      inVain(answered(request, { answers: [{ ...ds, rdata: short }] })),
    );
    expect(await probe(target)).toEqual({
      failure: `${silence} (a message could not be read: DS digest of type 2 has 32 bytes, not 16)`,
    });
  });

  it('is a wrong one over TCP', async () => {
    const over = (tcp: (request: Buffer) => readonly Buffer[]) =>
      listen((request, way) =>
        way === 'udp' ? [answered(request, { truncated: true })] : tcp(request),
      );
    const failureOf = async (tcp: (request: Buffer) => readonly Buffer[]) =>
      probe((await over(tcp)).target);
    const wrongId = (request: Buffer) => [answered(request, { id: request.readUInt16BE(0) ^ 1 })];
    expect(await failureOf(wrongId)).toEqual({ failure: 'answered something else over TCP' });
    expect(await failureOf((request) => [answered(request, { truncated: true })])).toEqual({
      failure: 'cut its answer off over TCP too',
    });
    expect(await failureOf(() => [])).toEqual({ failure: 'closed the connection' });
  });

  it('is a server that nobody can reach', async () => {
    const port = await freePort();
    expect(await probe(destinationOf('127.0.0.1', port), 2)).toEqual({
      failure: expect.stringMatching(/^can not be reached: .*ECONNREFUSED/),
    });
    // Connecting fails at once, before anything could be sent.
    expect(await probe(destinationOf('255.255.255.255', port), 2)).toEqual({
      failure: expect.stringMatching(/^can not be reached: connect E/),
    });
  });
});

describe('an answer', () => {
  const ns = { name: parseAbsoluteName('test'), type: rrtype.NS, class: recordClass.IN, ttl: 1 };

  it.each<[string, Partial<Message>, string]>([
    ['without AA', { authoritative: false }, 'answered without authority'],
    ['REFUSED', { rcode: rcode.REFUSED, answers: [] }, 'answered REFUSED'],
    ['REFUSED without question', { rcode: 5, answers: [], questions: [] }, 'answered REFUSED'],
    [
      'that refers',
      { authoritative: false, answers: [], authorities: [{ ...ns, rdata: Buffer.alloc(1) }] },
      'referred to the servers of test. instead of answering',
    ],
    [
      'that is an alias',
      { answers: [{ ...ds, type: rrtype.CNAME, rdata: Buffer.alloc(1) }] },
      'answered with a CNAME instead of a delegation',
    ],
    [
      'of the zone itself',
      { answers: [], authorities: [{ ...ds, type: rrtype.SOA, rdata: Buffer.alloc(22) }] },
      "answered with the zone's own SOA: it is a server of the zone, not of its parent",
    ],
  ])('%s ends the asking with its clause', async (_, changes, failure) => {
    const { target, received } = await listen((request) => [answered(request, changes)]);
    expect(await probe(target, 2)).toEqual({ failure });
    expect(received).toHaveLength(1);
  });
});
