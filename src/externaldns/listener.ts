/** Plain HTTP listeners of the adapter: one request in, one whole answer out, in the media type of the webhook. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { answerHeaders } from '../base/answer-headers.ts';
import { badRequest } from './problem.ts';
import type { Address } from './settings.ts';

export interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The path without its query, and what to read of the request beside it. */
export type Handler = (path: string, incoming: IncomingMessage) => Promise<Reply>;

export interface Listener {
  /** Where it listens, with the port it was given when 0 was asked for. */
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds that calls in work have when a listener closes. */
const drainMs = 10_000;

/** `handle` must not reject. */
export async function openListener({ host, port }: Address, handle: Handler): Promise<Listener> {
  const server = createServer(async (incoming, outgoing) => {
    const path = (incoming.url ?? '/').split('?', 1)[0]!;
    send(await handle(path, incoming), incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as { port: number }).port;
  const bracketed = isIPv6(host) ? `[${host}]` : host;
  return { address: `${bracketed}:${bound}`, port: bound, close: () => closed(server) };
}

function send(
  { status, type, body = '', headers = {} }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, {
    ...answerHeaders,
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(status === 204 ? {} : { 'Content-Length': bytes.length }),
    ...headers,
  });
  outgoing.end(status === 204 || incoming.method === 'HEAD' ? undefined : bytes);
  // What was not read of a refused body is dropped, so that the caller can finish and read the answer.
  incoming.resume();
}

/** The body of a request as text, or a WebhookProblem when it is larger than `limit` bytes. */
export async function readText(incoming: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else reject(badRequest(`the body is larger than ${limit} bytes`, 413));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString()));
    incoming.on('error', () => reject(badRequest('the body ended before it was complete')));
  });
}

async function closed(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await ended;
  clearTimeout(timer);
}

/** The media type of the webhook (RFC 9110 8.3), exactly as the controller compares it. */
export const webhookType = 'application/external.dns.webhook+json;version=1';

interface MediaRange {
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseRange(text: string): MediaRange {
  const [essence = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = rest.map((part) => {
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim());
    return [name, value.replace(/^"(.*)"$/, '$1')] as const;
  });
  return { essence, parameters: new Map(parameters) };
}

function isOurs({ essence, parameters }: MediaRange): boolean {
  const version = parameters.get('version');
  return (
    essence === 'application/external.dns.webhook+json' &&
    (version === undefined || version === '1')
  );
}

/** An Accept that leaves no room for the type of the webhook is 406. */
export function requireAccepted(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return;
  const isAccepted = accept
    .split(',')
    .map(parseRange)
    .some((range) => {
      if (Number(range.parameters.get('q') ?? 1) === 0) return false;
      return range.essence === '*/*' || range.essence === 'application/*' || isOurs(range);
    });
  if (!isAccepted) throw badRequest(`only ${webhookType} is served here`, 406);
}

/** A body is of the webhook's type, JSON, or of no type at all. */
export function requireReadable(mediaType: string | undefined): void {
  if (mediaType === undefined || mediaType.trim() === '') return;
  const range = parseRange(mediaType);
  if (isOurs(range) || range.essence === 'application/json') return;
  throw badRequest(`the body must be ${webhookType}, not '${mediaType.slice(0, 80)}'`, 415);
}
