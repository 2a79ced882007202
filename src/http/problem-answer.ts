/**
 * The one place where errors become answers: a Problem with its code and status, anything else 500.
 *
 * What is no Problem is a bug: it is logged whole, and nothing of it leaves the process.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerHeaders } from '../base/answer-headers.ts';
import { DetailedProblem, ListedProblem, Problem } from '../base/problem.ts';
import { judgeError, StorageProblem } from '../base/storage-problem.ts';
import type { Log } from '../telemetry/log.ts';
import { type Answer, json, responseOf } from './answer.ts';
import { acceptedCodings, CodingProblem } from './body-source.ts';

export function problemOf(thrown: unknown, log: Log, requestId: string, route: string): Answer {
  const error = judgeError(thrown);
  if (!(error instanceof Problem)) {
    log.error('http.failed', { requestId, route, error });
    return json(500, { error: 'internal error; the log has it by request id', code: 'INTERNAL' });
  }
  // Faults of the storage are logged where they are counted, and not once more for each who meets them.
  if (error.status >= 500 && !(error instanceof StorageProblem)) {
    log.error('http.failed', { requestId, route, code: error.code, error });
  }
  const { code, message, status } = error;
  const isListed = error instanceof ListedProblem;
  const listed = isListed ? { errors: error.errors } : {};
  const details = isListed || error instanceof DetailedProblem ? error.details : {};
  const answer = json(status, { error: message, code, ...listed, ...details }, headersOf(error));
  return { ...answer, problem: { code, message } };
}

function headersOf(problem: Problem): Record<string, string> | undefined {
  if (problem.retryAfterSeconds !== undefined) {
    return { 'Retry-After': String(problem.retryAfterSeconds) };
  }
  if (problem instanceof CodingProblem) return acceptedCodings;
  return problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : undefined;
}

/**
 * For requests that no route is sought for, because they can not be read: what Node's parser refuses, a Host or target
 * that makes no URL, and a Host that is missing, empty or not the only one.
 */
const notHttp = json(400, { error: 'this is no HTTP request', code: 'INVALID_INPUT' });

/**
 * Whether a request names one host: who passed it on may have gone by another of two (RFC 9112 3.2). Only of HTTP/1.0
 * it may name none, as checks of load balancers do.
 */
function namesOneHost({ headers, httpVersion, rawHeaders }: Named): boolean {
  if (headers.host === undefined) return httpVersion === '1.0';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 && headers.host !== '';
}

type Named = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'rawHeaders'>;

/** The answer to a request that is not to be served, whatever it asks for. */
export function refusedAtOnce(incoming: Named): Response | undefined {
  if (!namesOneHost(incoming)) return unreadable();
  const { expect } = incoming.headers;
  const isMet = expect === undefined || incoming.httpVersion === '1.0' || goesOn.test(expect);
  return isMet ? undefined : responseOf(unmet, randomUUID(), () => {});
}

/** RFC 9110 10.1.1. */
const goesOn = /\b100-continue\b/i;
const unmet = json(417, {
  error: 'header Expect: nothing but 100-continue is known here',
  code: 'INVALID_INPUT',
});

/** For a request whose URL can not be made of its Host and target. */
export function unreadable(): Response {
  return responseOf(notHttp, randomUUID(), () => {});
}

/** What the parser refuses with another status; all else is 400. */
const refused: Readonly<Record<string, { readonly status: string; readonly answer: Answer }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    answer: json(431, {
      error: 'the target and the headers are too large',
      code: 'INVALID_INPUT',
    }),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    answer: json(408, { error: 'the headers came too slowly', code: 'REQUEST_TIMEOUT' }),
  },
};

/** Answers for `server` what its parser refuses, with `more` headers than those of all answers. */
export function refuseUnreadable(
  server: Server,
  more: Readonly<Record<string, string>> = {},
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // It is refused already, and closed soon.
    if (socket.writableEnded) return;
    // Nobody listens any more.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, answer } = refused[error.code ?? ''] ?? {
      status: '400 Bad Request',
      answer: notHttp,
    };
    const body = String(answer.body);
    const headers = {
      ...answerHeaders,
      ...more,
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
      'Content-Type': answer.mediaType,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
    socket.destroySoon();
  });
}
