/**
 * Values of TXT in requests and answers: a string or an array of segments.
 *
 * A string that starts with a double quote is quoted segments; any other string is taken as it is
 * and split at 255 octets on borders of UTF-8 characters; an array is the segments themselves. What
 * is shown parses back to the same RDATA. Refused: an empty array, a segment over 255 octets, text
 * after quoted segments that is not quoted, half a surrogate pair.
 */
import { isUtf8 } from 'node:buffer';
import { RdataError } from './error.ts';
import { stringOctets } from './fields/string.ts';
import { parseByFields, printByFields } from './format.ts';
import { shorten, TokenReader, valueTokens } from './tokenreader.ts';
import { txt } from './txt.ts';

export function parseTxtValue(value: string | readonly string[]): Buffer {
  if (typeof value !== 'string') return joinSegments(value);
  if (value.charCodeAt(0) === 0x22) return parseQuotedSegments(value);
  return splitText(value);
}

function joinSegments(segments: readonly string[]): Buffer {
  if (segments.length === 0) throw new RdataError('TXT has at least one segment');
  return Buffer.concat(segments.map(segmentBytes));
}

function segmentBytes(segment: string): Buffer {
  const bytes = utf8Bytes(segment);
  if (bytes.length > stringOctets) {
    throw new RdataError(
      `a TXT segment has at most ${stringOctets} octets, not ${bytes.length}: ` +
        `'${shorten(segment)}'`,
    );
  }
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function parseQuotedSegments(text: string): Buffer {
  const tokens = valueTokens(txt.mnemonic, text);
  const bare = tokens.find((token) => !token.quoted);
  if (bare !== undefined) {
    throw new RdataError(
      `after a quoted TXT segment come only quoted ones, not '${shorten(bare.text)}'`,
    );
  }
  utf8Bytes(text);
  return parseByFields(txt, new TokenReader(txt.mnemonic, tokens));
}

/** Splits raw text into as few segments as fit, none ending inside a character. */
function splitText(text: string): Buffer {
  if (text.length <= stringOctets / 3) {
    // Three octets for each UTF-16 unit at most: no need to measure first.
    checkUnicode(text);
    const rdata = Buffer.allocUnsafe(1 + text.length * 3);
    rdata[0] = rdata.write(text, 1, 'utf8');
    return rdata.subarray(0, 1 + rdata[0]!);
  }
  const bytes = utf8Bytes(text);
  const parts: Buffer[] = [];
  let at = 0;
  do {
    let end = Math.min(at + stringOctets, bytes.length);
    // Octets 10xxxxxx continue a character; a segment must not start with one.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    parts.push(Buffer.of(end - at), bytes.subarray(at, end));
    at = end;
  } while (at < bytes.length);
  return Buffer.concat(parts);
}

function utf8Bytes(text: string): Buffer {
  checkUnicode(text);
  return Buffer.from(text, 'utf8');
}

function checkUnicode(text: string): void {
  if (!text.isWellFormed()) throw new RdataError('a TXT value has half of a surrogate pair');
}

/** The value as answers show it. */
export function showTxtValue(rdata: Buffer): string | string[] {
  const segments: string[] = [];
  for (let at = 0; at < rdata.length; at += rdata[at]! + 1) {
    const bytes = rdata.subarray(at + 1, at + 1 + rdata[at]!);
    if (bytes[0] === 0x22 || !isUtf8(bytes)) return printByFields(txt, rdata);
    segments.push(bytes.toString('utf8'));
  }
  return segments.length === 1 ? segments[0]! : segments;
}
