/**
 * Requests that no route is sought for, because they can not be read: what Node's parser refuses, and a Host or
 * target that makes no URL. They are answered with the headers of every answer too.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerHeaders } from '../base/answer-headers.ts';
import { json, responseOf } from './answer.ts';
import { newRequestId } from './request-source.ts';

const refusal = json(400, { error: 'this is no HTTP request', code: 'INVALID_INPUT' });

/** For a request whose URL can not be made of its Host and target. */
export function unreadable(): Response {
  return responseOf(refusal, newRequestId(), () => {});
}

/** Statuses of what the parser refuses; all else is 400. */
const statusOf: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers for `server` what its parser refuses. */
export function refuseUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Nobody listens any more.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusOf[error.code ?? ''] ?? '400 Bad Request';
    const body = status.startsWith('400') ? String(refusal.body) : '';
    const headers = {
      ...answerHeaders,
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
      ...(body !== '' && { 'Content-Type': refusal.mediaType }),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  });
}
