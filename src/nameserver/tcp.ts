/**
 * DNS over TCP (RFC 7766). The listener holds up to a number of connections. When all are taken, a new one takes the
 * place of one that is idle (6.2.3), or else of the newest of the largest network: never of a network that has fewer
 * than its own, so that no client has all (6.2.2). Where there is none it is closed at once. A network is an address
 * of IPv4 or a /64 of IPv6: whoever has many of them counts as many clients.
 *
 * On a connection queries come in and answers go out as they are ready:
 *
 * ```
 *   idle --message--> working --last answer--> idle --idle time--> ended
 *                        |
 *                        +-- too many in work, or the client does not read: no further reading
 * ```
 *
 * What came at once is put in work a part in each turn of the event loop, so that others have theirs.
 * Answers may overtake each other, but of the transfers a client asked for at once most wait until
 * the first ones are sent. A client that sends part of a message and no more counts as
 * idle; one that takes no message for the idle time is cut off.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { monotonicMs } from '../base/clock.ts';
import { FrameReader, frameMessage } from '../dns/wire/framing.ts';
import { headerBytes } from '../dns/wire/header.ts';
import { networkOf } from '../outbound/address.ts';
import type { Log } from '../telemetry/log.ts';
import type { Dispatcher } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';
import type { ReplyStream } from './transfer-stream.ts';

export interface TcpOptions {
  readonly maxConnections: number;
  readonly idleMs: number;
  /** Queries in work at a time on a connection; more are not read until one is answered. */
  readonly queriesInWork: number;
}

export interface TcpServer {
  readonly port: number;
  /** Accepts no more, answers what is in work (up to `deadlineMs`) and closes. */
  stop(deadlineMs: number): Promise<void>;
}

