/**
 * The HTTP listeners: the one of the network (TCP, with TLS when a certificate is configured) and the local
 * socket, which only the service's own user can open and which therefore has full rights. How many connections each
 * may have, and how they end:
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
 * closed at once. One whose client takes nothing of its answer for a while is cut off. Once the listener closes,
 * nothing that comes in is begun any more.
 *
 * A connection has one read in work: what was sent behind it is begun when it is answered, so that as many large
 * answers wait for their clients as there are connections. Changes are begun as they come, and go into one commit:
 * `limits.changesAtOnce` of them, until answers are sent. What comes behind them waits, and nothing more is read of
 * the connection meanwhile. One that sent more than are kept in what was read already is closed. All connections
 * together have `limits.requestsPerTurn` requests begun in one turn of the event loop.
 */
import { once, setMaxListeners } from 'node:events';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { secureHeaders } from '../base/answer-headers.ts';
import { limits } from '../base/limits.ts';
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import type { App, Bindings } from '../http/app.ts';
import { refusedAtOnce, refuseUnreadable, unreadable } from '../http/problem-answer.ts';
import { type Config, ConfigError } from './config.ts';
import { Turns } from './turns.ts';

/**
 * Suites with forward secrecy and authenticated encryption: all of TLS 1.3, and those of TLS 1.2 without CBC (RFC 9325
 * 4.2). ECDSA and RSA certificates alike.
 */
const tlsCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export interface HttpListener {
  readonly url: string;
  /** 0 for the local socket. */
  readonly port: number;
  /**
   * Accepts nothing more and ends when requests in work are answered, or after `limits.drainMs`; tells how many
   * were cut off then. Asked again, it tells the same.
   */
  close(): Promise<number>;
}

export async function listenOnNetwork(app: App, config: Config['api']): Promise<HttpListener> {
  const { tlsCertFile, tlsKeyFile } = config;
  const secure = tlsCertFile !== undefined && tlsKeyFile !== undefined;
  const server = secure
    ? createTlsServer({
        ...serverOptions,
        cert: readFileSync(tlsCertFile),
        key: readFileSync(tlsKeyFile),
        minVersion: 'TLSv1.2',
        ciphers: tlsCiphers,
        handshakeTimeout: limits.headMs,
      })
    : createServer(serverOptions);
  const close = serveOn(server, app, 'network');
  await listening(server, () => server.listen(config.listenPort, config.listenAddr));
  const { port } = server.address() as { port: number };
  const host = isIPv6(config.listenAddr) ? `[${config.listenAddr}]` : config.listenAddr;
  const url = `${secure ? 'https' : 'http'}://${host}:${port}`;
  return { url, port, close };
}

/** The path of the local socket; a folder whose path is too long for one is refused. */
export function localSocketPath(dataDir: string): string {
  const problem = problemOfSocketPath(dataDir);
  if (problem !== undefined) throw new ConfigError([problem]);
  return socketPathOf(dataDir);
}

