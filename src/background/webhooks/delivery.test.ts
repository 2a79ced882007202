import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { Webhook } from '../../domain/webhook.ts';
import { Outbound, OutboundPolicy } from '../../outbound/policy.ts';
import { Deliverer } from './delivery.ts';

const message = { id: '2-c2a1', kind: 'zone.created', at: '', zone: null, text: '{}' };

const common = {
  keystore: { webhookSecret: () => Buffer.from('secret') },
  clock: () => 0,
};

/** What two deliveries come to, one after the other, to a receiver that sends bytes, and closes behind them or not. */
async function deliveriesTo(bytes: string, isClosed: boolean) {
  await using receiver = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => (isClosed ? socket.end(bytes) : socket.write(bytes)));
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const policy = new OutboundPolicy({ deny: [], allow: [], listeners: [] });
  const deliverer = new Deliverer(
    { id: 1, url: `http://127.0.0.1:${port}/`, format: 'zonebook' } as Webhook,
    { ...common, outbound: new Outbound(policy) },
  );
  try {
    return [await deliverer.deliver(message), await deliverer.deliver(message)];
  } finally {
    deliverer.close();
  }
}

it.each([
  ['HTTP/1.1 204 No Content\r\n\r\n', false, 204, null],
  ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshor', true, 200, null],
  [
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n',
    false,
    101,
    'answered 101',
  ],
  ['HTTP/1.1 103 Early Hints\r\n\r\n', true, null, 'socket hang up'],
  ['', true, null, 'socket hang up'],
])('ends when the receiver sends %j (and closes: %s)', async (bytes, isClosed, status, error) => {
  const ended = expect.objectContaining({ status, error });
  expect(await deliveriesTo(bytes, isClosed)).toEqual([ended, ended]);
});

it('ends when it is stopped while its host is looked up', async () => {
  const stopping = new AbortController();
  const deliverer = new Deliverer(
    { id: 1, url: 'http://receiver.example/', format: 'zonebook' } as Webhook,
    { ...common, outbound: { destinationsOf: () => new Promise(() => stopping.abort()) } },
  );
  const { status, error } = await deliverer.deliver(message, stopping.signal);
  expect({ status, error }).toEqual({ status: null, error: 'This operation was aborted' });
});
