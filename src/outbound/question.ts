/**
 * One question to one address of another server (RFC 1035 4.2, RFC 7766): over UDP from a socket of
 * its own, or over TCP on a connection of its own. What is asked, and which octets answer it, is the
 * caller's business; so is asking again.
 *
 * Octets that do not answer the question are passed over on UDP, where anybody may send them; on
 * TCP they end the exchange. No answer is a QuestionError.
 */
import type { Destination } from './policy.ts';
import { connectionTo, datagramsTo } from './sockets.ts';

export type ProbeTarget = Destination;

export interface ProbeOptions {
  /** Milliseconds to wait for an answer, each time. */
  readonly tryMs: number;
  readonly tries: number;
}

export interface Question<Answer> {
  readonly message: Buffer;
  /** What the octets of one message say; undefined when they do not answer the question. */
  read(bytes: Buffer): Answer | undefined;
}

/** Why nobody answered; the message is a clause that leaves out who was asked. */
export class QuestionError extends Error {
  override readonly name = 'QuestionError';
}

export function askOverUdp<Answer>(
  target: ProbeTarget,
  question: Question<Answer>,
  tryMs: number,
): Promise<Answer> {
  let close = () => {};
  return new Promise<Answer>((resolve, reject) => {
    const unreachable = (error: Error) => {
      reject(new QuestionError(`can not be reached: ${error.message}`));
    };
    const timer = setTimeout(() => {
      reject(new QuestionError(`did not answer within ${tryMs / 1000} s`));
    }, tryMs);
    const socket = datagramsTo(target, {
      ready(error) {
        if (error) unreachable(error);
        else socket.send(question.message, (failed) => failed && unreachable(failed));
      },
      message(bytes) {
        const answer = question.read(bytes);
        if (answer !== undefined) resolve(answer);
      },
      failed: unreachable,
    });
    close = () => {
      clearTimeout(timer);
      socket.close();
    };
  }).finally(() => close());
}

export function askOverTcp<Answer>(
  target: ProbeTarget,
  question: Question<Answer>,
  tryMs: number,
): Promise<Answer> {
  const socket = connectionTo(target);
  return new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new QuestionError(`did not answer over TCP within ${tryMs / 1000} s`));
    }, tryMs);
    let received = Buffer.alloc(0);
    socket.on('connect', () => socket.write(framed(question.message)));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const message = firstMessage(received);
      if (message === undefined) return;
      const answer = question.read(message);
      if (answer === undefined) reject(new QuestionError('answered something else over TCP'));
      else resolve(answer);
    });
    socket.on('error', (error) => {
      reject(new QuestionError(`can not be reached over TCP: ${error.message}`));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      reject(new QuestionError('closed the connection'));
    });
  }).finally(() => socket.destroy());
}

/** Octets of the length that stands before each message on TCP. */
const lengthOctets = 2;

function framed(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(lengthOctets + message.length);
  bytes.writeUInt16BE(message.length, 0);
  bytes.set(message, lengthOctets);
  return bytes;
}

/** The first message once all of its octets are there. */
function firstMessage(received: Buffer): Buffer | undefined {
  if (received.length < lengthOctets) return undefined;
  const end = lengthOctets + received.readUInt16BE(0);
  return received.length < end ? undefined : received.subarray(lengthOctets, end);
}
