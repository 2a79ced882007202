/**
 * Asks one address of a parent's server for a zone's DS (RFC 4035 3.1.4.1): over UDP with EDNS and
 * the DO bit (RFC 6891, RFC 3225), as resolvers that validate ask, again when nobody answers, and
 * over TCP when the answer is cut off. Every way it can go wrong ends as a finding with its clause.
 *
 * What is no answer to the question is passed over: another id, another question, requests, octets
 * that can not be read. A message without question may say that the server refuses, and no more.
 */
import { randomInt } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { type NameKey, parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { WireError } from '../dns/wire/error.ts';
import { decodeHeader, opcode, rcode, recordClass } from '../dns/wire/header.ts';
import type { Message } from '../dns/wire/message.ts';
import { type DsFinding, judgeDsAnswer } from './ds-answer.ts';
import {
  askOverTcp,
  askOverUdp,
  type ProbeOptions,
  type ProbeTarget,
  type Question,
  QuestionError,
} from './question.ts';

/** Asks `target` for the DS of a zone, its name without closing dot. */
export async function probeDs(
  target: ProbeTarget,
  zoneName: string,
  options: ProbeOptions,
): Promise<DsFinding> {
  const apex = parseAbsoluteName(zoneName);
  for (let tried = 1; ; tried++) {
    try {
      return judgeDsAnswer(await wholeAnswer(target, apex, options.tryMs), apex);
    } catch (error) {
      if (!(error instanceof QuestionError)) throw error;
      if (tried >= options.tries) return { failure: error.message };
    }
  }
}

/** One try: UDP, and TCP when that was cut off. */
async function wholeAnswer(target: ProbeTarget, apex: NameKey, tryMs: number): Promise<Message> {
  const short = await ask(askOverUdp, target, apex, tryMs);
  if (short !== 'cut off') return short;
  const long = await ask(askOverTcp, target, apex, tryMs);
  if (long === 'cut off') throw new QuestionError('cut its answer off over TCP too');
  return long;
}

async function ask(
  way: typeof askOverUdp<DsReply>,
  target: ProbeTarget,
  apex: NameKey,
  tryMs: number,
): Promise<DsReply> {
  const question = new DsQuestion(apex);
  try {
    return await way(target, question, tryMs);
  } catch (error) {
    if (!(error instanceof QuestionError) || question.unreadable === undefined) throw error;
    throw new QuestionError(
      `${error.message} (a message could not be read: ${question.unreadable})`,
    );
  }
}

type DsReply = Message | 'cut off';

class DsQuestion implements Question<DsReply> {
  readonly message: Buffer;
  /** What was wrong with octets that seemed to be the answer. */
  unreadable: string | undefined;
  readonly #id = randomInt(0x1_0000);
  readonly #apex: NameKey;

  constructor(apex: NameKey) {
    this.#apex = apex;
    const writer = new MessageWriter({
      id: this.#id,
      opcode: opcode.QUERY,
      rcode: rcode.NOERROR,
      response: false,
      authoritative: false,
      truncated: false,
      recursionDesired: false,
      recursionAvailable: false,
      authenticData: false,
      checkingDisabled: false,
    });
    writer.question({ name: apex, type: rrtype.DS, class: recordClass.IN });
    const udpPayload = limits.udpPayloadOctets;
    writer.edns({ udpPayload, version: 0, dnssecOk: true, options: [] });
    this.message = writer.finish();
  }

  read(bytes: Buffer): DsReply | undefined {
    const header = decodeHeader(bytes);
    if (header === undefined || !header.response) return undefined;
    if (header.id !== this.#id || header.opcode !== opcode.QUERY) return undefined;
    try {
      const message = decodeMessage(bytes);
      if (!this.#isAnsweredBy(message)) return undefined;
      return header.truncated ? 'cut off' : message;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Some servers cut anywhere, and the rest of what they wrote can not be read.
      if (header.truncated) return 'cut off';
      this.unreadable = error.message;
      return undefined;
    }
  }

  #isAnsweredBy({ questions, rcode: code }: Message): boolean {
    const [asked] = questions;
    if (asked === undefined) return code !== rcode.NOERROR && code !== rcode.NXDOMAIN;
    const { name, type, class: askedClass } = asked;
    return name === this.#apex && type === rrtype.DS && askedClass === recordClass.IN;
  }
}
