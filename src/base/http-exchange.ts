/**
 * One HTTP exchange: a payload out, a text back, each in pieces where it is long.
 *
 * Who asks brings the way to open it, so that nothing is reached from here.
 * A service has to be reached soon; once it is, it may take its time, unless the caller says how much, or how to find
 * out that it has stopped.
 */
import type { ClientRequest, IncomingMessage, RequestOptions, request } from 'node:http';
import { monotonicMs } from './clock.ts';

export interface Exchanged {
  readonly status: number;
  readonly type: string;
  /** The time as the service says it, as HTTP writes it; empty when it does not. */
  readonly date: string;
  /** Empty when the body went to `take`. */
  readonly text: string;
}

/** Hears how many bytes of the payload have left, and how many it has. */
export type Sent = (bytes: number, total: number) => void;

export interface Watchers {
  readonly sent?: Sent | undefined;
  /** Takes the body of an answer that went well, piece by piece. */
  readonly take?: ((piece: Buffer) => void | Promise<void>) | undefined;
  /** Bytes of an answer at most; any number when left out. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds in which the whole answer has to be there; for ever when left out. */
  readonly withinMs?: number | undefined;
  /** Gives up where nothing comes, and nobody is there any more who would send it. */
  readonly silence?: Silence | undefined;
  /** Milliseconds until a service counts as not reachable. */
  readonly connectMs?: number | undefined;
}

/** What tells a service that takes its time from one that has stopped. */
export interface Silence {
  /** Milliseconds without a byte after which it is asked, and asked again. */
  readonly quietMs: number;
  /** Whether the service answers something else. */
  isAlive(): Promise<boolean>;
}

/** Bytes written to the socket at once, so that progress can be reported. */
const pieceBytes = 256 * 1024;

/** Milliseconds that the network and the handshake of TLS may take. */
const usualConnectMs = 10_000;

/**
 * A request of JSON to a service at `url`, whose path may have a prefix. `path` begins with a slash, and may have a
 * query behind it.
 */
export function jsonRequest(
  url: URL,
  { method, path, payload, token }: JsonRequest,
): RequestOptions {
  return {
    method,
    // A URL writes IPv6 addresses in brackets, sockets take them without.
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: `${url.pathname.replace(/\/+$/, '')}${path}`,
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': payload.length }),
    },
  };
}

interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly payload: Buffer | undefined;
  readonly token: string | undefined;
}

/** An error before the connection stands, its handshake of TLS as well, is one of `connect`: nothing was sent. */
export function exchange(
  open: typeof request,
  options: RequestOptions,
  payload: Buffer | undefined,
  { sent, take, withinMs, maxBytes, silence, connectMs = usualConnectMs }: Watchers = {},
): Promise<Exchanged> {
  let isConnected = false;
  const exchanged = new Promise<Exchanged>((resolve, reject) => {
    const outgoing = open(options);
    onceAnswered(outgoing, reject, (response) => {
      const isGood = response.statusCode !== undefined && response.statusCode < 300;
      receive(response, isGood ? take : undefined, maxBytes).then(resolve, reject);
    });
    giveUpUnreached(outgoing, connectMs, () => {
      isConnected = true;
    });
    if (withinMs !== undefined) {
      const timer = setTimeout(() => outgoing.destroy(timedOut(withinMs)), withinMs);
      outgoing.once('close', () => clearTimeout(timer));
    }
    if (silence !== undefined) {
      giveUpSilent(outgoing, silence, (error) => {
        reject(error);
        outgoing.destroy(error);
      });
    }
    if (payload === undefined || sent === undefined) {
      outgoing.end(payload);
      return;
    }
    let start = 0;
    const sendNext = () => {
      const piece = payload.subarray(start, start + pieceBytes);
      if (piece.length === 0) return void outgoing.end();
      outgoing.write(piece, (error) => {
        if (error) return;
        start += piece.length;
        sent(start, payload.length);
        sendNext();
      });
    };
    sendNext();
  });
  return exchanged.catch((error: Error) => {
    throw isConnected ? error : Object.assign(error, { syscall: 'connect' });
  });
}

/**
 * Tells of a request the answer that begins, or why none comes: one of both, however its connection ends. `failed` may
 * be called again behind either. A change of protocol, which Node tells to nobody who does not ask for it, is an answer
 * without a body, and ends the connection.
 */
export function onceAnswered(
  outgoing: ClientRequest,
  failed: (error: Error) => void,
  answered: (response: IncomingMessage) => void,
): void {
  let isAnswered = false;
  const answer = (response: IncomingMessage) => {
    isAnswered = true;
    answered(response);
  };
  outgoing.on('response', answer);
  outgoing.on('upgrade', (response, socket) => {
    socket.destroy();
    response.push(null);
    answer(response);
  });
  outgoing.on('error', failed);
  outgoing.on('close', () => {
    if (!isAnswered) failed(new Error('the connection was closed without an answer'));
  });
}

async function receive(
  response: IncomingMessage,
  take: Watchers['take'],
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Exchanged> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    if (take === undefined) pieces.push(piece as Buffer);
    else await take(piece as Buffer);
  }
  const type = response.headers['content-type'] ?? '';
  const date = response.headers.date ?? '';
  const text = Buffer.concat(pieces).toString('utf8');
  return { status: response.statusCode ?? 0, type, date, text };
}

/** Ends an exchange whose connection does not come about; the system would wait for minutes. */
function giveUpUnreached(outgoing: ClientRequest, connectMs: number, connected: () => void): void {
  outgoing.once('socket', (socket) => {
    // A kept connection stands already.
    if (!socket.connecting) return void connected();
    const timer = setTimeout(() => outgoing.destroy(timedOut(connectMs)), connectMs);
    const stop = () => clearTimeout(timer);
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      stop();
      connected();
    });
    socket.once('close', stop);
  });
}

/** Times that a service does not answer anything else before it is given up. */
const silentAnswers = 2;

function giveUpSilent(
  outgoing: ClientRequest,
  { quietMs, isAlive }: Silence,
  giveUp: (error: Error) => void,
): void {
  const beganMs = monotonicMs();
  let bytes = -1;
  let isAsking = false;
  let unanswered = 0;
  const received = () => outgoing.socket?.bytesRead ?? 0;
  const look = async () => {
    if (isAsking) return;
    const before = bytes;
    bytes = received();
    isAsking = bytes === before;
    // Bytes that came say as much as an answer, also while it is asked.
    const isThere = !isAsking || (await isAlive()) || bytes !== received();
    isAsking = false;
    unanswered = isThere ? 0 : unanswered + 1;
    if (unanswered >= silentAnswers) giveUp(timedOut(Math.round(monotonicMs() - beganMs)));
  };
  const timer = setInterval(look, quietMs);
  outgoing.once('close', () => clearInterval(timer));
}

function timedOut(milliseconds: number): Error {
  return Object.assign(new Error(`no answer within ${milliseconds / 1000} s`), {
    code: 'ETIMEDOUT',
  });
}
