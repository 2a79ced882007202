/** Answers of handlers, and how they become responses. */
import { setImmediate } from 'node:timers/promises';
import { answerHeaders } from '../base/answer-headers.ts';
import { assert, statusOfCode } from '../base/problem.ts';

/** A part of an answer's text; bytes are UTF-8. */
export type Piece = string | Uint8Array;

/** Pieces that are made while they are sent. */
export type Pieces = Iterable<Piece> | AsyncIterable<Piece>;

export interface Answer {
  readonly status: number;
  readonly mediaType: string;
  readonly body: string | Pieces;
  readonly headers?: Readonly<Record<string, string>>;
  /** About the memory of what the pieces are made of. */
  readonly heldBytes?: number;
  /** What the log says of a refusal. */
  readonly problem?: { readonly code: string; readonly message: string };
}

export const jsonType = 'application/json';

/** A value of an answer that is JSON text already, whole or in pieces that are made while they are sent. */
export class JsonText {
  readonly text: string | Pieces;
  /** About the memory of what its pieces are made of, where that is there whole. */
  readonly heldBytes: number;

  constructor(text: string | Pieces, heldBytes = 0) {
    this.text = text;
    this.heldBytes = heldBytes;
  }
}

/** The text of an object; of its values those that are JsonText are whole texts. */
export function objectText(value: object): string {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const text = member instanceof JsonText ? member.text : JSON.stringify(member);
    assert(typeof text === 'string', 'what is sent in pieces is streamed');
    members.push(`"${name}":${text}`);
  }
  return `{${members.join(',')}}`;
}

export function json(status: number, value: object, headers?: Record<string, string>): Answer {
  const answer = { status, mediaType: jsonType, body: objectText(value) };
  return headers === undefined ? answer : { ...answer, headers };
}

/**
 * An object some of whose values are written while it is sent. What fails at their start is refused
 * before anything is sent.
 */
export async function streamed(
  status: number,
  value: object,
  headers?: Record<string, string>,
): Promise<Answer> {
  const body = await begun(objectPieces(value));
  let heldBytes = 0;
  for (const member of Object.values(value)) {
    if (member instanceof JsonText) heldBytes += member.heldBytes;
  }
  const answer = { status, mediaType: jsonType, body, heldBytes };
  return headers === undefined ? answer : { ...answer, headers };
}

/** Refuses a plan that is another one by now, with what it is now. */
export async function refuseStale(what: string, plan: object): Promise<Answer> {
  const code = 'PLAN_STALE';
  const error = `${what} changed since this plan was made`;
  const answer = await streamed(statusOfCode[code], { error, code, ...plan });
  return { ...answer, problem: { code, message: error } };
}

/** Values are printed when it is their turn: they may count what was sent before them. */
export function objectPieces(value: object): AsyncIterableIterator<Piece> {
  const texts = Object.values(value).map((member) => member instanceof JsonText && member.text);
  const parts = texts.filter((text) => typeof text === 'object');
  return behind([], membersOf(value), parts);
}

async function* membersOf(value: object): AsyncGenerator<Piece> {
  let opening = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${opening}"${name}":`;
    opening = ',';
    if (!(member instanceof JsonText)) yield JSON.stringify(member);
    else if (typeof member.text === 'string') yield member.text;
    else yield* member.text;
  }
  yield opening === '{' ? '{}' : '}';
}

/** An array of which the texts of the items come with commas between them. */
export function bracketed(texts: AsyncIterable<Piece>): AsyncIterableIterator<Piece> {
  return behind([], inBrackets(texts), [texts]);
}

async function* inBrackets(texts: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  yield '[';
  yield* texts;
  yield ']';
}

/** Characters of items that are joined before their text is passed on: a fraction of a millisecond of work. */
const joinedCharacters = 8 * 1024;

/** An array of items that come in batches. */
export async function* arrayPieces<Item>(
  batches: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>,
  textOf: (item: Item) => string,
): AsyncGenerator<string> {
  let text = '[';
  let separator = '';
  for await (const batch of batches) {
    for (const item of batch) {
      text += separator + textOf(item);
      separator = ',';
      if (text.length < joinedCharacters) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
}

/** Characters buffered before they are sent; and bytes that are sent at once. */
const pieceCharacters = 64 * 1024;

/** `onBroken` is called with the reason why pieces ended before the answer was complete; the client sees it cut off. */
export function responseOf(
  answer: Answer,
  requestId: string,
  onBroken: (error: unknown) => void,
): Response {
  const headers = headersOf(answer, requestId, { 'Content-Type': answer.mediaType });
  const body = typeof answer.body === 'string' ? answer.body : streamOf(answer.body, onBroken);
  return new Response(body, { status: answer.status, headers });
}

/** The same answer without its body, for 304 and HEAD; what would have made the body is ended. */
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
 * Pieces after the first of them are made: what fails at the start is refused before anything is sent. A
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

/**
 * An iterator, so that letting it go ends the pieces even when none was asked for, and the `parts` that they are made
 * of even where a generator has not come to them.
 */
export function behind(
  first: Piece[],
  rest: AsyncIterator<Piece>,
  parts: readonly Pieces[] = [],
): AsyncIterableIterator<Piece> {
  return {
    async next() {
      const value = first.shift();
      return value === undefined ? rest.next() : { done: false, value };
    },
    async return() {
      await rest.return?.();
      for (const part of parts) await iteratorOf(part).return?.();
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
  let isCancelled = false;
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
          // The client left while the piece was waited for: nothing can be sent any more.
          if (isCancelled) return;
          if (next.done === true) {
            send();
            controller.close();
            return;
          }
          if (typeof next.value === 'string') text += next.value;
          else {
            send();
            // A connection takes one at a time, and may make a copy of it: TLS does.
            let at = 0;
            do {
              controller.enqueue(next.value.subarray(at, at + pieceCharacters));
              at += pieceCharacters;
            } while (at < next.value.length);
            return;
          }
        }
        send();
      } catch (error) {
        if (isCancelled) return;
        onBroken(error);
        controller.error(error);
        // What it holds beside what has failed.
        void iterator.return?.();
      }
    },
    async cancel() {
      isCancelled = true;
      await iterator.return?.();
    },
  });
}