/** The database is locked by this process, so a socket that is there already is left over. */
export async function listenLocally(app: App, path: string): Promise<HttpListener> {
  rmSync(path, { force: true });
  const server = createServer(serverOptions);
  const close = serveOn(server, app, 'local');
  // The folder is 0700 and the mask keeps others out from the first moment on.
  const mask = process.umask(0o177);
  try {
    await listening(server, () => server.listen(path));
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return { url: path, port: 0, close };
}

/** Serves requests of a listener; returns what closes it. */
function serveOn(
  server: Server,
  app: App,
  via: NonNullable<Bindings['via']>,
): HttpListener['close'] {
  const stopping = new AbortController();
  // One for each body that is being read.
  setMaxListeners(0, stopping.signal);
  const { signal } = stopping;
  // It makes light substitutes for Request and Response, which halves the cost of a request.
  const listener = getRequestListener(
    (request, env) =>
      refusedAtOnce(env.incoming) ?? app.fetch(request, { ...env, via, stopping: signal }),
    // The URL of a request that names no host needs one all the same.
    { errorHandler: unreadable, hostname: 'localhost' },
  ) as RequestListener;
  const isSecure = server instanceof TlsServer;
  refuseUnreadable(server, isSecure ? secureHeaders : {});
  const served = isSecure ? saysSecure(listener) : listener;
  const connections = new HttpConnections(server, served, stopping);
  let closing: Promise<number> | undefined;
  return () => (closing ??= connections.close());
}

/** Its answers name what only those over TLS have. */
function saysSecure(listener: Listener): Listener {
  const headers = new Map(Object.entries(secureHeaders));
  return (incoming, outgoing) => {
    outgoing.setHeaders(headers);
    listener(incoming, outgoing);
  };
}

async function listening(server: Server, listen: () => void): Promise<void> {
  const ready = once(server, 'listening');
  listen();
  await ready;
}

/** Connections beyond the places, which are in the middle of a handshake or are just being closed. */
const spareConnections = 100;

/** Bounds, for tests that have no time. */
interface ConnectionBounds {
  readonly connections: number;
  readonly headMs: number;
  readonly drainMs: number;
  readonly stallMs: number;
}

/** Looks in the time after which a client that takes nothing is cut off. */
const looksOfStall = 10;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What a connection is in work for: changes, or one read. */
interface Work {
  readonly answers: Set<ServerResponse>;
  isRead: boolean;
  /** Bytes that its client has taken. */
  taken: number;
  /** Looks since it last took anything, or had nothing to take. */
  idleLooks: number;
  /** Requests that came meanwhile, and may not be begun yet. */
  readonly behind: Parameters<Listener>[];
}

export class HttpConnections {
  readonly #server: Server;
  readonly #stopping: AbortController;
  readonly #bounds: ConnectionBounds;
  /** Those in the handshake of TLS, of which there is nothing to answer. */
  readonly #shaking = new Set<Socket>();
  /** Those that wait, the longest first. */
  readonly #waiting = new Set<Socket>();
  readonly #working = new Map<Socket, Work>();
  readonly #listener: Listener;
  readonly #turns = new Turns(limits.requestsPerTurn);

  /** `stopping` is aborted as soon as the listener closes. */
  constructor(
    server: Server,
    listener: Listener,
    stopping: AbortController,
    bounds: Partial<ConnectionBounds> = {},
  ) {
    this.#server = server;
    this.#stopping = stopping;
    this.#listener = listener;
    const { apiConnections, headMs, drainMs, answerStallMs: stallMs } = limits;
    this.#bounds = { connections: apiConnections, headMs, drainMs, stallMs, ...bounds };
    // Node's own timer begins again with every byte that is received.
    const looking = setInterval(() => this.#look(), this.#bounds.stallMs / looksOfStall).unref();
    server.once('close', () => clearInterval(looking));
    server.headersTimeout = this.#bounds.headMs;
    // How fast a body has to come is judged where it is read.
    server.requestTimeout = 0;
    server.maxConnections = this.#bounds.connections + spareConnections;
    if (server instanceof TlsServer) {
      server.on('connection', (socket: Socket) => {
        this.#shaking.add(socket);
        socket.once('close', () => this.#shaking.delete(socket));
      });
      server.on('secureConnection', (socket: Socket & { readonly _parent: Socket }) => {
        this.#shaking.delete(socket._parent);
        this.#admit(socket);
      });
    } else server.on('connection', (socket: Socket) => this.#admit(socket));
    const begin: Listener = (incoming, outgoing) => this.#take(incoming, outgoing);
    server.on('request', begin);
    // A client that waits before it sends its body gets 100 Continue from the code that reads it.
    server.on('checkContinue', begin);
    server.on('checkExpectation', begin);
  }

  /** Closes the listener; resolves when all is answered, or cut off after a while, with how many were. */
  async close(): Promise<number> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#stopping.abort();
    for (const socket of [...this.#shaking, ...this.#waiting]) socket.destroy();
    // One whose head is out ends its connection when it is through.
    for (const { answers } of this.#working.values()) {
      const last = [...answers].at(-1);
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
    socket.destroySoon = () => endGently(socket);
    // Who reads the body of a request resumes its connection, also where that is whole.
    socket.on('resume', () => {
      const work = this.#working.get(socket);
      if (work !== undefined && this.#isHeld(work)) socket.pause();
    });
    socket.once('close', () => {
      this.#waiting.delete(socket);
      this.#working.delete(socket);
    });
  }

  /** Cuts off clients that take nothing of what there is for them. What is being worked on may take longer. */
  #look(): void {
    for (const [socket, work] of this.#working) {
      const taken = takenFrom(socket);
      if (taken > work.taken || socket.writableLength === 0) {
        work.taken = taken;
        work.idleLooks = 0;
      } else if (++work.idleLooks >= looksOfStall) socket.destroy();
    }
  }

  /** Begins a request, or keeps it until it may be begun. After the listener closed none is. */
  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    if (socket.writableEnded) {
      // Its last answer is sent, or about to be.
      socket.pause();
      return;
    }
    const work = this.#working.get(socket);
    if (work !== undefined) {
      work.behind.push([incoming, outgoing]);
      if (!this.#stopping.signal.aborted) this.#beginNext(work);
      const held = this.#isHeld(work);
      if (held) socket.pause();
      const { changesBehind, requestsBehind } = limits;
      if (work.behind.length > (held ? changesBehind : requestsBehind)) socket.destroy();
    } else if (this.#stopping.signal.aborted) socket.destroy();
    else {
      this.#waiting.delete(socket);
      const behind: Work['behind'] = [[incoming, outgoing]];
      const begun = {
        answers: new Set<ServerResponse>(),
        isRead: false,
        taken: 0,
        idleLooks: 0,
        behind,
      };
      this.#working.set(socket, begun);
      this.#beginNext(begun);
    }
  }

  /** Begins what is behind, as far as it may be. */
  #beginNext(work: Work): void {
    const { answers, behind } = work;
    for (let next = behind[0]; next !== undefined; next = behind[0]) {
      const [incoming, outgoing] = next;
      const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
      if (answers.size > 0 && (isRead || work.isRead)) return;
      if (answers.size >= limits.changesAtOnce) return;
      behind.shift();
      work.isRead = isRead;
      answers.add(outgoing);
      outgoing.once('close', () => this.#end(incoming.socket, work, outgoing));
      this.#turns.begin(() => {
        // Its client may have left while it waited.
        if (!incoming.socket.destroyed) this.#listener(incoming, outgoing);
      });
    }
  }

  #end(socket: Socket, work: Work, outgoing: ServerResponse): void {
    const wasHeld = this.#isHeld(work);
    work.answers.delete(outgoing);
    if (this.#working.get(socket) !== work) return;
    const isClosing = this.#stopping.signal.aborted;
    if (!isClosing && socket.writable) this.#beginNext(work);
    if (wasHeld && !this.#isHeld(work)) socket.resume();
    if (work.answers.size > 0) return;
    this.#working.delete(socket);
    if (isClosing) socket.destroySoon();
    else if (!socket.destroyed) this.#waiting.add(socket);
  }

  /** Whether what is behind has to wait for answers, be it for ever, and nothing more is read. */
  #isHeld({ answers, behind }: Work): boolean {
    if (behind.length === 0) return false;
    return this.#stopping.signal.aborted || answers.size >= limits.changesAtOnce;
  }
}

/**
 * Ends a connection behind its last answer. Closed at once, it would be reset where its client still sends, and the
 * answer lost.
 */
function endGently(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Bytes of a connection that its client has taken. Only the handle below TLS tells how far a long write has come. */
export function takenFrom(socket: Socket): number {
  const { _parent: below, _handle: own } = socket as Socket & Inside;
  const handle = below?._handle ?? own;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** What Node has inside of a socket. */
interface Inside {
  readonly _parent: Inside | null;
  readonly _handle: (Pick<Socket, 'bytesWritten'> & { readonly writeQueueSize: number }) | null;
}

/**
 * What Node takes only when a server is made: milliseconds between two looks for heads that take too long, and that
 * requests without Host come to `namesOneHost`.
 */
export const serverOptions = {
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
} as const;
