import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { exchange } from './http-exchange.ts';

const change = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n';
const empty = { type: '', date: '', text: '' };

/** What an exchange with a server comes to that sends bytes, and closes the connection behind them or not. */
async function outcomeOf(bytes: string, isClosed: boolean): Promise<unknown> {
  await using server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (isClosed ? socket.end(bytes) : socket.write(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, agent: false };
  return await exchange(request, options, Buffer.from('x')).catch(({ message }) => message);
}

it.each([
  [change, false, { status: 101, ...empty }],
  [change, true, { status: 101, ...empty }],
  [`${change}not HTTP`, false, { status: 101, ...empty }],
  ['HTTP/1.1 101 Switching Protocols\r\n\r\n', false, { status: 101, ...empty }],
  ['HTTP/1.1 204 No Content\r\n\r\n', false, { status: 204, ...empty }],
  ['HTTP/1.1 103 Early Hints\r\n\r\n', true, 'socket hang up'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshor', true, 'aborted'],
  ['HTTP/1.1 200 OK\r\n', true, 'socket hang up'],
  ['', true, 'socket hang up'],
  ['not HTTP', false, expect.stringContaining('Parse Error')],
])('ends when the server sends %j (and closes: %s)', async (bytes, isClosed, outcome) => {
  expect(await outcomeOf(bytes, isClosed)).toEqual(outcome);
});

it.each([
  ['between two questions', [0, 0, 5, 5], 3],
  ['while it is asked', [0, 0, 0, 0, 0], 4],
])(
  'gives up who is silent twice in a row, which who sends bytes %s is not',
  async (when, read, times) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = { bytesRead: 0 };
    const outgoing = Object.assign(new EventEmitter(), { socket, end() {}, destroy() {} });
    let asked = 0;
    const isAlive = async () => {
      asked++;
      if (when === 'while it is asked' && asked === 2) socket.bytesRead++;
      return false;
    };
    const open = (() => outgoing) as unknown as typeof request;
    const failed = vi.fn();
    void exchange(open, {}, undefined, { silence: { quietMs: 10, isAlive } }).catch(failed);
    for (const bytes of read) {
      socket.bytesRead = Math.max(socket.bytesRead, bytes);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect([asked, failed.mock.calls.length]).toEqual([times - 1, 0]);
    await vi.advanceTimersByTimeAsync(10);
    expect([asked, failed.mock.calls.length]).toEqual([times, 1]);
    outgoing.emit('close');
  },
);

/** A request with a socket, and how its exchange fails. */
function failing(socket: object) {
  const outgoing = Object.assign(new EventEmitter(), {
    socket: Object.assign(new EventEmitter(), socket),
    end() {},
    destroy: (error: Error) => void outgoing.emit('error', error),
  });
  const open = (() => outgoing) as unknown as typeof request;
  const failed = exchange(open, {}, undefined, { connectMs: 10 }).then(
    () => expect.unreachable(),
    ({ code, syscall }) => [code, syscall],
  );
  outgoing.emit('socket', outgoing.socket);
  return { outgoing, failed };
}

describe('says of a failure whether it is of the connection, over which nothing was sent', () => {
  const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' });

  it.each([
    ['while it is made', { connecting: true }, [], 'connect'],
    ['in the handshake', { connecting: true, encrypted: true }, ['connect'], 'connect'],
    ['when it stands', { connecting: true }, ['connect'], 'read'],
    ['behind the handshake', { connecting: true, encrypted: true }, ['secureConnect'], 'read'],
    ['when it was kept', { connecting: false }, [], 'read'],
  ])('%s', async (_, socket, events, syscall) => {
    const { outgoing, failed } = failing(socket);
    for (const event of events) outgoing.socket.emit(event);
    outgoing.socket.emit('close');
    outgoing.emit('error', reset());
    expect(await failed).toEqual(['ECONNRESET', syscall]);
  });

  it('when it does not come about in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { failed } = failing({ connecting: true, encrypted: true });
    vi.advanceTimersByTime(10);
    expect(await failed).toEqual(['ETIMEDOUT', 'connect']);
  });

  it('when the request can not even be made', async () => {
    const headers = { authorization: 'Bearer \n' };
    await expect(exchange(request, { headers }, undefined)).rejects.toMatchObject({
      code: 'ERR_INVALID_CHAR',
      syscall: 'connect',
    });
  });
});
