import { EventEmitter, once } from 'node:events';
import { connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { requestMessage } from '../../spec/support/dns-messages.ts';
import { frameMessage } from '../dns/wire/framing.ts';
import { silentLog } from '../telemetry/log.ts';
import type { Dispatcher, Reply } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';
import { listenTcp, type TcpOptions, type TcpServer } from './tcp.ts';
import type { ReplyStream } from './transfer-stream.ts';

const question = requestMessage({ name: 'example.com', type: 'SOA' });
const framed = frameMessage(question);

let server: TcpServer;
let clients: Socket[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.destroy();
  await server.stop(0);
});

async function listen(
  answerMessage: (bytes: Buffer, address: string, stream: ReplyStream) => Reply | Promise<Reply>,
  more: Partial<TcpOptions> = {},
): Promise<void> {
  const dispatcher = { answerMessage } as unknown as Dispatcher;
  const options = { maxConnections: 128, idleMs: 3_600_000, queriesInWork: 16, ...more };
  server = await listenTcp('127.0.0.1', 0, dispatcher, options, silentLog());
}

/** A client at an address of this host, once it is connected. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const client = connect({ port: server.port, host: '127.0.0.1', localAddress });
  clients.push(client);
  client.on('error', () => {});
  await once(client, 'connect');
  return client;
}

it('takes nothing shorter than a header for a message', async () => {
  const lengths: number[] = [];
  await listen((bytes) => {
    lengths.push(bytes.length);
    return bytes;
  });
  const client = await open();
  client.write(Buffer.concat([Buffer.alloc(10_000), frameMessage(Buffer.alloc(11)), framed]));
  await once(client, 'data');
  expect(lengths).toEqual([question.length]);
});

it.each([
  ['answered', question],
  ['dropped', undefined],
])('leaves the turn to others amid questions that came at once and are %s', async (_, reply) => {
  const count = 2000;
  let [taken, inTurn, most] = [0, 0, 0];
  await listen(() => {
    taken++;
    most = Math.max(most, ++inTurn);
    return reply;
  });
  const client = await open();
  client.resume();
  client.write(Buffer.concat(Array.from({ length: count }, () => framed)));
  while (taken < count) {
    await new Promise(setImmediate);
    inTurn = 0;
  }
  // Its next turn may come before this one has looked.
  expect(most).toBeLessThanOrEqual(2 * nameserverLimits.queriesPerTurn);
});

it('lets no client hold all connections, nor take those of others', async () => {
  const waiting: ((value: unknown) => void)[] = [];
  await listen(() => new Promise(() => waiting.shift()?.(undefined)), { maxConnections: 4 });
  /** Opens a connection and keeps it in work. */
  const occupy = async (address: string) => {
    const taken = new Promise((resolve) => waiting.push(resolve));
    const client = await open(address);
    client.write(framed);
    await taken;
    return client;
  };
  const first = [];
  for (let count = 0; count < 4; count++) first.push(await occupy('127.0.0.1'));
  for (const leaves of [3, 2]) {
    await occupy('127.0.0.2');
    await once(first[leaves]!, 'close');
  }
  for (const address of ['127.0.0.1', '127.0.0.2']) await once(await open(address), 'close');
  expect(first.map(({ closed }) => closed)).toEqual([false, false, true, true]);
});

it('has idle connections give way, but none of a client that has fewer than the new one', async () => {
  const begun = new EventEmitter();
  await listen(() => new Promise(() => begun.emit('begun')), { maxConnections: 3 });
  const [longest, other] = [await open('127.0.0.1'), await open('127.0.0.1')];
  const third = await open('127.0.0.2');
  const fourth = await open('127.0.0.3');
  await once(longest, 'close');
  const fifth = await open('127.0.0.2');
  await once(third, 'close');
  const sixth = await open('127.0.0.3');
  await once(fourth, 'close');
  const seventh = await open('127.0.0.4');
  await once(other, 'close');
  for (const client of [sixth, seventh]) {
    client.write(framed);
    await once(begun, 'begun');
  }
  await once(await open('127.0.0.4'), 'close');
  expect([fifth, sixth, seventh].map(({ closed }) => closed)).toEqual([false, false, false]);
});

it('writes no answer while another waits for its client', async () => {
  const count = 400;
  let answered = 0;
  const large = Buffer.alloc(62_000);
  const write = vi.spyOn(Socket.prototype, 'write');
  const early: boolean[] = [];
  write.mockImplementation(function (this: Socket, ...args: unknown[]) {
    early.push(this.writableNeedDrain);
    return Reflect.apply(Duplex.prototype.write, this, args);
  });
  await listen(() => (answered++, large), { queriesInWork: count });
  const client = await open();
  client.write(Buffer.concat(Array.from({ length: count }, () => framed)));
  while (answered < nameserverLimits.queriesPerTurn) await new Promise(setImmediate);
  await new Promise(setImmediate);
  let bytes = 0;
  client.on('data', (chunk: Buffer) => (bytes += chunk.length));
  while (bytes < count * (large.length + 2)) await new Promise(setImmediate);
  expect(early.filter(Boolean)).toEqual([]);
});

