/** Answers of handlers, and how they become responses. */
import { setImmediate } from 'node:timers/promises';
import { answerHeaders } from '../base/answer-headers.ts';

/** A part of an answer's text; octets are UTF-8. */
export type Piece = string | Uint8Array;

/** Pieces that are made while they are sent. */
export type Pieces = Iterable<Piece> | AsyncIterable<Piece>;

export interface Answer {
  readonly status: number;
  readonly mediaType: string;
  readonly body: string | Pieces;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the log says of a refusal. */
  readonly refusal?: { readonly code: string; readonly message: string };
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

/** `onBroken` hears why pieces ended before the answer was complete; the client sees it cut off. */
export function responseOf(
  answer: Answer,
  requestId: string,
  onBroken: (error: unknown) => void,
): Response {
  const headers = headersOf(answer, requestId, { 'Content-Type': answer.mediaType });
  const body = typeof answer.body === 'string' ? answer.body : streamOf(answer.body, onBroken);
  return new Response(body, { status: answer.status, headers });
}

/** The same answer without its body, for 304 and HEAD; what would have made the body is let go. */
export function bodiless(answer: Answer, status: number, requestId: string): Response {
  if (typeof answer.body !== 'string') void iteratorOf(answer.body).return?.();
  const type: Record<string, string> = status === 304 ? {} : { 'Content-Type': answer.mediaType };
  return new Response(null, { status, headers: headersOf(answer, requestId, type) });
}

/** The one place where the headers of an answer come from; its own win over those of all. */
function headersOf(
  { headers }: Answer,
  requestId: string,
  type: Record<string, string>,
): Record<string, string> {
  return { ...type, ...answerHeaders, 'X-Request-Id': requestId, ...headers };
}

/**
 * Pieces after the first of them are made: what can not be told is refused before anything is sent. A
 * short text comes back whole.
 */
export async function begun(pieces: AsyncIterable<Piece>): Promise<string | Pieces> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first: Piece[] = [];
  let size = 0;
  while (size < pieceCharacters) {
    const next = await iterator.next();
    if (next.done === true) return first.map(textOf).join('');
    first.push(next.value);
    size += next.value.length;
  }
  return behind(first, iterator);
}

/** An iterator, so that letting it go ends the pieces even when none was asked for. */
function behind(first: Piece[], rest: AsyncIterator<Piece>): AsyncIterableIterator<Piece> {
  return {
    async next() {
      const value = first.shift();
      return value === undefined ? rest.next() : { done: false, value };
    },
    async return() {
      await rest.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function textOf(piece: Piece): string {
  return typeof piece === 'string' ? piece : Buffer.from(piece).toString();
}

function iteratorOf(pieces: Pieces): Iterator<Piece> | AsyncIterator<Piece> {
  return Symbol.asyncIterator in pieces
    ? pieces[Symbol.asyncIterator]()
    : pieces[Symbol.iterator]();
}

/** Sends pieces as the client takes them; between two of them others have their turn. */
function streamOf(pieces: Pieces, onBroken: (error: unknown) => void): ReadableStream<Uint8Array> {
  const iterator = iteratorOf(pieces);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      await setImmediate();
      let text = '';
      const send = () => {
        if (text !== '') controller.enqueue(encoder.encode(text));
        text = '';
      };
      try {
        while (text.length < pieceCharacters) {
          const next = await iterator.next();
          if (next.done === true) {
            send();
            controller.close();
            return;
          }
          if (typeof next.value === 'string') text += next.value;
          else {
            send();
            controller.enqueue(next.value);
            return;
          }
        }
        send();
      } catch (error) {
        onBroken(error);
        controller.error(error);
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
