/**
 * The connections of one HTTP listener: how many there may be, and how they end.
 *
 * ```
 *   waiting --head--> in work --answer--> waiting
 *      |                 |
 *      | room is needed  | the listener closes: the answer says `Connection: close`
 *      v                 v
 *    closed            closed
 * ```
 *
 * A connection waits while it is kept alive, and while its head comes in, however slowly. When all places
 * are taken, a new connection takes that of the one that waits longest; while all are in work, the new one is
 * closed at once. Once the listener closes, nothing that comes in is begun any more.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { limits } from '../base/limits.ts';

/** Connections beyond the places, which are in the middle of a handshake or are just being closed. */
const spareConnections = 100;

/** Bounds, for tests that have no time. */
interface ConnectionBounds {
  readonly connections: number;
  readonly headMs: number;
  readonly drainMs: number;
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export class HttpConnections {
  readonly #server: Server;
  readonly #stopping: AbortController;
  readonly #bounds: ConnectionBounds;
  /** Those that wait, the longest first. */
  readonly #waiting = new Set<Socket>();
  /** Those in work, each with the answers that it waits for. */
  readonly #working = new Map<Socket, Set<ServerResponse>>();

  /** `stopping` is aborted as soon as the listener closes. */
  constructor(
    server: Server,
    listener: Listener,
    stopping: AbortController,
    bounds: Partial<ConnectionBounds> = {},
  ) {
    this.#server = server;
    this.#stopping = stopping;
    const { apiConnections, headMs, drainMs } = limits;
    this.#bounds = { connections: apiConnections, headMs, drainMs, ...bounds };
    server.headersTimeout = this.#bounds.headMs;
    // How fast a body has to come is judged where it is read.
    server.requestTimeout = 0;
    server.maxConnections = this.#bounds.connections + spareConnections;
    const arrival = server instanceof TlsServer ? 'secureConnection' : 'connection';
    server.on(arrival, (socket: Socket) => this.#admit(socket));
    const begin: Listener = (incoming, outgoing) => {
      if (this.#begin(incoming.socket, outgoing)) listener(incoming, outgoing);
    };
    server.on('request', begin);
    // A client that waits before it sends its body is told to go on by who reads it.
    server.on('checkContinue', begin);
  }

  /** Closes the listener; resolves when all is answered, or cut off after a while, with how many were. */
  async close(): Promise<number> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#stopping.abort();
    for (const socket of this.#waiting) socket.destroy();
    for (const answers of this.#working.values()) {
      const last = [...answers].at(-1);
      // One whose head is out ends its connection when it is through.
      if (last !== undefined) last.shouldKeepAlive = false;
    }
    let cut = 0;
    const timer = setTimeout(() => {
      cut = this.#working.size;
      this.#server.closeAllConnections();
    }, this.#bounds.drainMs);
    await closed;
    clearTimeout(timer);
    return cut;
  }

  #admit(socket: Socket): void {
    if (this.#stopping.signal.aborted) {
      socket.destroy();
      return;
    }
    if (this.#waiting.size + this.#working.size >= this.#bounds.connections) {
      const [longest] = this.#waiting;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      this.#waiting.delete(longest);
      longest.destroy();
    }
    this.#waiting.add(socket);
    socket.once('close', () => {
      this.#waiting.delete(socket);
      this.#working.delete(socket);
    });
  }

  /** False for a request that came after the listener closed: its connection ends without an answer. */
  #begin(socket: Socket, outgoing: ServerResponse): boolean {
    if (this.#stopping.signal.aborted) {
      if (!this.#working.has(socket)) socket.destroy();
      return false;
    }
    this.#waiting.delete(socket);
    const answers = this.#working.get(socket) ?? new Set();
    this.#working.set(socket, answers.add(outgoing));
    outgoing.once('close', () => this.#end(socket, outgoing));
    return true;
  }

  #end(socket: Socket, outgoing: ServerResponse): void {
    const answers = this.#working.get(socket);
    answers?.delete(outgoing);
    if (answers === undefined || answers.size > 0) return;
    this.#working.delete(socket);
    if (this.#stopping.signal.aborted) socket.destroySoon();
    else if (!socket.destroyed) this.#waiting.add(socket);
  }
}

/** What Node takes only when a server is made: milliseconds between two looks for heads that take too long. */
export const serverOptions = { connectionsCheckingInterval: 1000 } as const;
