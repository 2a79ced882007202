import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import type { Dispatcher } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';
import { listenUdp, type UdpServer } from './udp.ts';

const answer = Buffer.from('answer');
let waiting = 0;
let waited = () => {};
const dispatcher = {
  answerDatagram(bytes: Buffer, _address: string, mustNotWait: boolean) {
    if (String(bytes) !== 'wait') return mustNotWait ? Buffer.from('answer in the crowd') : answer;
    if (mustNotWait) return undefined;
    waiting++;
    waited();
    return new Promise(() => {});
  },
} as unknown as Dispatcher;
let failures: object[] = [];
const log = { error: (_: string, fields: object) => failures.push(fields) };

let server: UdpServer | undefined;
afterEach(async () => {
  await server?.stop(0);
  server = undefined;
  const logged = failures;
  failures = [];
  expect(logged).toEqual([]);
});

async function listen(address: string, hostAddresses?: () => readonly string[]) {
  const options = { address, port: 0, log: log as never, hostAddresses };
  server = await listenUdp(dispatcher, options as never);
  return server;
}

/** What a client hears of an address: it takes answers of that address alone. */
async function heardOf(address: string, port: number): Promise<string> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.connect(port, address);
    await once(socket, 'connect');
    const answer = once(socket, 'message').then(([bytes]) => String(bytes));
    socket.send('question');
    return await answer.catch(({ code }) => code);
  } finally {
    socket.close();
  }
}

it.each([
  ['0.0.0.0', ['127.0.0.1', '127.0.0.2', '::1'], ['127.0.0.1', '127.0.0.2']],
  ['::', ['127.0.0.1', '127.0.0.2', '::1'], ['127.0.0.1', '127.0.0.2', '::1']],
  ['127.0.0.3', ['127.0.0.1', '127.0.0.2'], ['127.0.0.3']],
])('on %s each address answers for itself', async (address, ofHost, expected) => {
  const { port } = await listen(address, () => ofHost);
  for (const each of expected) expect([each, await heardOf(each, port)]).toEqual([each, 'answer']);
});

it('follows addresses that come and go, and waits for those that can not be used yet', async () => {
  let ofHost = ['127.0.0.1', '192.0.2.1'];
  const { port, followAddresses } = await listen('0.0.0.0', () => ofHost);
  expect(await heardOf('127.0.0.2', port)).toBe('ECONNREFUSED');
  ofHost = ['127.0.0.2'];
  await followAddresses.call(server);
  expect(await heardOf('127.0.0.2', port)).toBe('answer');
  expect(await heardOf('127.0.0.1', port)).toBe('ECONNREFUSED');
  expect(server!.port).toBe(port);
});

it('serves every other address while one is taken by another program', async () => {
  let ofHost = ['127.0.0.1'];
  const { port, followAddresses } = await listen('0.0.0.0', () => ofHost);
  const other = createSocket('udp4').bind(port, '127.0.0.2');
  await once(other, 'listening');
  ofHost = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  await followAddresses.call(server);
  expect(failures).toMatchObject([{ error: { code: 'EADDRINUSE', address: '127.0.0.2' } }]);
  failures = [];
  expect(await heardOf('127.0.0.3', port)).toBe('answer');
  other.close();
  await followAddresses.call(server);
  expect(await heardOf('127.0.0.2', port)).toBe('answer');
});

it.each([
  ['0.0.0.0', ['127.0.0.1']],
  ['::', ['127.0.0.1', '::1']],
])('one socket does for all of %s where addresses are not told', async (address, expected) => {
  const { port } = await listen(address, () => []);
  for (const each of expected) expect([each, await heardOf(each, port)]).toEqual([each, 'answer']);
});

it('listens on what the host has', async () => {
  const { port } = await listen('0.0.0.0');
  expect(await heardOf('127.0.0.1', port)).toBe('answer');
});

it('fails where the address is not here, or the port is taken', async () => {
  await expect(listen('192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  const { port } = await listen('127.0.0.1');
  const again = listenUdp(dispatcher, { address: '0.0.0.0', port, log: log as never });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('says when enough wait, and reads on', async () => {
  const { port } = await listen('127.0.0.1');
  const socket = createSocket('udp4');
  for (waiting = 0; waiting < nameserverLimits.waitingDatagrams; ) {
    const taken = new Promise<void>((resolve) => (waited = resolve));
    socket.send('wait', port, '127.0.0.1');
    await taken;
  }
  socket.close();
  expect(await heardOf('127.0.0.1', port)).toBe('answer in the crowd');
});
