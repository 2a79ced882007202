/**
 * The one place where errors become answers: a Problem with its code and status, anything else 500.
 *
 * What is no Problem is a bug: it is logged whole, and nothing of it leaves the process.
 */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerHeaders } from '../base/answer-headers.ts';
import { DetailedProblem, ListedProblem, Problem } from '../base/problem.ts';
import { judgeError, StorageFault } from '../base/storage-fault.ts';
import type { Log } from '../telemetry/log.ts';
import { type Answer, json, responseOf } from './answer.ts';
import { acceptedCodings, CodingProblem } from './body-source.ts';

export function refusalOf(thrown: unknown, log: Log, requestId: string, route: string): Answer {
  const error = judgeError(thrown);
  if (!(error instanceof Problem)) {
    log.error('http.failed', { requestId, route, error });
    return json(500, { error: 'internal error; the log has it by request id', code: 'INTERNAL' });
  }
  // Faults of the storage are logged where they are counted, and not once more for each who meets them.
  if (error.status >= 500 && !(error instanceof StorageFault)) {
    log.error('http.failed', { requestId, route, code: error.code, error });
  }
  const { code, message, status } = error;
  const listed = error instanceof ListedProblem ? { errors: error.errors } : {};
  const details = error instanceof DetailedProblem ? error.details : {};
  const answer = json(status, { error: message, code, ...listed, ...details }, headersOf(error));
  return { ...answer, refusal: { code, message } };
}

function headersOf(problem: Problem): Record<string, string> | undefined {
  if (problem.retryAfterSeconds !== undefined) {
    return { 'Retry-After': String(problem.retryAfterSeconds) };
  }
  if (problem instanceof CodingProblem) return acceptedCodings;
  return problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : undefined;
}

/**
 * For requests that no route is sought for, because they can not be read: what Node's parser refuses, and a Host or
 * target that makes no URL.
 */
const notHttp = json(400, { error: 'this is no HTTP request', code: 'INVALID_INPUT' });

/** For a request whose URL can not be made of its Host and target. */
export function unreadable(): Response {
  return responseOf(notHttp, randomUUID(), () => {});
}

/** Statuses of what the parser refuses; all else is 400. */
const statusOf: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers for `server` what its parser refuses, with `more` headers than those of all answers. */
export function refuseUnreadable(
  server: Server,
  more: Readonly<Record<string, string>> = {},
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Nobody listens any more.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusOf[error.code ?? ''] ?? '400 Bad Request';
    const body = status.startsWith('400') ? String(notHttp.body) : '';
    const headers = {
      ...answerHeaders,
      ...more,
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
      ...(body !== '' && { 'Content-Type': notHttp.mediaType }),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  });
}
