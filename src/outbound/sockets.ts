/**
 * The only sockets that the service opens towards others. They go to a Destination, an address that passed the
 * outbound policy, and can send nowhere else: datagram sockets are connected.
 */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { assert } from '../base/problem.ts';
import { Destination } from './policy.ts';

export interface DatagramEvents {
  /** It can send; with the reason when it can not. */
  ready(error?: Error): void;
  message(bytes: Buffer): void;
  /** Once it is ready: often that nobody listens there. */
  failed(error: Error): void;
}

/** A datagram socket on a fresh port of its own, which hears of its destination alone. */
export function datagramsTo(
  destination: Destination,
  events: DatagramEvents,
  localAddress?: string,
): DatagramSocket {
  assert(Destination.isOne(destination), 'datagrams go to addresses that were judged');
  const { address, port } = destination;
  const socket = createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    // Sent to addresses only: nothing has to be looked up.
    lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
  });
  socket.on('error', events.failed);
  socket.on('message', (bytes) => events.message(bytes));
  // Where there is no route, the connecting fails already.
  const join = () => socket.connect(port, address, events.ready as () => void);
  if (localAddress === undefined) join();
  else socket.bind({ port: 0, address: localAddress }, join);
  return socket;
}

/** A connection, or one that is on its way. */
export function connectionTo(destination: Destination, noDelay = false): Socket {
  assert(Destination.isOne(destination), 'connections go to addresses that were judged');
  return connect({ host: destination.address, port: destination.port, noDelay });
}
