/**
 * The bytes of a body as they come in: no slower than they may, none after the service began to stop, and decoded.
 *
 * Nothing is asked for before somebody wants to read: a client that waits for `100 Continue` sends nothing
 * until then, and what is refused before is not read at all.
 *
 * Content codings (RFC 9110 8.4) are identity and gzip; any other is 415 with what would do (RFC 7694). Bytes are
 * counted after decoding, by whoever takes them: a small file that unfolds to a large one is refused at the
 * byte that is too many, and what is left of it is never unfolded.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { excerpt, Problem, serviceStops } from '../base/problem.ts';
import { invalidBody } from '../contract/validate.ts';
import { type Bindings, headerOf, type HttpContext } from './request-source.ts';

/** Milliseconds between two looks at how fast a body comes. */
const lookMs = 5000;

/** Passes every piece of the body to `take` until the end; what `take` throws ends it. */
export async function readChunks(
  context: HttpContext,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const { incoming } = context.env ?? {};
  if (incoming !== undefined) return readIncoming(incoming, context.env, take);
  const body = context.req.raw.body;
  if (body === null) return;
  for await (const chunk of body) take(chunk);
}

function readIncoming(
  incoming: IncomingMessage,
  { outgoing, stopping }: Bindings,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const begunMs = monotonicMs();
    let received = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = (error?: unknown) => {
      incoming.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      stopping?.removeEventListener('abort', onStop);
      clearInterval(timer);
      if (error === undefined) return resolve();
      incoming.resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      try {
        take(chunk);
      } catch (error) {
        finish(error);
      }
    };
    const onEnd = () => finish();
    const onClose = () => {
      finish(new Problem('INVALID_JSON_BODY', 'request body ended before it was complete'));
    };
    const onStop = () => {
      // What came whole is work; the rest was never begun.
      if (!incoming.complete) finish(serviceStops());
    };
    if (incoming.readableEnded) return onEnd();
    if (incoming.destroyed) return onClose();
    if (stopping?.aborted === true && !incoming.complete) return finish(serviceStops());
    if (!incoming.complete) {
      stopping?.addEventListener('abort', onStop);
      timer = setInterval(() => {
        if (isTooSlow(received, monotonicMs() - begunMs)) finish(tooSlow());
      }, lookMs).unref();
    }
    incoming.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
    if (isAwaited(incoming)) outgoing?.writeContinue();
  });
}

/** True when the client sends its body only when it is asked to (RFC 9110 10.1.1). */
function isAwaited({ headers }: IncomingMessage): boolean {
  return headers.expect?.trim().toLowerCase() === '100-continue';
}

function isTooSlow(bytes: number, milliseconds: number): boolean {
  const overMs = milliseconds - limits.bodyGraceMs;
  return bytes < (overMs / 1000) * limits.bodyBytesPerSecond;
}

function tooSlow(): Problem {
  const wanted = `${limits.bodyBytesPerSecond} bytes a second`;
  return new Problem('REQUEST_TIMEOUT', `request body came more slowly than ${wanted}`);
}

/**
 * Ends a connection after its answer when a body comes in on it that nobody reads, so that it is not taken for
 * the next request.
 */
export function closeUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!incoming.complete && isLong(incoming)) outgoing.shouldKeepAlive = false;
}

function isLong({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > limits.smallBodyBytes;
}

/** Header of a refusal that is about the coding, and of no other 415 (RFC 7694 3). */
export const acceptedCodings = { 'Accept-Encoding': 'gzip, identity' } as const;

/** A body in a coding that is not read here. */
export class CodingProblem extends Problem {
  constructor(coding: string) {
    super(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding must be gzip or identity, not '${excerpt(coding)}'`,
    );
  }
}

/** True for a body that comes as gzip, false for one that comes as it is. */
export function isGzipped(context: HttpContext): boolean {
  const encoding = headerOf(context, 'content-encoding');
  if (encoding === undefined) return false;
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return false;
  // An old name of the same (RFC 9110 8.4.1.3).
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  throw new CodingProblem(encoding);
}

/** Passes every piece of a body that comes as gzip to `take`, decoded; what `take` throws ends it. */
export async function readGunzipped(
  context: HttpContext,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const gunzip = createGunzip();
  let isEmpty = true;
  let failure: unknown;
  const decoded = new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      failure ??= error;
      gunzip.destroy();
      reject(failure);
    };
    gunzip.on('end', resolve).on('error', (error) => {
      fail(invalidBody(`request body is not gzip: ${error.message}`));
    });
    gunzip.on('data', (chunk: Buffer) => {
      if (failure !== undefined) return;
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    });
  });
  // It may fail before it is waited for.
  decoded.catch(() => {});
  try {
    await readChunks(context, (chunk) => {
      if (failure !== undefined) throw failure;
      isEmpty = false;
      gunzip.write(chunk);
    });
    if (isEmpty) return;
    gunzip.end();
    await decoded;
  } finally {
    gunzip.destroy();
  }
}
