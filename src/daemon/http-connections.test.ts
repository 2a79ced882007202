import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { headOf, RawConnection } from '../../spec/support/raw-http.ts';
import { limits } from '../base/limits.ts';
import { refuseUnreadable } from '../http/problem-answer.ts';
import { HttpConnections, serverOptions, takenFrom } from './http-listeners.ts';

const get = headOf('GET', '/', {});
let port = 0;
const open: RawConnection[] = [];

afterEach(() => {
  for (const connection of open.splice(0)) connection.end();
  vi.useRealTimers();
});

/** A server whose requests are answered when the test says so. */
async function serve(bounds: ConstructorParameters<typeof HttpConnections>[3] = {}) {
  const server = createServer(serverOptions);
  const stopping = new AbortController();
  const begun: ServerResponse[] = [];
  const listener = (_: IncomingMessage, outgoing: ServerResponse) => void begun.push(outgoing);
  refuseUnreadable(server);
  const connections = new HttpConnections(server, listener, stopping, bounds);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  return { server, connections, begun };
}

function dial(text = ''): RawConnection {
  const connection = new RawConnection(port);
  open.push(connection);
  connection.write(text);
  return connection;
}

const untilBegun = (begun: readonly unknown[], count: number) =>
  expect.poll(() => begun.length).toBe(count);

function isRefused(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  });
}

it('a listener that closes lets nobody in, and answers what is in work for the last time', async () => {
  const { connections, begun } = await serve();
  const working = dial(get);
  const kept = dial(get);
  await untilBegun(begun, 2);
  begun[1]!.end('kept');
  expect((await kept.answer())?.text).toBe('kept');
  const slow = dial('GET / HTTP/1.1\r\nHo');
  const silent = dial();
  // Taken in order: when this one is in work, those before it are there.
  const last = dial(get);
  await untilBegun(begun, 3);

  const closed = connections.close();
  expect(await isRefused()).toBe(true);
  await Promise.all([kept.closed, slow.closed, silent.closed]);
  // Already sent when the other end is still in work: never begun.
  working.write(get);
  begun[0]!.end('done');
  begun[2]!.end('done too');
  for (const connection of [working, last]) {
    const answer = await connection.answer();
    expect([answer?.status, answer?.head.includes('connection: close')]).toEqual([200, true]);
    expect(await connection.answer()).toBeUndefined();
  }
  expect(await closed).toBe(0);
  expect(begun).toHaveLength(3);
});

it('an answer whose head is out ends its connection when it is through', async () => {
  const { connections, begun } = await serve();
  const connection = dial(get);
  await untilBegun(begun, 1);
  begun[0]!.writeHead(200, { 'content-length': 8 });
  begun[0]!.write('half');
  const closed = connections.close();
  begun[0]!.end('half');
  expect((await connection.answer())?.text).toBe('halfhalf');
  await connection.closed;
  expect(await closed).toBe(0);
});

it('a listener that closes waits for nobody who is in the handshake of TLS', async () => {
  const server = createTlsServer(serverOptions);
  const connections = new HttpConnections(server, () => {}, new AbortController());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const arrived = once(server, 'connection');
  const silent = dial();
  await arrived;
  expect(await connections.close()).toBe(0);
  await silent.closed;
});

it('what takes too long is cut off, and counted', async () => {
  const { connections, begun } = await serve({ drainMs: 20 });
  const connection = dial(get);
  await untilBegun(begun, 1);
  expect(await connections.close()).toBe(1);
  expect(await connection.answer()).toBeUndefined();
});

it('a new connection takes the place of the one that waits longest', async () => {
  const { connections, begun } = await serve({ connections: 3 });
  const [first, second, third] = [dial(get), dial(get), dial(get)];
  await untilBegun(begun, 3);
  // All are in work: nobody gives way.
  const refused = dial(get);
  await refused.closed;
  expect(begun).toHaveLength(3);
  begun[1]!.end('x');
  await second.answer();
  begun[0]!.end('x');
  await first.answer();
  const fourth = dial(get);
  await second.closed;
  await untilBegun(begun, 4);
  begun[3]!.end('x');
  expect((await fourth.answer())?.status).toBe(200);
  expect([first.ended, third.ended]).toEqual([false, false]);
  begun[2]!.end('x');
  await connections.close();
});

