/**
 * EDNS (RFC 6891): the OPT record and the options this server knows.
 *
 * Known options: NSID (RFC 5001), EXPIRE (RFC 7314), COOKIE (RFC 7873), edns-tcp-keepalive (RFC 7828) and
 * extended errors (RFC 8914). All others are read and ignored, as are unknown flags. Of a version above 0
 * nothing but the version is trusted: the answer is BADVERS, so its options are not even parsed.
 */
import { limits } from '../../base/limits.ts';
import { WireError } from '../error.ts';
import { rrtype } from '../rrtype.ts';
import { readUint16 } from './header.ts';
import type { Edns, EdnsOption } from './message.ts';

export const optionCode = {
  NSID: 3,
  EXPIRE: 9,
  COOKIE: 10,
  TCP_KEEPALIVE: 11,
  EXTENDED_ERROR: 15,
} as const;

/** Codes of extended errors (RFC 8914 4); the ones that an authoritative server has use for. */
export const extendedErrorCode = {
  OTHER: 0,
  NOT_READY: 14,
  PROHIBITED: 18,
  NOT_AUTHORITATIVE: 20,
  NOT_SUPPORTED: 21,
  NO_REACHABLE_AUTHORITY: 22,
  NETWORK_ERROR: 23,
  INVALID_DATA: 24,
} as const;

/** Bytes of an OPT record without options: root owner, type, class, TTL, length. */
const emptyOptBytes = 11;
const optionHeadBytes = 4;
const dnssecOkFlag = 0x8000;
const noOptions: readonly EdnsOption[] = [];

/** An option that says why, in words too; the text is for people and is not parsed. */
export function extendedError(code: number, text = ''): EdnsOption {
  const data = Buffer.allocUnsafe(2 + Buffer.byteLength(text, 'utf8'));
  data.writeUInt16BE(code, 0);
  data.write(text, 2, 'utf8');
  return { code: optionCode.EXTENDED_ERROR, data };
}

/** Bytes of an extended error beside its text: code and length of the option, and its INFO-CODE. */
export const extendedErrorBytes = optionHeadBytes + 2;

/** The option that tells a TCP client how long its idle connection is kept (units of 100 ms). */
export function tcpKeepalive(idleSeconds: number): EdnsOption {
  const data = Buffer.allocUnsafe(2);
  data.writeUInt16BE(Math.min(Math.round(idleSeconds * 10), 0xffff), 0);
  return { code: optionCode.TCP_KEEPALIVE, data };
}

/** The first option of a code: of several COOKIEs it is the one that counts (RFC 7873 5.2). */
export function optionOf(edns: Edns | undefined, code: number): EdnsOption | undefined {
  return edns?.options.find((option) => option.code === code);
}

/** Seconds until a secondary gives its zone up, counted from this answer (RFC 7314 3). */
export function expireOption(seconds: number): EdnsOption {
  const data = Buffer.allocUnsafe(4);
  data.writeUInt32BE(seconds, 0);
  return { code: optionCode.EXPIRE, data };
}

/** Bytes an answer over UDP may have: the lesser of what the client takes and what we send. */
export function udpAnswerBytes(edns: Edns | undefined): number {
  if (edns === undefined) return limits.udpBytesWithoutEdns;
  const takes = Math.max(edns.udpPayload, limits.udpBytesWithoutEdns);
  return Math.min(takes, limits.udpPayloadBytes);
}

/** The EDNS of our answer to a query that had it: version 0, and DO as it came (RFC 3225 3). */
export function answerEdns(query: Edns, options: readonly EdnsOption[] = noOptions): Edns {
  return {
    udpPayload: limits.udpPayloadBytes,
    version: 0,
    dnssecOk: query.dnssecOk,
    options,
  };
}

/** Reads class, TTL and RDATA of an OPT record; the high bits of the rcode are the caller's. */
export function decodeOpt(payload: number, ttl: number, rdata: Buffer): Edns {
  const version = (ttl >>> 16) & 0xff;
  return {
    udpPayload: payload,
    version,
    dnssecOk: (ttl & dnssecOkFlag) !== 0,
    options: version === 0 && rdata.length > 0 ? decodeOptions(rdata) : noOptions,
  };
}

function decodeOptions(rdata: Buffer): EdnsOption[] {
  const options: EdnsOption[] = [];
  let at = 0;
  while (at < rdata.length) {
    const start = at + optionHeadBytes;
    if (start > rdata.length) throw new WireError('an EDNS option has no room for its length');
    const end = start + readUint16(rdata, at + 2);
    if (end > rdata.length) throw new WireError('an EDNS option is longer than its OPT record');
    options.push({ code: readUint16(rdata, at), data: rdata.subarray(start, end) });
    at = end;
  }
  return options;
}

/** Bytes of the OPT record for `edns`. */
export function optBytes(edns: Edns): number {
  let bytes = emptyOptBytes;
  for (const option of edns.options) bytes += optionHeadBytes + option.data.length;
  return bytes;
}

/** Writes the OPT record at `at`, with the high eight bits of `rcode`; returns the byte after. */
export function writeOpt(edns: Edns, rcode: number, into: Buffer, at: number): number {
  let next = into.writeUInt8(0, at);
  next = into.writeUInt16BE(rrtype.OPT, next);
  next = into.writeUInt16BE(edns.udpPayload, next);
  next = into.writeUInt8(rcode >> 4, next);
  next = into.writeUInt8(edns.version, next);
  next = into.writeUInt16BE(edns.dnssecOk ? dnssecOkFlag : 0, next);
  next = into.writeUInt16BE(optBytes(edns) - emptyOptBytes, next);
  for (const option of edns.options) {
    next = into.writeUInt16BE(option.code, next);
    next = into.writeUInt16BE(option.data.length, next);
    into.set(option.data, next);
    next += option.data.length;
  }
  return next;
}
