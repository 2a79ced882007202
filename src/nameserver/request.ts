/**
 * Requests: one message as received, with who sent it and how.
 */
import { limits } from '../base/limits.ts';
import { WireError } from '../dns/error.ts';
import { decodeMessage, decodeWithoutRdata } from '../dns/wire/decode.ts';
import { optionCode, optionOf, udpAnswerBytes } from '../dns/wire/edns.ts';
import type { HeaderFields } from '../dns/wire/header.ts';
import type { Edns, Message, Question } from '../dns/wire/message.ts';
import type { MessageSigner } from '../dns/wire/tsig-sign.ts';
import { canonicalAddress } from '../outbound/address.ts';
import type { Transport } from '../telemetry/metrics.ts';
import type { Cookies, JudgedCookie } from './cookies.ts';

/** What the server says of itself to clients that ask. */
export interface ServerInfo {
  /** Seconds that an idle connection is kept (RFC 7828). */
  readonly tcpIdleSeconds: number;
  /** Names this server (RFC 5001). */
  readonly nsid?: Buffer | undefined;
  /** Undefined when DNS cookies are ignored. */
  readonly cookies?: Cookies | undefined;
}

export interface Client {
  /** As the socket tells it; see clientAddress. */
  readonly address: string;
  readonly transport: Transport;
  /** True while enough requests wait: what would have to wait, too, is dropped. */
  readonly mustNotWait?: boolean;
}

/** Thrown where a request would have to wait and must not. */
export class MustNotWait extends Error {
  override readonly name = 'MustNotWait';
}

export interface Request {
  readonly client: Client;
  /** Who answers it. */
  readonly server: ServerInfo;
  readonly bytes: Buffer;
  readonly header: HeaderFields;
  readonly question: Question;
  /** The question as received, for an echo with the sender's capitals. */
  readonly questionBytes: Buffer;
  readonly edns: Edns | undefined;
  readonly message: Message;
  /** The key that signed the request, once its signature was verified. */
  readonly signedBy?: VerifiedKey | undefined;
  /** Puts a TSIG on the answer: there is one when the request had one that could be read. */
  readonly signer?: MessageSigner | undefined;
  /** What its COOKIE option says; undefined without one, or when cookies are not served. */
  readonly cookie?: JudgedCookie | undefined;
}

/** A key whose signature held: who it is, whose rights it has, and the MAC it made. */
export interface VerifiedKey {
  readonly id: number;
  readonly name: string;
  readonly roleId: number;
  /** When the key was made, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly mac: Buffer;
  /** Seconds that the clocks may be apart, as the request says. */
  readonly fudgeSeconds: number;
  /** Seconds since 1970, as the request says. */
  readonly timeSigned: number;
  /** Signs an answer that says BADTIME. */
  readonly badTimeSigner: () => MessageSigner;
}

/** Reads a request; throws WireError, which is answered FORMERR. */
export function readRequest(bytes: Buffer, client: Client, server: ServerInfo): Request {
  return requestOf(decodeMessage(bytes), bytes, client, server);
}

function cookieOf(
  edns: Edns | undefined,
  client: Client,
  { cookies }: ServerInfo,
): JudgedCookie | undefined {
  if (edns === undefined || edns.options.length === 0 || cookies === undefined) return undefined;
  const option = optionOf(edns, optionCode.COOKIE);
  return option && cookies.judge(option.data, client.address);
}

/** A request that readRequest can not read, when it is signed and only RDATA are wrong. */
export function readBrokenRequest(
  bytes: Buffer,
  client: Client,
  server: ServerInfo,
): Request | undefined {
  try {
    const message = decodeWithoutRdata(bytes);
    return message.tsig === undefined
      ? undefined
      : requestOf(message, bytes, client, withoutCookies(server));
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** The cookie of what is broken is not judged. */
function withoutCookies({ cookies: _, ...server }: ServerInfo): ServerInfo {
  return server;
}

function requestOf(message: Message, bytes: Buffer, client: Client, server: ServerInfo): Request {
  return {
    client,
    server,
    bytes,
    header: message,
    question: message.questions[0]!,
    questionBytes: message.questionBytes!,
    edns: message.edns,
    message,
    cookie: cookieOf(message.edns, client, server),
  };
}

/** The client's address in the spelling that secondaries and logs use. */
export function clientAddress(client: Client): string {
  return canonicalAddress(client.address);
}

/** Bytes that an answer may have. */
export function maxAnswerBytes({ client, edns }: Pick<Request, 'client' | 'edns'>): number {
  return client.transport === 'tcp' ? limits.messageBytes : udpAnswerBytes(edns);
}
