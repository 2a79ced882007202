/** Answers of handlers, and how they become responses. */
import { setImmediate } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly mediaType: string;
  /** The text, or pieces of it that are made while they are sent. */
  readonly body: string | Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonType = 'application/json';

export function json(status: number, value: unknown, headers?: Record<string, string>): Answer {
  const body = JSON.stringify(value);
  return headers === undefined
    ? { status, mediaType: jsonType, body }
    : { status, mediaType: jsonType, body, headers };
}

/** Characters gathered before they are sent. */
const pieceCharacters = 64 * 1024;

export function responseOf(answer: Answer, requestId: string): Response {
  const headers: Record<string, string> = {
    'Content-Type': answer.mediaType,
    'X-Request-Id': requestId,
    ...answer.headers,
  };
  const body = typeof answer.body === 'string' ? answer.body : streamOf(answer.body);
  return new Response(body, { status: answer.status, headers });
}

/** Sends pieces as the client takes them; between two of them others have their turn. */
function streamOf(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      await setImmediate();
      let text = '';
      while (text.length < pieceCharacters) {
        const next = iterator.next();
        if (next.done === true) {
          if (text !== '') controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
    cancel: () => void iterator.return?.(),
  });
}
