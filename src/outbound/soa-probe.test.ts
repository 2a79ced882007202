import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import { freePort } from '../../spec/support/ports.ts';
import { type AnswerChanges, soaAnswer } from '../../spec/support/soa-answer.ts';
import { ProbeError, probeSoa, probeSoaOverTcp } from './soa-probe.ts';

let udp: Socket;
let tcp: Server;
let port: number;
let serial: number | undefined;
let changes: AnswerChanges;
/** Requests over UDP that stay without answer. */
let ignored: number;
let received: { udp: number; tcp: number };

beforeEach(async () => {
  // The patience of who asks ends when the test says so, however slow the host is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  serial = 7;
  changes = {};
  ignored = 0;
  received = { udp: 0, tcp: 0 };
  port = await freePort();
  udp = createSocket('udp4');
  udp.on('message', (request, from) => {
    received.udp++;
    if (received.udp <= ignored) {
      setImmediate(() => vi.advanceTimersByTime(patienceMs));
      return;
    }
    // What does not belong to the question is passed over.
    const other = soaAnswer(request, 99);
    other[0]! ^= 1;
    udp.send(other, from.port, from.address);
    udp.send(Buffer.from('garbage'), from.port, from.address);
    udp.send(soaAnswer(request, serial, changes), from.port, from.address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  tcp = createServer((socket) => {
    socket.once('data', (framed: Buffer) => {
      received.tcp++;
      const answer = soaAnswer(framed.subarray(2), serial);
      const prefix = Buffer.from([answer.length >> 8, answer.length & 255]);
      socket.write(prefix.subarray(0, 1));
      setImmediate(() => socket.end(Buffer.concat([prefix.subarray(1), answer])));
    });
  });
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');
});

afterEach(() => {
  udp.close();
  tcp.close();
  vi.useRealTimers();
});

const patienceMs = 50;

const probe = (tries = 1, tryMs = patienceMs) =>
  probeSoa(destinationOf('127.0.0.1', port), 'Example.com', { tryMs, tries });

it('tells the serial', async () => {
  expect(await probe()).toEqual({ serial: 7, reason: null });
  serial = 2 ** 32 - 1;
  expect(await probe()).toEqual({ serial: 2 ** 32 - 1, reason: null });
  expect(received).toEqual({ udp: 2, tcp: 0 });
});

it('asks again, as often as it may', async () => {
  ignored = 1;
  expect(await probe(2)).toMatchObject({ serial: 7 });
  expect(received.udp).toBe(2);
  ignored = 100;
  await expect(probe(3)).rejects.toThrow(
    new ProbeError(`127.0.0.1:${port} did not answer within 0.05 s`),
  );
  expect(received.udp).toBe(5);
  await expect(probe(1, 46.9876543)).rejects.toThrow('did not answer within 0.05 s');
});

it('tells what was answered instead of an authoritative SOA', async () => {
  serial = undefined;
  expect(await probe()).toEqual({ serial: null, reason: `127.0.0.1:${port} answered REFUSED` });
  serial = 7;
  changes = { authoritative: false };
  expect((await probe()).reason).toContain('without authority');
});

it('takes no SOA of another class, however few bytes that has', async () => {
  for (const chaosBytes of [0, 1, 19, 20, 22]) {
    changes = { chaosBytes };
    const reason = `127.0.0.1:${port} answered without an SOA`;
    expect(await probe()).toEqual({ serial: null, reason });
  }
});

it('asks over TCP too when it is refused', async () => {
  udp.removeAllListeners('message');
  udp.on('message', (request, from) => {
    udp.send(soaAnswer(request, undefined), from.port, from.address);
  });
  expect(await probe()).toEqual({ serial: 7, reason: null });
  tcp.close();
  expect((await probe()).reason).toBe(`127.0.0.1:${port} answered REFUSED`);
});

it('asks over TCP when the answer is cut off', async () => {
  changes = { truncated: true };
  expect(await probe()).toEqual({ serial: 7, reason: null });
  expect(received.tcp).toBe(1);
});

it('asks again over TCP, as often as it may', async () => {
  const answer = tcp.listeners('connection')[0] as (socket: unknown) => void;
  let connections = 0;
  const probeOverTcp = (tries: number) =>
    probeSoaOverTcp(destinationOf('127.0.0.1', port), 'example.com', { tryMs: patienceMs, tries });
  tcp.removeAllListeners('connection');
  tcp.on('connection', (socket) => {
    if (++connections % 2 === 0) answer(socket);
    else socket.once('data', () => setImmediate(() => vi.advanceTimersByTime(patienceMs)));
  });
  expect(await probeOverTcp(2)).toEqual({ serial: 7, reason: null });
  await expect(probeOverTcp(1)).rejects.toThrow(
    new ProbeError(`127.0.0.1:${port} did not answer over TCP within 0.05 s`),
  );
  expect(connections).toBe(3);
});

it('says when nobody listens', async () => {
  const nobody = destinationOf('127.0.0.1', await freePort());
  const options = { tryMs: 1000, tries: 2 };
  await expect(probeSoa(nobody, 'example.com', options)).rejects.toThrow(ProbeError);
  await expect(probeSoaOverTcp(nobody, 'example.com', { tryMs: 1000, tries: 1 })).rejects.toThrow(
    /can not be reached over TCP: connect ECONNREFUSED/,
  );
});

it('says when there is no way to the server', async () => {
  // Connecting fails at once, as it does towards IPv6 on a host that has none.
  const broadcast = destinationOf('255.255.255.255', port);
  await expect(probeSoa(broadcast, 'example.com', { tryMs: 1000, tries: 1 })).rejects.toThrow(
    /^255\.255\.255\.255:\d+ can not be reached: connect E/,
  );
});