export async function listenTcp(
  address: string,
  port: number,
  dispatcher: Dispatcher,
  options: TcpOptions,
  log: Log,
): Promise<TcpServer> {
  const connections = new Set<Connection>();
  // A client may close its side after its last query and still wait for the answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= options.maxConnections) {
      const leaving = leavingFor(networkOf(socket.remoteAddress ?? ''), connections);
      if (leaving === undefined) {
        socket.on('error', () => {});
        socket.destroy();
        return;
      }
      connections.delete(leaving);
      leaving.cut('its place went to a connection of another client');
    }
    const connection = new Connection(socket, dispatcher, options);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.listen({ host: address, port });
  // A failure to bind rejects here, for the one who starts the service.
  await once(server, 'listening');
  server.on('error', (error) => log.error('dns.socket-failed', { transport: 'tcp', error }));
  const bound = server.address();

  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    async stop(deadlineMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.stop();
      const deadline = setTimeout(() => {
        for (const connection of connections) connection.cut('the service stopped');
      }, deadlineMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

/**
 * The connection that is closed for one of a network: the one that is idle longest, of that network or of those that
 * have more; else the newest of the largest, where that is left with as many as the newcomer's then has.
 */
function leavingFor(network: string, connections: Iterable<Connection>): Connection | undefined {
  const networks = Map.groupBy(connections, (connection) => connection.network);
  const own = networks.get(network)?.length ?? 0;
  const [largest] = [...networks.values()].sort((one, other) => other.length - one.length);
  const yielding = [...networks].filter(([name, { length }]) => name === network || length > own);
  const [idle] = yielding
    .flatMap(([, found]) => found.filter(({ idleSinceMs }) => idleSinceMs !== undefined))
    .sort((one, other) => one.idleSinceMs! - other.idleSinceMs!);
  if (idle !== undefined) return idle;
  return largest !== undefined && largest.length > own + 1 ? largest.at(-1) : undefined;
}

/** The connection ended before everything was sent; the message is a clause for logs. */
class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

class Connection {
  readonly #socket: Socket;
  readonly #dispatcher: Dispatcher;
  readonly #options: TcpOptions;
  readonly #address: string;
  /** What its client counts as. */
  readonly network: string;
  readonly #frames = new FrameReader();
  /** Messages that were read and wait to be put in work. */
  readonly #queued: Buffer[] = [];
  /** Resolves when what was written last is out, or never will be. */
  #out: Promise<void> = Promise.resolve();
  /** Transfers that wait for their turn, and how many have theirs. */
  readonly #turnsAwaited: (() => void)[] = [];
  #turnsTaken = 0;
  #inWork = 0;
  /** Bytes of answers whose client has not taken them. */
  #unsentBytes = 0;
  /** Messages put in work in this turn of the event loop. */
  #inTurn = 0;
  #stopping = false;
  /** Why it ended before everything was sent: the client, unless it was cut. */
  #end = 'the client closed the connection';
  #idleTimer: NodeJS.Timeout | undefined;
  /** Since when nothing is in work; undefined while something is. */
  idleSinceMs: number | undefined;

  constructor(socket: Socket, dispatcher: Dispatcher, options: TcpOptions) {
    this.#socket = socket;
    this.#dispatcher = dispatcher;
    this.#options = options;
    this.#address = socket.remoteAddress ?? '';
    this.network = networkOf(this.#address);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk as Buffer));
    socket.on('end', () => this.#endWhenDone());
    socket.on('finish', () => this.#stopping && this.#startIdleTimer());
    // The error of a connection ends it, which `close` reports.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(this.#idleTimer);
      this.#queued.length = 0;
      for (const wake of this.#turnsAwaited.splice(0)) wake();
    });
    this.#startIdleTimer();
  }

  /** Takes no further message; ends when what is in work is answered. */
  stop(): void {
    this.#stopping = true;
    this.#queued.length = 0;
    this.#endWhenDone();
    if (this.#inWork === 0) this.#startIdleTimer();
  }

  /** Ends it at once; what is not sent yet fails for this reason, a clause for logs. */
  cut(reason: string): void {
    if (!this.#socket.destroyed) this.#end = reason;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#stopping) return;
    for (const message of this.#frames.push(chunk)) {
      // What is shorter is no message. A chunk holds tens of thousands of them, and so long a queue is slow to empty.
      if (message.length >= headerBytes) this.#queued.push(message);
    }
    this.#work();
  }

  /** Puts queued messages in work, as many as may be, and reads on only when none is left. */
  #work(): void {
    while (this.#queued.length > 0 && this.#inWork < this.#options.queriesInWork) {
      if (this.#unsentBytes > nameserverLimits.unsentBytes) break;
      if (this.#inTurn >= nameserverLimits.queriesPerTurn) break;
      if (this.#inTurn++ === 0) setImmediate(() => this.#nextTurn());
      void this.#answer(this.#queued.shift()!);
    }
    if (this.#queued.length > 0) this.#socket.pause();
    else this.#socket.resume();
  }

  #nextTurn(): void {
    this.#inTurn = 0;
    if (!this.#socket.destroyed) this.#work();
  }

  async #answer(message: Buffer): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.idleSinceMs = undefined;
    this.#inWork++;
    const stream = this.#openStream();
    try {
      const reply = await this.#dispatcher.answerMessage(message, this.#address, stream);
      if (reply !== undefined) await stream.send(frameMessage(reply));
    } catch {
      // Only a connection that has ended fails here; there is nobody left to answer.
      this.#socket.destroy();
    }
    this.#inWork--;
    if (this.#socket.destroyed) return;
    if (this.#stopping || this.#socket.readableEnded) this.#endWhenDone();
    this.#work();
    if (this.#inWork === 0 && this.#queued.length === 0) this.#startIdleTimer();
  }

  #openStream(): ReplyStream {
    const connection = this;
    let started = false;
    return {
      get started() {
        return started;
      },
      send(...framed) {
        started = true;
        return connection.#send(framed);
      },
      takeTurn: () => connection.#takeTurn(),
      get turnsTaken() {
        return connection.#turnsTaken;
      },
      cut: () => connection.cut('another transfer of the connection failed'),
    };
  }

  async #takeTurn(): Promise<() => void> {
    if (this.#turnsTaken < nameserverLimits.transfersPerConnection) {
      this.#turnsTaken++;
    } else {
      // Whoever ends a turn hands it on.
      await new Promise<void>((resolve) => this.#turnsAwaited.push(resolve));
    }
    if (this.#socket.destroyed) throw new ConnectionError(this.#end);
    return () => {
      const next = this.#turnsAwaited.shift();
      if (next === undefined) this.#turnsTaken--;
      else next();
    };
  }

  async #send(framed: readonly Buffer[]): Promise<void> {
    const bytes = framed.reduce((sum, { length }) => sum + length, 0);
    this.#unsentBytes += bytes;
    await this.#write(framed).finally(() => (this.#unsentBytes -= bytes));
  }

  /** One after the other: a slow client has the idle time for each, and not for all that it asked for. */
  async #write(framed: readonly Buffer[]): Promise<void> {
    while (this.#socket.writableNeedDrain) await this.#soon(this.#out);
    if (this.#socket.destroyed || !this.#socket.writable) throw new ConnectionError(this.#end);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#out = promise;
    // Parts go out in one write.
    this.#socket.cork();
    for (const part of framed) this.#socket.write(part, () => resolve());
    this.#socket.uncork();
    // A client that has gone may be seen here first; the end of the connection comes a moment later.
    if (this.#socket.errored !== null) throw new ConnectionError(this.#end);
    // What is in a buffer of ours goes no further when the connection is ended.
    if (this.#socket.writableLength > 0) await this.#soon(promise);
  }

  /** Waits until the client has taken what was written, for the idle time. */
  async #soon(taken: Promise<void>): Promise<void> {
    const { idleMs } = this.#options;
    const tooSlow = `the client took no message for ${idleMs / 1000} s`;
    const timer = setTimeout(() => this.cut(tooSlow), idleMs);
    await taken;
    clearTimeout(timer);
    if (this.#socket.destroyed) throw new ConnectionError(this.#end);
  }

  #startIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    this.idleSinceMs = monotonicMs();
    // What the client has yet to take of its answers has the time that stopping has.
    if (this.#stopping && !this.#socket.writableFinished) return;
    const idleMs = this.#stopping ? nameserverLimits.goodbyeMs : this.#options.idleMs;
    this.#idleTimer = setTimeout(() => this.#socket.destroy(), idleMs);
  }

  /** Our side is closed once every answer is out. */
  #endWhenDone(): void {
    if (this.#inWork === 0 && this.#queued.length === 0) this.#socket.end();
  }
}
