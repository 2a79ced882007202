/**
 * Values of TXT, and of the types with the same RDATA, in requests and answers: a string or an array
 * of segments.
 *
 * A string that starts with a double quote is quoted segments; any other string is taken as it is
 * and split at 255 bytes on borders of UTF-8 characters; an array is the segments themselves. What
 * is sent parses back to the same RDATA. Refused: an empty array, a segment over 255 bytes, text
 * after quoted segments that is not quoted, half a surrogate pair.
 *
 * A string of TXT that starts with `\#` is taken as it is too. In the types that had only the generic
 * form before, it is that form, as it always was (isLater).
 */
import { isUtf8 } from 'node:buffer';
import { excerpt } from '../../base/problem.ts';
import { RdataError } from '../error.ts';
import { maxStringBytes } from './fields/string.ts';
import { parseByFields, printByFields, type RdataFormat } from './format.ts';
import { valueTokens } from './token-reader.ts';

export function parseSegments(format: RdataFormat, value: string | readonly string[]): Buffer {
  if (typeof value !== 'string') return joinSegments(format, value);
  if (value.charCodeAt(0) === 0x22) return parseQuotedSegments(format, value);
  return splitText(format, value);
}

function joinSegments(format: RdataFormat, segments: readonly string[]): Buffer {
  if (segments.length === 0) throw new RdataError(`${format.mnemonic} has at least one segment`);
  return Buffer.concat(segments.map((segment) => segmentBytes(format, segment)));
}

function segmentBytes(format: RdataFormat, segment: string): Buffer {
  const bytes = utf8Bytes(format, segment);
  if (bytes.length > maxStringBytes) {
    throw new RdataError(
      `a ${format.mnemonic} segment has at most ${maxStringBytes} bytes, not ${bytes.length}: ` +
        `'${excerpt(segment)}'`,
    );
  }
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function parseQuotedSegments(format: RdataFormat, text: string): Buffer {
  const reader = valueTokens(format.mnemonic, text);
  const { tokens } = reader;
  for (let index = 0; index < tokens.count; index++) {
    if (tokens.isQuoted(index)) continue;
    const word = tokens.bytes.toString('utf8', tokens.startOf(index), tokens.endOf(index));
    throw new RdataError(
      `after a quoted ${format.mnemonic} segment come only quoted ones, not '${excerpt(word)}'`,
    );
  }
  checkUnicode(format, text);
  return parseByFields(format, reader);
}

/** Splits raw text into as few segments as fit, none ending inside a character. */
function splitText(format: RdataFormat, text: string): Buffer {
  if (text.length <= maxStringBytes / 3) {
    // Three bytes for each UTF-16 unit at most: no need to measure first.
    checkUnicode(format, text);
    const rdata = Buffer.allocUnsafe(1 + text.length * 3);
    rdata[0] = rdata.write(text, 1, 'utf8');
    return rdata.subarray(0, 1 + rdata[0]!);
  }
  const bytes = utf8Bytes(format, text);
  const parts: Buffer[] = [];
  let at = 0;
  do {
    let end = Math.min(at + maxStringBytes, bytes.length);
    // Bytes 10xxxxxx continue a character; a segment must not start with one.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    parts.push(Buffer.of(end - at), bytes.subarray(at, end));
    at = end;
  } while (at < bytes.length);
  return Buffer.concat(parts);
}

function utf8Bytes(format: RdataFormat, text: string): Buffer {
  checkUnicode(format, text);
  return Buffer.from(text, 'utf8');
}

function checkUnicode({ mnemonic }: RdataFormat, text: string): void {
  if (text.isWellFormed()) return;
  throw new RdataError(`a value of ${mnemonic} has half of a surrogate pair`);
}

/** The value as answers show it; undefined for RDATA that are no segments. */
export function showSegments(format: RdataFormat, rdata: Buffer): string | string[] | undefined {
  if (!isSegments(rdata)) return undefined;
  const segments: string[] = [];
  for (let at = 0; at < rdata.length; at += rdata[at]! + 1) {
    const bytes = rdata.subarray(at + 1, at + 1 + rdata[at]!);
    if (bytes[0] === 0x22 || !isUtf8(bytes)) return printByFields(format, rdata);
    segments.push(bytes.toString('utf8'));
  }
  if (segments.length !== 1) return segments;
  return looksGeneric(format, segments[0]!) ? printByFields(format, rdata) : segments[0]!;
}

/** True when the last segment ends where the RDATA do. */
function isSegments(rdata: Buffer): boolean {
  let at = 0;
  while (at < rdata.length) at += rdata[at]! + 1;
  return at > 0 && at === rdata.length;
}

/** True for a string that is not taken as it is but as the generic form. */
export function looksGeneric(format: RdataFormat, text: string): boolean {
  return format.isLater === true && text.startsWith('\\#');
}
