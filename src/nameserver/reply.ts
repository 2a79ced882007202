/**
 * Replies: the header, question and OPT record that every answer has, and answers that are no more
 * than an RCODE.
 *
 * RD is copied, RA is never set; an OPT record is sent exactly when the request had one (RFC 6891
 * 7), and extended errors (RFC 8914) only in it. Their text is cut where the answer has no room for it.
 */
import { rrtype } from '../dns/rrtype.ts';
import {
  answerEdns,
  expireOption,
  extendedError,
  extendedErrorCode,
  extendedErrorBytes,
  optionCode,
  optionOf,
  optBytes,
  tcpKeepalive,
} from '../dns/wire/edns.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { decodeHeader, type HeaderFields, headerBytes } from '../dns/wire/header.ts';
import type { Edns, EdnsOption } from '../dns/wire/message.ts';
import { nameserverLimits } from './limits.ts';
import { maxAnswerBytes, type Request } from './request.ts';

/** The extended errors that this server explains a refusal with. */
export const explanations = {
  prohibited: extendedError(extendedErrorCode.PROHIBITED),
  notAuthoritative: extendedError(extendedErrorCode.NOT_AUTHORITATIVE),
  notSupported: extendedError(extendedErrorCode.NOT_SUPPORTED),
} as const;

export interface ReplyFields {
  readonly rcode: number;
  readonly authoritative?: boolean;
  readonly truncated?: boolean;
  readonly explanation?: EdnsOption | undefined;
  /** Why an update is refused, in words, for people. */
  readonly rejection?: string;
  /** Seconds of the SOA's expire, for secondaries that ask for them. */
  readonly expire?: number;
}

/** The header of a reply. */
function replyHeader(request: HeaderFields, fields: ReplyFields): HeaderFields {
  return {
    id: request.id,
    opcode: request.opcode,
    rcode: fields.rcode,
    response: true,
    authoritative: fields.authoritative ?? false,
    truncated: fields.truncated ?? false,
    recursionDesired: request.recursionDesired,
    recursionAvailable: false,
    authenticData: false,
    checkingDisabled: false,
  };
}

/** The OPT record of a reply, or undefined when the request had none. */
function replyEdns(
  request: Request,
  { explanation, rejection, expire }: Pick<ReplyFields, 'explanation' | 'rejection' | 'expire'>,
): Edns | undefined {
  const { edns } = request;
  if (edns === undefined) return undefined;
  if (edns.options.length === 0 && explanation === undefined && rejection === undefined) {
    return answerEdns(edns);
  }
  const sent = requestedOptions(request, edns, expire);
  if (explanation !== undefined) sent.push(explanation);
  const withoutText = answerEdns(edns, sent);
  if (rejection === undefined) return withoutText;
  const text = fittingText(rejection, extendedErrorRoom(request, withoutText));
  if (text !== '') sent.push(extendedError(extendedErrorCode.NO_REACHABLE_AUTHORITY, text));
  return answerEdns(edns, sent);
}

/** Options that are sent to clients that sent them (RFC 7828 3.3.2 of the keepalive). */
function requestedOptions(
  { client, cookie, server: { nsid, tcpIdleSeconds } }: Request,
  edns: Edns,
  expire: number | undefined,
): EdnsOption[] {
  const sent: EdnsOption[] = [];
  const asks = (code: number) => optionOf(edns, code) !== undefined;
  if (nsid !== undefined && asks(optionCode.NSID)) sent.push({ code: optionCode.NSID, data: nsid });
  if (expire !== undefined && asks(optionCode.EXPIRE)) sent.push(expireOption(expire));
  if (cookie !== undefined && cookie.answer.length > 0) {
    sent.push({ code: optionCode.COOKIE, data: cookie.answer });
  }
  if (client.transport === 'tcp' && asks(optionCode.TCP_KEEPALIVE)) {
    sent.push(tcpKeepalive(tcpIdleSeconds));
  }
  return sent;
}

