/**
 * The request as it arrived: headers and octets, from Node's own objects where there are any.
 *
 * Behind @hono/node-server the web Request is a proxy; reading the IncomingMessage under it spares
 * building Headers and streams, which is most of what a small request costs. Tests that call the app
 * in-process have a web Request only.
 */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { Problem } from '../base/problem.ts';

/** What a server passes beside a request. */
export interface Bindings {
  /** `local` for the socket that only the host's administrator can open. */
  readonly door?: 'local' | 'network';
  readonly incoming?: IncomingMessage;
}

export type HttpContext = Context<{ Bindings: Bindings }>;

/** A header's value; undefined when it is missing. Several of one name come joined. */
export function headerOf(context: HttpContext, name: string): string | undefined {
  const incoming = context.env?.incoming;
  if (incoming === undefined) return context.req.raw.headers.get(name) ?? undefined;
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The address the request came from, IPv4 in its own form; calls within the process have none. */
export function clientAddressOf(context: HttpContext): string {
  const address = context.env?.incoming?.socket.remoteAddress ?? '';
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** The part of the URL after the question mark. */
export function queryStringOf(context: HttpContext): string {
  const url = context.req.url;
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/** Passes every piece of the body to `take` until the end; what `take` throws ends it. */
export async function readChunks(
  context: HttpContext,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const incoming = context.env?.incoming;
  if (incoming !== undefined) return readIncoming(incoming, take);
  const body = context.req.raw.body;
  if (body === null) return;
  for await (const chunk of body) take(chunk);
}

function readIncoming(incoming: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      incoming.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      if (error === undefined) return resolve();
      // What still comes is dropped, so that the client can finish sending and read the answer.
      incoming.resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        settle(error);
      }
    };
    const onEnd = () => settle();
    const onClose = () => {
      settle(new Problem('INVALID_JSON_BODY', 'request body ended before it was complete'));
    };
    if (incoming.readableEnded) return onEnd();
    if (incoming.destroyed) return onClose();
    incoming.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}