const answer = Buffer.alloc(60_000);
const { setTimeout: later } = globalThis;

/** A client that reads nothing asks until the system takes no more, and an answer waits behind what it has. */
async function fill(more: Partial<TcpOptions> = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const accepted = vi.spyOn(Socket.prototype, 'setNoDelay');
  let answered = 0;
  await listen(() => (answered++, answer), more);
  const client = (await open()).pause();
  while (accepted.mock.contexts.length === 0) await new Promise(setImmediate);
  const [socket] = accepted.mock.contexts as Socket[];
  let asked = 0;
  while (socket!.writableLength === 0) {
    client.write(framed);
    asked++;
    while (answered < asked) await new Promise(setImmediate);
    await new Promise((resolve) => later(resolve, 10));
  }
  return { client, asked, socket: socket! };
}

it.each([
  ['its place went to a connection of another client', () => void open('127.0.0.2')],
  ['the service stopped', () => void server.stop(0).catch(() => {})],
  ['another transfer of the connection failed', (stream: ReplyStream) => stream.cut()],
  ['the client took no message for 10 s', () => vi.advanceTimersByTime(10_000)],
  ['the client closed the connection', () => clients[1]!.destroy()],
])('says that an answer was not sent because %s', async (reason, end) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const streams: ReplyStream[] = [];
  const failures: string[] = [];
  const endless = async (_bytes: Buffer, _address: string, stream: ReplyStream) => {
    const at = streams.push(stream) - 1;
    try {
      for (;;) await stream.send(answer);
    } catch (error) {
      failures[at] = (error as Error).message;
      return undefined;
    }
  };
  await listen(endless, { maxConnections: 2, idleMs: 10_000 });
  const writing = vi.spyOn(Socket.prototype, 'write');
  (await open()).pause().write(framed);
  while (streams.length < 1) await new Promise(setImmediate);
  (await open()).pause().write(Buffer.concat([framed, framed]));
  while (streams.length < 3) await new Promise(setImmediate);
  // Until the system takes no more of either.
  for (let written = 0; written < writing.mock.calls.length; ) {
    written = writing.mock.calls.length;
    await new Promise((resolve) => later(resolve, 50));
  }
  end(streams[1]!);
  vi.advanceTimersByTime(0);
  while (failures[1] === undefined || failures[2] === undefined) await new Promise(setImmediate);
  expect(failures.slice(1)).toEqual([reason, reason]);
});

it('begins no idle time before the client has taken the last answer', async () => {
  const idleMs = 10_000;
  const { client, asked, socket } = await fill({ idleMs, maxConnections: 1 });
  // It is not idle, and no other client takes its place.
  const other = await open('127.0.0.2');
  await Promise.race([once(other, 'close'), once(socket, 'close')]);
  expect(socket.closed).toBe(false);
  vi.advanceTimersByTime(idleMs - 1);
  let bytes = 0;
  client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  while (bytes < asked * (answer.length + 2)) await new Promise(setImmediate);
  vi.advanceTimersByTime(idleMs - 1);
  client.write(framed);
  while (bytes < (asked + 1) * (answer.length + 2) && !client.closed) {
    await new Promise(setImmediate);
  }
  expect(client.closed).toBe(false);
  vi.advanceTimersByTime(idleMs);
  await once(client, 'close');
});

it('says that an answer was not sent to a client that has just gone', async () => {
  const sent = Promise.withResolvers<void>();
  await listen((_bytes, _address, stream) => {
    client.resetAndDestroy();
    sent.resolve(stream.send(framed));
    return undefined;
  });
  const client = await open();
  client.write(framed);
  await expect(sent.promise).rejects.toThrow('the client closed the connection');
});

it('cuts a client off that does not take the last answer', async () => {
  const idleMs = 10_000;
  const { client, asked } = await fill({ idleMs });
  vi.advanceTimersByTime(idleMs);
  let bytes = 0;
  client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await once(client, 'close');
  expect(bytes).toBeLessThan(asked * (answer.length + 2));
});

it('sends what a client has yet to take when it stops, however long that takes', async () => {
  const { client, asked } = await fill();
  const stopped = server.stop(nameserverLimits.stopMs);
  vi.advanceTimersByTime(2 * nameserverLimits.goodbyeMs);
  let bytes = 0;
  client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await once(client, 'close');
  expect(bytes).toBe(asked * (answer.length + 2));
  await stopped;
});
