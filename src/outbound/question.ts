/**
 * One question to one address of another server (RFC 1035 4.2, RFC 7766): over UDP from a socket of its own, and over
 * TCP on a connection of its own when the answer is cut off.
 *
 * What does not answer the question is passed over on UDP, where anybody may send it, and ends the exchange on TCP:
 * another id, another question, requests, bytes that can not be read. A message without question may say that the
 * server refuses, and no more. No answer is a QuestionError.
 */
import { randomInt } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { WireError } from '../dns/error.ts';
import type { NameKey } from '../dns/name.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { FrameReader, frameMessage } from '../dns/wire/framing.ts';
import { decodeHeader, type HeaderFields, opcode, rcode, recordClass } from '../dns/wire/header.ts';
import type { Message } from '../dns/wire/message.ts';
import type { Destination } from './policy.ts';
import { connectionTo, datagramsTo, taking } from './sockets.ts';

export type ProbeTarget = Destination;

export interface ProbeOptions {
  /** Milliseconds to wait for an answer, each time. */
  readonly tryMs: number;
  readonly tries: number;
}

/** Why nobody answered; the message is a clause that leaves out who was asked. */
export class QuestionError extends Error {
  override readonly name = 'QuestionError';
}

/** The header of a message that asks for something. */
export function requestHeader(
  id: number,
  fields: { readonly opcode: number; readonly authoritative: boolean } = {
    opcode: opcode.QUERY,
    authoritative: false,
  },
): HeaderFields {
  return {
    id,
    ...fields,
    rcode: rcode.NOERROR,
    response: false,
    truncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    authenticData: false,
    checkingDisabled: false,
  };
}

/** The EDNS of a request: what it may be answered over UDP. */
export function requestEdns(dnssecOk: boolean) {
  return { udpPayload: limits.udpPayloadBytes, version: 0, dnssecOk, options: [] } as const;
}

/** What a message says: the whole answer, or that it was cut off. */
export type Reply = Message | 'truncated';

/** What is asked, of class IN. */
export interface Asked {
  /** Absolute. */
  readonly name: NameKey;
  readonly type: number;
  /** True to ask with EDNS and the DO bit (RFC 3225), as resolvers that validate do. */
  readonly dnssecOk?: boolean;
}

export class Question {
  readonly message: Buffer;
  /** What was wrong with bytes that seemed to be the answer. */
  unreadable: string | undefined;
  readonly #id: number;
  readonly #asked: Asked;

  constructor(asked: Asked, id: number = randomInt(0x1_0000)) {
    this.#asked = asked;
    this.#id = id;
    const writer = new MessageWriter(requestHeader(id));
    writer.question({ name: asked.name, type: asked.type, class: recordClass.IN });
    if (asked.dnssecOk) writer.edns(requestEdns(true));
    this.message = writer.finish();
  }

  /** What the bytes of one message say; undefined when they do not answer the question. */
  read(bytes: Buffer): Reply | undefined {
    const header = decodeHeader(bytes);
    if (header === undefined || !header.response) return undefined;
    if (header.id !== this.#id || header.opcode !== opcode.QUERY) return undefined;
    try {
      const message = decodeMessage(bytes);
      if (!this.#isAnsweredBy(message)) return undefined;
      return header.truncated ? 'truncated' : message;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Some servers cut anywhere, and the rest of what they wrote can not be read.
      if (header.truncated) return 'truncated';
      this.unreadable = error.message;
      return undefined;
    }
  }

  #isAnsweredBy({ questions, rcode: code }: Message): boolean {
    const [echoed] = questions;
    if (echoed === undefined) return code !== rcode.NOERROR && code !== rcode.NXDOMAIN;
    const { name, type } = this.#asked;
    return echoed.name === name && echoed.type === type && echoed.class === recordClass.IN;
  }
}

/** Asks over UDP, and over TCP when the answer is cut off; again when nobody answers. */
export async function ask(
  target: ProbeTarget,
  asked: Asked,
  { tryMs, tries }: ProbeOptions,
): Promise<Message> {
  return untilAnswered(tries, async () => {
    const reply = await askOverUdp(target, new Question(asked), tryMs);
    return reply === 'truncated' ? onceOverTcp(target, asked, tryMs) : reply;
  });
}

/** Asks over TCP; again when nobody answers. */
export function askOverTcp(
  target: ProbeTarget,
  asked: Asked,
  { tryMs, tries }: ProbeOptions,
): Promise<Message> {
  return untilAnswered(tries, () => onceOverTcp(target, asked, tryMs));
}

async function onceOverTcp(target: ProbeTarget, asked: Asked, tryMs: number): Promise<Message> {
  const reply = await exchangeOverTcp(target, new Question(asked), tryMs);
  if (reply === 'truncated') throw new QuestionError('cut its answer off over TCP too');
  return reply;
}

async function untilAnswered(tries: number, once: () => Promise<Message>): Promise<Message> {
  for (let tried = 1; ; tried++) {
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof QuestionError) || tried >= tries) throw error;
    }
  }
}

/** The clause about an answer that nothing could be made of. */
export function unreadable(why: string): string {
  return `answered what can not be read: ${why}`;
}

/** What is left of a wait may be any fraction of a second. */
function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 10) / 100} s`;
}

function askOverUdp(target: ProbeTarget, question: Question, tryMs: number): Promise<Reply> {
  let close = () => {};
  return new Promise<Reply>((resolve, reject) => {
    const fail = failing(question, reject);
    const unreachable = (error: Error) => fail(`can not be reached: ${error.message}`);
    const timer = setTimeout(() => fail(`did not answer within ${inSeconds(tryMs)}`), tryMs);
    const socket = datagramsTo(target, {
      ready(error) {
        if (error) unreachable(error);
        else socket.send(question.message, (failed) => failed && unreachable(failed));
      },
      message(bytes) {
        const reply = question.read(bytes);
        if (reply !== undefined) resolve(reply);
      },
      unreadable: ({ message }) => fail(unreadable(message)),
      failed: unreachable,
    });
    close = () => {
      clearTimeout(timer);
      socket.close();
    };
  }).finally(() => close());
}

function exchangeOverTcp(target: ProbeTarget, question: Question, tryMs: number): Promise<Reply> {
  const socket = connectionTo(target);
  const frames = new FrameReader();
  return new Promise<Reply>((resolve, reject) => {
    const fail = failing(question, reject);
    const timer = setTimeout(
      () => fail(`did not answer over TCP within ${inSeconds(tryMs)}`),
      tryMs,
    );
    socket.on('connect', () => socket.write(frameMessage(question.message)));
    const take = (chunk: Buffer) => {
      const [message] = frames.push(chunk);
      if (message === undefined) return;
      const reply = question.read(message);
      if (reply === undefined) fail('answered something else over TCP');
      else resolve(reply);
    };
    socket.on(
      'data',
      taking(take, ({ message }) => fail(unreadable(message))),
    );
    socket.on('error', (error) => fail(`can not be reached over TCP: ${error.message}`));
    socket.on('close', () => {
      clearTimeout(timer);
      fail('closed the connection');
    });
  }).finally(() => socket.destroy());
}

/** Rejects with a clause, and with what could not be read meanwhile. */
function failing(question: Question, reject: (error: Error) => void): (clause: string) => void {
  return (clause) => {
    const { unreadable } = question;
    const detail = unreadable === undefined ? '' : ` (a message could not be read: ${unreadable})`;
    reject(new QuestionError(clause + detail));
  };
}
