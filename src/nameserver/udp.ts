/**
 * The UDP sockets: one datagram in, at most one datagram out, from the address that was asked (RFC 2181 4.1).
 *
 * A socket that is bound to every address at once answers from the one that the kernel's routes prefer, and clients of
 * another drop that. So each address of this host has a socket of its own, and those that come and go are followed.
 *
 * Answers that need nothing to be waited for are sent before the next datagram is read. The rest is bounded in number,
 * so that forged requests can not pile up: beyond it, what would have to wait is dropped, and all else is answered.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Periodic } from '../base/periodic.ts';
import type { Log } from '../telemetry/log.ts';
import type { Dispatcher, Reply } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';

export interface UdpServer {
  readonly port: number;
  /** Looks for addresses that have come or gone, as is done now and then. */
  followAddresses(): Promise<void>;
  /** Reads no more, sends what is in work (up to `deadlineMs`) and closes. */
  stop(deadlineMs: number): Promise<void>;
}

/** Where and how to listen. */
export interface UdpOptions {
  /** One address, or `0.0.0.0` or `::` for all that the host has; `::` is those of IPv4 too. */
  readonly address: string;
  /** 0 takes any. */
  readonly port: number;
  readonly log: Log;
  /** The addresses of the host, those of interfaces of its own with a scope. */
  readonly hostAddresses?: () => readonly string[];
}

export async function listenUdp(dispatcher: Dispatcher, options: UdpOptions): Promise<UdpServer> {
  const server = new Sockets(dispatcher, options);
  await server.start();
  return server;
}

class Sockets implements UdpServer {
  readonly #dispatcher: Dispatcher;
  readonly #options: UdpOptions;
  /** By address. */
  readonly #sockets = new Map<string, Socket>();
  readonly #following: Periodic | undefined;
  /** Datagrams that are in work. */
  #waiting = 0;
  #idle: (() => void) | undefined;
  #isStopping = false;
  #port: number;

  constructor(dispatcher: Dispatcher, options: UdpOptions) {
    this.#dispatcher = dispatcher;
    this.#options = options;
    this.#port = options.port;
    if (!isEvery(options.address)) return;
    this.#following = new Periodic(() => this.#follow(), {
      everyMs: nameserverLimits.addressesMs,
      failed: (error) => options.log.error('dns.socket-failed', { transport: 'udp', error }),
    });
  }

  get port(): number {
    return this.#port;
  }

  /** A failure to bind rejects here, for the one who starts the service. */
  async start(): Promise<void> {
    try {
      for (const address of this.#wanted()) await this.#open(address);
    } catch (error) {
      for (const socket of this.#sockets.values()) socket.close();
      throw error;
    }
    this.#following?.start();
  }

  followAddresses(): Promise<void> {
    return this.#following?.wake() ?? Promise.resolve();
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    await this.#following?.stop();
    const idle = new Promise<void>((resolve) => (this.#idle = resolve));
    if (this.#waiting > 0) await Promise.race([idle, sleep(deadlineMs, undefined, { ref: false })]);
    const open = [...this.#sockets.values()];
    this.#sockets.clear();
    await Promise.all(open.map((socket) => new Promise<void>((done) => socket.close(done))));
  }

  #wanted(): readonly string[] {
    const { address, hostAddresses = addressesOfHost } = this.#options;
    if (!isEvery(address)) return [address];
    const found = hostAddresses().filter((one) => isIPv6(address) || !isIPv6(one));
    return found.length === 0 ? [address] : found;
  }

  async #follow(): Promise<void> {
    const wanted = new Set(this.#wanted());
    for (const [address, socket] of this.#sockets) {
      if (wanted.has(address)) continue;
      this.#sockets.delete(address);
      socket.close();
    }
    // One that somebody else listens on keeps no other from being served.
    const failures: unknown[] = [];
    for (const address of wanted) {
      if (this.#isStopping) return;
      if (this.#sockets.has(address)) continue;
      await this.#open(address).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** An address that can not be used yet, or no more, is left to the next look. */
  async #open(address: string): Promise<void> {
    const socket = createSocket({
      ...(isIPv6(address) ? { type: 'udp6', ipv6Only: !isEvery(address) } : { type: 'udp4' }),
      // Answers go to addresses, never to names: nothing has to be looked up.
      lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
    });
    socket.on('message', (bytes, from) => this.#take(socket, address, bytes, from));
    // Asked for before the bind: with a lookup that answers at once, so does the socket.
    const listening = once(socket, 'listening');
    socket.bind({ address, port: this.#port });
    try {
      await listening;
    } catch (error) {
      socket.close();
      const isMissing = (error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL';
      if (isMissing && isEvery(this.#options.address)) return;
      throw error;
    }
    const { log } = this.#options;
    socket.on('error', (error) => log.error('dns.socket-failed', { transport: 'udp', error }));
    askForReceiveBuffer(socket);
    this.#port = socket.address().port;
    this.#sockets.set(address, socket);
  }

  #take(socket: Socket, address: string, bytes: Buffer, from: RemoteInfo): void {
    if (this.#isStopping || from.port === 0) return;
    // A client that went away is nobody's failure, so it is not logged; a socket that was closed meanwhile takes
    // nothing.
    const send = (reply: Reply) => {
      if (reply === undefined || this.#sockets.get(address) !== socket) return;
      socket.send(reply, from.port, from.address);
    };
    const mustNotWait = this.#waiting >= nameserverLimits.waitingDatagrams;
    const reply = this.#dispatcher.answerDatagram(bytes, from.address, mustNotWait);
    if (!(reply instanceof Promise)) {
      send(reply);
      return;
    }
    this.#waiting++;
    void reply.then((later) => {
      this.#waiting--;
      send(later);
      if (this.#waiting === 0) this.#idle?.();
    });
  }
}

function isEvery(address: string): boolean {
  return address === '0.0.0.0' || /^[0:]+$/.test(address);
}

/** None where the system does not tell: then one socket has to do for all. */
function addressesOfHost(): string[] {
  let interfaces: ReturnType<typeof networkInterfaces>;
  try {
    interfaces = networkInterfaces();
  } catch {
    return [];
  }
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.map(({ address, family, scopeid }) =>
      family === 'IPv6' && scopeid !== 0 ? `${address}%${name}` : address,
    ),
  );
}

/** The kernel may give less than is asked for, or refuse; then bursts lose more datagrams. */
function askForReceiveBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(nameserverLimits.datagramBufferBytes);
  } catch {
    // Served all the same.
  }
}
