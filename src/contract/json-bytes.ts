/**
 * Large bodies looked at as bytes of JSON, before a value is made of them: what would take far more memory
 * than it has bytes is refused, and a file within a body is read where it lies.
 *
 * Whether the rest is JSON is for the parser to say.
 */
import { limits } from '../base/limits.ts';
import { invalidBody } from './validate.ts';

const quote = 0x22;
const backslash = 0x5c;
const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);
const comma = 0x2c;
const colon = 0x3a;

/** Refuses a body of very many arrays and objects, or of such deep within each other. */
export function refuseCrowdedJson(bytes: Buffer): void {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfString(bytes, at);
      if (at < 0) return;
    } else if (openers.has(byte)) {
      depth++;
      containers++;
      if (depth > limits.bodyDepth) {
        throw invalidBody(`request body: more than ${limits.bodyDepth} arrays within each other`);
      }
      if (containers > limits.bodyContainers) {
        throw invalidBody(`request body: more than ${limits.bodyContainers} arrays and objects`);
      }
    } else if (closers.has(byte)) depth--;
  }
}

/** The place of the quote that ends a string, or -1. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = at;
    while (bytes[escapes - 1] === backslash) escapes--;
    // A quote after an odd number of backslashes is one of the text.
    if ((at - escapes) % 2 === 0) return at;
  }
  return -1;
}

export interface FoundFile {
  /** The body with an empty text in the place of the file. */
  readonly rest: string;
  /** What the text says, in UTF-8, within the bytes that were given. */
  readonly file: Uint8Array;
}

/**
 * Takes the text of a field out of the bytes of an object, which are changed by that: a text of JSON is never
 * shorter than what it says. Undefined, and nothing changed, where the field is not said exactly once as a text.
 */
export function takeFile(bytes: Buffer, field: string): FoundFile | undefined {
  const span = spanOf(bytes, field);
  if (span === undefined) return undefined;
  const [start, end] = span;
  const around = [bytes.subarray(0, start + 1), bytes.subarray(end)];
  const rest = Buffer.concat(around).toString();
  return { rest, file: readText(bytes, start + 1, end, field) };
}

/** Where the text of a field of an object begins and ends, its quotes. */
function spanOf(bytes: Buffer, field: string): [start: number, end: number] | undefined {
  const name = Buffer.from(`"${field}"`);
  let found: [number, number] | undefined;
  let depth = 0;
  let isName = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (openers.has(byte)) {
      depth++;
      isName = byte === 0x7b;
    } else if (closers.has(byte)) depth--;
    else if (byte === comma) isName = true;
    else if (byte === colon) isName = false;
    else if (byte === quote) {
      const end = endOfString(bytes, at);
      if (end < 0) return undefined;
      if (depth === 1 && isName && bytes.subarray(at, end + 1).equals(name)) {
        const start = startOfText(bytes, end + 1);
        const close = start === undefined ? -1 : endOfString(bytes, start);
        if (start === undefined || close < 0 || found !== undefined) return undefined;
        found = [start, close];
        at = close;
      } else at = end;
    }
  }
  return found;
}

/** The quote of a value after its name's colon; undefined when it is no text. */
function startOfText(bytes: Buffer, from: number): number | undefined {
  let at = from;
  for (const wanted of [colon, quote]) {
    while (isBlank(bytes[at])) at++;
    if (bytes[at] !== wanted) return undefined;
    at++;
  }
  return at - 1;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

const singleEscapes: ReadonlyMap<number, number> = new Map(
  Object.entries({
    '"': '"',
    '\\': '\\',
    '/': '/',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
  }).map(([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)]),
);

const fourDigits = /^[0-9a-fA-F]{4}$/;

/** What the text between two places says, written from the first of them on (RFC 8259 7). */
function readText(bytes: Buffer, start: number, end: number, field: string): Uint8Array {
  const wrong = () =>
    invalidBody(`request body is not JSON: '${field}' has a wrong character or escape`);
  let to = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20) throw wrong();
    if (byte !== backslash) {
      bytes[to++] = byte;
      continue;
    }
    const escaped = bytes[++at]!;
    const meant = singleEscapes.get(escaped);
    if (meant !== undefined) {
      bytes[to++] = meant;
      continue;
    }
    const unit = escaped === 0x75 ? unitAt(bytes, at + 1) : undefined;
    if (unit === undefined) throw wrong();
    at += 4;
    // Two halves of a surrogate pair are one character; a half alone is none (U+FFFD).
    const second =
      isHigh(unit) && bytes[at + 1] === backslash && bytes[at + 2] === 0x75
        ? unitAt(bytes, at + 3)
        : undefined;
    const isPair = second !== undefined && (second & 0xfc00) === 0xdc00;
    if (isPair) at += 6;
    to += bytes.write(isPair ? String.fromCharCode(unit, second) : String.fromCharCode(unit), to);
  }
  return bytes.subarray(start, to);
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/** The number that four hexadecimal digits write. */
function unitAt(bytes: Buffer, at: number): number | undefined {
  const digits = bytes.toString('latin1', at, at + 4);
  return fourDigits.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
