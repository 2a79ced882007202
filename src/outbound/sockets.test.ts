/** Sockets towards others whose host has no port, or no protocol, for them. */
import { Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import { datagramsTo } from './sockets.ts';

afterEach(() => vi.restoreAllMocks());

it('closes a datagram socket that could not be bound', async () => {
  const full = Object.assign(new Error('bind EMFILE'), { code: 'EMFILE' });
  vi.spyOn(Socket.prototype, 'bind').mockImplementationOnce(function (this: Socket) {
    this.emit('error', full);
    return this;
  });
  const failed = vi.fn();
  const ready = vi.fn();
  const events = { ready, failed, message: () => {}, unreadable: () => {} };
  const socket = datagramsTo(destinationOf('127.0.0.1', 5300), events);
  expect(failed.mock.calls).toEqual([[full]]);
  const closed = once(socket, 'close');
  socket.close();
  await closed;
  expect(ready).not.toHaveBeenCalled();
});