it('a head that does not come to its end is cut off', async () => {
  const { connections } = await serve({ headMs: 50 });
  const connection = dial('GET / HTTP/1.1\r\n');
  const dripping = setInterval(() => connection.write('X: y\r\n'), 10);
  await connection.closed;
  clearInterval(dripping);
  await connections.close();
});

it('reads of one connection are begun one after another', async () => {
  const { connections, begun } = await serve();
  const connection = dial(get.repeat(3));
  await untilBegun(begun, 1);
  for (const [index, text] of ['one', 'two', 'three'].entries()) {
    // Whoever comes later on another connection is begun at once.
    const other = dial(get);
    await untilBegun(begun, 2 * index + 2);
    begun[2 * index]!.end(text);
    expect((await connection.answer())?.text).toBe(text);
    begun[2 * index + 1]!.end('x');
    await other.answer();
    await untilBegun(begun, Math.min(2 * index + 3, 6));
  }
  await connections.close();
});

it('of what came at once a few requests are begun in each turn of the event loop', async () => {
  const { connections, begun } = await serve();
  const post = headOf('POST', '/', { length: 0 });
  const connection = dial(post.repeat(limits.changesAtOnce));
  while (begun.length < limits.changesAtOnce) {
    const before = begun.length;
    await setImmediate();
    expect(begun.length - before).toBeLessThanOrEqual(limits.requestsPerTurn);
  }
  expect(begun).toHaveLength(limits.changesAtOnce);
  connection.end();
  await connections.close();
});

it('a request whose client leaves before its turn is not begun', async () => {
  const { connections, begun } = await serve();
  begun.push = function (outgoing) {
    const count = Array.prototype.push.call(this, outgoing);
    if (count === limits.requestsPerTurn) outgoing.req.socket.destroy();
    return count;
  };
  const post = headOf('POST', '/', { length: 0 });
  const connection = dial(post.repeat(limits.requestsPerTurn + 1));
  await connection.closed;
  // It ends when nothing is in work.
  await connections.close();
  await setImmediate();
  await setImmediate();
  expect(begun).toHaveLength(limits.requestsPerTurn);
});

it('changes of one connection are begun as they come, and reads among them wait', async () => {
  const { connections, begun } = await serve();
  const post = headOf('POST', '/', { length: 0 });
  const many = limits.requestsBehind + 10;
  const connection = dial(post.repeat(many) + get + post);
  await untilBegun(begun, many);
  for (const outgoing of begun.splice(0)) outgoing.end('changed');
  for (let answer = 0; answer < many; answer++) {
    expect((await connection.answer())?.text).toBe('changed');
  }
  await untilBegun(begun, 1);
  begun[0]!.end('read');
  expect((await connection.answer())?.text).toBe('read');
  await untilBegun(begun, 2);
  begun[1]!.end('changed');
  expect((await connection.answer())?.text).toBe('changed');
  await connections.close();
});

it('a connection has a number of changes in work, and what it sends behind them waits', async () => {
  const { connections, begun } = await serve();
  const post = headOf('POST', '/', { length: 0 });
  const connection = dial(post.repeat(limits.changesAtOnce + limits.requestsBehind + 10));
  await untilBegun(begun, limits.changesAtOnce);
  const { socket } = begun[0]!.req;
  await expect.poll(() => socket.isPaused()).toBe(true);
  socket.resume();
  await expect.poll(() => socket.isPaused()).toBe(true);
  connection.write(post.repeat(100));
  const all = limits.changesAtOnce + limits.requestsBehind + 110;
  for (let answered = 0; answered < all; answered++) {
    expect(begun.length).toBeLessThanOrEqual(answered + limits.changesAtOnce);
    await expect.poll(() => begun.length).toBeGreaterThan(answered);
    begun[answered]!.end('changed');
    expect((await connection.answer())?.text).toBe('changed');
  }
  expect(socket.isPaused()).toBe(false);
  await connections.close();
});

