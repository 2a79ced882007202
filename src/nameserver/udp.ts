/**
 * The UDP socket: one datagram in, at most one datagram out.
 *
 * Answers that need nothing to be waited for are sent before the next datagram is read. The rest
 * is bounded in number, so that forged requests can not pile up.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import type { Dispatcher, Reply } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';

export interface UdpServer {
  readonly port: number;
  /** Reads no more, sends what is in work (up to `deadlineMs`) and closes. */
  stop(deadlineMs: number): Promise<void>;
}

export async function listenUdp(
  address: string,
  port: number,
  dispatcher: Dispatcher,
  log: Log,
): Promise<UdpServer> {
  const socket = createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    // Answers go to addresses, never to names: nothing has to be looked up.
    lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
  });
  /** Datagrams that are in work. */
  let waiting = 0;
  let done: (() => void) | undefined;
  let stopping = false;
  let closed = false;

  function send(reply: Reply, to: RemoteInfo): void {
    // A client that went away is nobody's failure, so it is not logged; a socket that was closed
    // meanwhile takes nothing.
    if (reply !== undefined && !closed) socket.send(reply, to.port, to.address);
  }

  socket.on('message', (bytes, from) => {
    if (stopping || from.port === 0) return;
    if (waiting >= nameserverLimits.waitingDatagrams) return;
    const reply = dispatcher.answerDatagram(bytes, from.address);
    if (!(reply instanceof Promise)) {
      send(reply, from);
      return;
    }
    waiting++;
    void reply.then((later) => {
      waiting--;
      send(later, from);
      if (waiting === 0) done?.();
    });
  });

  // Asked for before the bind: with a lookup that answers at once, so does the socket.
  const listening = once(socket, 'listening');
  socket.bind({ address, port });
  try {
    // A failure to bind rejects here, for the one who starts the service.
    await listening;
  } catch (error) {
    closed = true;
    socket.close();
    throw error;
  }
  socket.on('error', (error) => log.error('dns.socket-failed', { transport: 'udp', error }));
  askForReceiveBuffer(socket);

  return {
    port: socket.address().port,
    async stop(deadlineMs) {
      stopping = true;
      const idle = new Promise<void>((resolve) => (done = resolve));
      if (waiting > 0) await Promise.race([idle, sleep(deadlineMs, undefined, { ref: false })]);
      closed = true;
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** The kernel may give less than is asked for, or refuse; then bursts lose more datagrams. */
function askForReceiveBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(nameserverLimits.datagramBufferBytes);
  } catch {
    // Served all the same.
  }
}