/** Bytes for the text of a refusal beside all else that its answer holds. */
function extendedErrorRoom(
  { client, bytes, questionBytes, signer, ...request }: Request,
  edns: Edns,
): number {
  const others = headerBytes + questionBytes.length + optBytes(edns) + (signer?.bytes ?? 0);
  // An unsigned datagram may come from anybody in anybody's name: its answer is no more than twice as long.
  const isForgeable = client.transport === 'udp' && signer === undefined;
  const max = isForgeable ? 2 * bytes.length : maxAnswerBytes({ client, edns: request.edns });
  return Math.min(nameserverLimits.updateReasonBytes, max - others - extendedErrorBytes);
}

/** The beginning of a text, as long as `bytes` allow. */
function fittingText(text: string, bytes: number): string {
  const whole = Buffer.from(text, 'utf8');
  if (whole.length <= bytes) return text;
  let end = Math.max(bytes, 0);
  // No character is cut in two.
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--;
  return whole.toString('utf8', 0, end);
}

/**
 * A writer that holds header and question, with room kept for OPT and signature. These go out
 * whatever the size of an answer may be (RFC 8945 5.3): the request had them all too. `usualBytes`: room to begin
 * with; that of most answers when left out.
 */
export function startReply(
  request: Request,
  fields: ReplyFields,
  usualBytes?: number,
): MessageWriter {
  const { signer, questionBytes } = request;
  const edns = replyEdns(request, fields);
  const ednsBytes = edns === undefined ? 0 : optBytes(edns);
  const minBytes =
    headerBytes + questionBytes.length + ednsBytes + (signer === undefined ? 0 : signer.bytes);
  const maxBytes = maxAnswerBytes(request);
  const writer = new MessageWriter(
    replyHeader(request.header, fields),
    signer === undefined ? maxBytes : Math.max(maxBytes, minBytes),
    usualBytes === undefined ? undefined : Math.max(usualBytes, minBytes),
  );
  if (edns !== undefined) writer.edns(edns);
  if (signer !== undefined) writer.reserve(signer.bytes);
  writer.questionBytes(questionBytes, request.question);
  return writer;
}

/** The bytes of a reply, signed when the request was. */
export function finishReply(request: Request, writer: MessageWriter): Buffer {
  return writer.finish(request.signer);
}

/** A reply that holds no records. */
export function shortReply(request: Request, fields: ReplyFields): Buffer {
  return finishReply(request, startReply(request, fields, 0));
}

/** A reply that says no, and why to those who speak EDNS. */
export function errorReply(request: Request, code: number, explanation?: EdnsOption): Buffer {
  return shortReply(request, { rcode: code, explanation });
}

/** A reply to a request without question, which may ask for a cookie (RFC 7873 5.4). */
export function questionlessReply(request: Request, code: number): Buffer {
  const writer = new MessageWriter(replyHeader(request.header, { rcode: code }));
  const edns = replyEdns(request, {});
  if (edns !== undefined) writer.edns(edns);
  return writer.finish();
}

/** A reply to a request of which nothing but the header could be read; undefined without one. */
export function headerReply(bytes: Buffer, code: number): Buffer | undefined {
  const header = decodeHeader(bytes);
  if (header === undefined) return undefined;
  return new MessageWriter(replyHeader(header, { rcode: code })).finish();
}

/** Bytes of an OPT record without options, which is what BADVERS is sent with. */
const minOptBytes = 11;

/**
 * The RCODE of a finished reply to a request, for the count. BADVERS needs its OPT, which a signature may follow, and
 * so does BADCOOKIE, to what had no question: then the OPT is all that follows the header.
 */
export function replyRcode(reply: Buffer, request: Request | undefined): number {
  const low = reply[3]! & 15;
  const opt =
    request === undefined ? headerBytes : reply.length - (request.signer?.bytes ?? 0) - minOptBytes;
  const isOpt = opt > 0 && reply[opt] === 0 && reply.readUInt16BE(opt + 1) === rrtype.OPT;
  return isOpt && reply[opt + 5] !== 0 ? (reply[opt + 5]! << 4) | low : low;
}