it.each([
  ['reads', get, 1, limits.requestsBehind],
  [
    'changes',
    'POST / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
    limits.changesAtOnce,
    limits.changesBehind,
  ],
])(
  'a connection that sends very many %s behind each other is closed',
  async (_, request, inWork, behind) => {
    const { connections, begun } = await serve();
    const connection = dial(request.repeat(inWork));
    await untilBegun(begun, inWork);
    connection.write(request.repeat(behind + 1));
    await connection.closed;
    expect(begun).toHaveLength(inWork);
    await connections.close();
  },
);

it('what came behind the request in work is not begun after the listener closed', async () => {
  const { connections, begun } = await serve();
  const connection = dial(get.repeat(2));
  await untilBegun(begun, 1);
  const closed = connections.close();
  begun[0]!.end('last');
  expect((await connection.answer())?.text).toBe('last');
  expect(await connection.answer()).toBeUndefined();
  expect(await closed).toBe(0);
  expect(begun).toHaveLength(1);
});

it('all changes in work are answered when the listener closes, whatever comes behind them', async () => {
  const { connections, begun } = await serve();
  const post = headOf('POST', '/', { length: 0 });
  const connection = dial(post.repeat(limits.changesAtOnce + limits.requestsBehind + 10));
  await untilBegun(begun, limits.changesAtOnce);
  const closed = connections.close();
  connection.write(post.repeat(100));
  for (const outgoing of [...begun]) {
    outgoing.end('changed');
    expect((await connection.answer())?.text).toBe('changed');
  }
  await connection.closed;
  expect(await closed).toBe(0);
  expect(begun).toHaveLength(limits.changesAtOnce);
});

it('a connection that is refused is closed, also where its client never closes it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { server, connections } = await serve();
  const admitted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.write('nothing\r\n');
  const [socket] = await admitted;
  const [text] = await once(client, 'data');
  expect(String(text)).toContain('400 Bad Request');
  // What comes then does not reset it: the client may have yet to take the answer.
  client.write('nothing\r\n');
  await once(server, 'clientError');
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(limits.lingerMs);
  await once(socket, 'close');
  client.destroy();
  await connections.close();
});

it('nothing is begun behind the last answer of a connection', async () => {
  const { connections, begun } = await serve();
  const connection = dial(get.repeat(2));
  await untilBegun(begun, 1);
  const { socket } = begun[0]!.req;
  begun[0]!.shouldKeepAlive = false;
  begun[0]!.end('last');
  await once(socket, 'close');
  expect((await connection.answer())?.text).toBe('last');
  expect(begun).toHaveLength(1);
  await connections.close();
});

it('a client that takes nothing of its answer is cut off, and one that waits for it is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { connections, begun } = await serve();
  const waiting = dial(get);
  await untilBegun(begun, 1);
  const stalled = connect(port, '127.0.0.1').pause();
  stalled.write(get);
  await untilBegun(begun, 2);
  begun[1]!.end(Buffer.alloc(32 * 1024 * 1024));
  const { socket } = begun[1]!.req;
  // The system takes a part, and has no more room then.
  let taken = 0;
  let idleLooks = 0;
  while (!socket.destroyed) {
    const now = takenFrom(socket);
    idleLooks = now > taken ? 0 : idleLooks + 1;
    taken = now;
    vi.advanceTimersByTime(limits.answerStallMs / 10);
    // What it sends meanwhile does not count.
    stalled.write('\r\n');
    await setImmediate();
  }
  expect(idleLooks).toBe(10);
  expect(begun[1]!.writableFinished).toBe(false);
  stalled.destroy();
  begun[0]!.end('late');
  expect((await waiting.answer())?.text).toBe('late');
  await connections.close();
});
