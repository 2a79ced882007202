/**
 * Domain names (RFC 1035 3.1, RFC 4034 6.1, RFC 4343): text, wire and canonical sort key.
 *
 * Inside the program a name is its **key**: the labels from the root down, lower-case, each ended by
 * a byte 0, in a string of bytes (one character each, 0..255). So comparing two keys as strings is the canonical order
 * of RFC 4034 6.1, a parent is a prefix of its children, and a key works as Map key and as SQLite
 * blob. Inside labels the bytes 0 and 1 are written 01 01 and 01 02, so that order survives.
 *
 * A key is relative to whatever its holder says: owners of records are relative to the apex of
 * their zone (the empty key is the apex), absolute names to the root.
 *
 * Refused: labels over 63 bytes, names over 255 bytes, empty labels, escapes above \255, and text with
 * characters beyond ASCII: those of other scripts are written as A-labels (idn.ts), bytes as \DDD.
 */
import { limits } from '../base/limits.ts';
import { isBeyondAscii, toAsciiName } from './idn.ts';
import { escapedByte, resolveEscapes, TokenError } from './tokens.ts';

declare const nameKeyBrand: unique symbol;

/** A name in canonical sort form, relative to the root or to a zone's apex (see above). */
export type NameKey = string & { readonly [nameKeyBrand]: true };

/** The name of no labels: the root, or the apex when relative to a zone. */
export const emptyName = '' as NameKey;

/** Why a text or wire form is no name; the message is one clause for people. */
export class NameError extends Error {
  override readonly name = 'NameError';
}

/** Builds a key from labels as byte strings, leftmost first; checks 63 and 255. */
export function keyFromLabels(labels: readonly string[]): NameKey {
  let bytes = 1;
  let key = '';
  for (let index = labels.length - 1; index >= 0; index--) {
    const label = labels[index]!;
    if (label.length === 0) throw new NameError('has an empty label');
    if (label.length > limits.labelBytes) {
      throw new NameError(`has a label of ${label.length} bytes (at most ${limits.labelBytes})`);
    }
    bytes += label.length + 1;
    key += `${escapeLabel(label)}\0`;
  }
  if (bytes > limits.nameBytes) {
    throw new NameError(`has ${bytes} bytes (at most ${limits.nameBytes})`);
  }
  return key as NameKey;
}

/** The labels of a key as byte strings, leftmost first. */
export function labelsOf(key: NameKey): string[] {
  if (key === '') return [];
  const oneLabel = key.indexOf('\0') === key.length - 1;
  if (oneLabel && !key.includes('\x01')) return [key.slice(0, -1)];
  const labels = key.slice(0, -1).split('\0');
  labels.reverse();
  return key.includes('\x01') ? labels.map(unescapeLabel) : labels;
}

/** Whether a text from outside is the key of a name: what walks the labels of any other may never come to their end. */
export function isNameKey(text: string): text is NameKey {
  if (/[^\0-\xff]/.test(text)) return false;
  try {
    return keyFromLabels(labelsOf(text as NameKey)) === text;
  } catch (error) {
    if (error instanceof NameError) return false;
    throw error;
  }
}

function escapeLabel(label: string): string {
  if (!/[A-Z\x00\x01]/.test(label)) return label;
  const lower = lowerAscii(label);
  return lower.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
}

function unescapeLabel(escaped: string): string {
  return escaped.replace(/\x01([\x01\x02])/g, (_, byte) => (byte === '\x01' ? '\0' : '\x01'));
}

/**
 * Lower-cases A to Z and nothing else: the bytes above 127 are no letters (RFC 4343), and toLowerCase
 * would make letters of ASCII of others, like the Kelvin sign.
 */
export function lowerAscii(text: string): string {
  return /[A-Z]/.test(text)
    ? text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
    : text;
}

/** The key of `name` below `origin`: both relative to the same thing when `origin` is. */
export function joinNames(name: NameKey, origin: NameKey): NameKey {
  const key = (origin + name) as NameKey;
  if (nameBytes(key) > limits.nameBytes) {
    throw new NameError(`has ${nameBytes(key)} bytes (at most ${limits.nameBytes})`);
  }
  return key;
}

/** Bytes of the name on the wire, root label included. */
export function nameBytes(key: NameKey): number {
  if (!key.includes('\x01')) return key.length + 1;
  return labelsOf(key).reduce((sum, label) => sum + label.length + 1, 1);
}

/** Number of labels, the root not counted. */
export function labelCount(key: NameKey): number {
  let count = 0;
  for (let at = key.indexOf('\0'); at >= 0; at = key.indexOf('\0', at + 1)) count++;
  return count;
}

/** The name one label up, or undefined for the name of no labels. */
export function parentOf(key: NameKey): NameKey | undefined {
  if (key === '') return undefined;
  return key.slice(0, lastLabelStart(key)) as NameKey;
}

/** True when `name` is `ancestor` or below it. */
export function isWithin(name: NameKey, ancestor: NameKey): boolean {
  return name.startsWith(ancestor);
}

/** `name` relative to `ancestor`, or undefined when it is not within it. */
export function relativeTo(name: NameKey, ancestor: NameKey): NameKey | undefined {
  return name.startsWith(ancestor) ? (name.slice(ancestor.length) as NameKey) : undefined;
}

/** True when the first label is exactly `*` (RFC 4592 2.1.1). */
export function isWildcard(key: NameKey): boolean {
  return key === '*\0' || key.endsWith('\0*\0');
}

/** The wildcard directly below `key`. */
export function wildcardBelow(key: NameKey): NameKey {
  return `${key}*\0` as NameKey;
}

/** The blob form of a key, as the database stores it. */
export function keyToBytes(key: NameKey): Buffer {
  return Buffer.from(key, 'latin1');
}

export function keyFromBytes(bytes: Uint8Array): NameKey {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).latin1Slice() as NameKey;
}

/** Uncompressed wire labels, leftmost first, without the closing root label. */
export function labelsToWire(key: NameKey): Buffer {
  // A label has its length in front of it where it has an end mark in the key.
  const wire = Buffer.allocUnsafe(nameBytes(key) - 1);
  writeLabels(key, wire);
  return wire;
}

/** Uncompressed wire form of an absolute key, root label included. */
export function nameToWire(key: NameKey): Buffer {
  const wire = Buffer.allocUnsafe(nameBytes(key));
  wire[writeLabels(key, wire)] = 0;
  return wire;
}

/** Writes wire labels, for which there is room; returns the index behind them. */
function writeLabels(key: NameKey, wire: Buffer): number {
  let at = 0;
  for (let end = key.length; end > 0; ) {
    const start = lastLabelStart(key, end);
    at = writeLabel(key, start, end, wire, at);
    end = start;
  }
  return at;
}

/** Where the label starts that ends, with its end mark, at `end` of a key. */
export function lastLabelStart(key: string, end = key.length): number {
  return key.lastIndexOf('\0', end - 2) + 1;
}

/** Writes the label that takes `start` to `end` of a key, its end mark included; returns the index behind it. */
export function writeLabel(
  key: string,
  start: number,
  end: number,
  wire: Uint8Array,
  lengthAt: number,
): number {
  let at = lengthAt + 1;
  for (let from = start; from < end - 1; from++) {
    const byte = key.charCodeAt(from);
    // Keys write the bytes 0 and 1 as 01 01 and 01 02.
    wire[at++] = byte === 1 ? key.charCodeAt(++from) - 1 : byte;
  }
  wire[lengthAt] = at - lengthAt - 1;
  return at;
}

/**
 * Room for the longest key: every byte of the labels may need two characters. A key is made from
 * its end to its start, because a name starts with the label that its key ends with.
 */
export const keyScratch = Buffer.allocUnsafe(2 * limits.nameBytes);

/**
 * Writes a label, which takes `start` to `end` of the wire, in front of the key that starts at `keyStart` of
 * the scratch; gives where the key starts now.
 */
export function prependLabel(
  wire: Uint8Array,
  start: number,
  end: number,
  keyStart: number,
): number {
  let at = keyStart;
  keyScratch[--at] = 0;
  for (let from = end - 1; from >= start; from--) {
    const byte = wire[from]!;
    if (byte <= 1) {
      // Keys write the bytes 0 and 1 as 01 01 and 01 02.
      keyScratch[--at] = byte + 1;
      keyScratch[--at] = 1;
    } else {
      keyScratch[--at] = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    }
  }
  return at;
}

/** Reads uncompressed wire labels up to and including the root label, or to the end of `wire`. */
export function keyFromWire(wire: Uint8Array, start = 0): NameKey {
  let keyStart = keyScratch.length;
  let at = start;
  while (at < wire.length && wire[at] !== 0) {
    const end = at + 1 + wire[at]!;
    if (end - at > limits.labelBytes + 1) throw new NameError('has a label that is too long');
    if (end > wire.length) throw new NameError('ends inside a label');
    if (end - start >= limits.nameBytes) {
      throw new NameError(`has more than ${limits.nameBytes} bytes`);
    }
    keyStart = prependLabel(wire, at + 1, end, keyStart);
    at = end;
  }
  return keyScratch.latin1Slice(keyStart) as NameKey;
}

/** A name as written: its labels and whether it ended with a dot. */
export interface RawName {
  readonly labels: readonly string[];
  readonly absolute: boolean;
}

/** Blanks and control characters: a name that ends with one was copied too far. */
const unwritable = /[\0-\x20\x7f]/;

/**
 * Splits a name in master-file text (RFC 1035 5.1) into labels: `\X` and `\DDD` escapes; a closing
 * dot means absolute. Every text that is to be a name passes here, so here characters beyond ASCII are
 * refused: a resolver asks for the A-labels of such a name (RFC 5891 5.4), and would never find it under
 * the bytes of its UTF-8. `@` and the empty text are the caller's business.
 */
export function splitNameText(text: string): RawName {
  if (text === '.') return { labels: [], absolute: true };
  if (isBeyondAscii(text)) throw new NameError(beyondAscii(text));
  if (unwritable.test(text) && unwritable.test(text.replace(/\\./gs, ''))) {
    throw new NameError('has a blank or a control character; such bytes are written \\DDD');
  }
  if (!text.includes('\\')) {
    const absolute = text.endsWith('.');
    return { labels: (absolute ? text.slice(0, -1) : text).split('.'), absolute };
  }
  const labels: string[] = [];
  let label = '';
  let absolute = false;
  for (const [piece] of text.matchAll(/\.|(?:\\.?|[^\\.])+/gs)) {
    absolute = piece === '.';
    if (absolute) labels.push(label);
    label = absolute ? '' : unescaped(piece);
  }
  if (!absolute) labels.push(label);
  return { labels, absolute };
}

function unescaped(text: string): string {
  try {
    return resolveEscapes(text);
  } catch (error) {
    throw error instanceof TokenError ? new NameError(error.message) : error;
  }
}

function beyondAscii(text: string): string {
  const ascii = toAsciiName(text);
  const form = ascii === undefined ? 'bytes above 127 are written \\DDD' : `write it as '${ascii}'`;
  return `has characters beyond ASCII; ${form}`;
}

/** The key of a name in text, taken as absolute whether or not it ends with a dot. */
export function parseAbsoluteName(text: string): NameKey {
  if (text === '') throw new NameError('is empty');
  return keyFromLabels(splitNameText(text).labels);
}

/** One label in master-file text, escaped where needed. */
function printLabel(label: string): string {
  if (/^[a-z0-9_*/+=:-]+$/.test(label)) return label;
  return label.replace(/[^\x21-\x7e]|[."();@$\\]/g, (byte) => {
    return /[\x21-\x7e]/.test(byte) ? `\\${byte}` : escapedByte(byte);
  });
}

/** The labels joined by dots, no closing dot; empty for the name of no labels. */
export function printLabels(key: NameKey): string {
  if (/^[a-z0-9_*/+=:-]+\0$/.test(key)) return key.slice(0, -1);
  return labelsOf(key).map(printLabel).join('.');
}

/** Absolute text with a closing dot; `.` for the root. */
export function printAbsoluteName(key: NameKey): string {
  return `${printLabels(key)}.`;
}

/** Bytes that no server wants escaped in a name, beside the dots between labels. */
const readByAll = /^[a-z0-9_*/.-]*$/;

/** The text of a name, in a form that all servers read: Knot takes `+`, `=`, `:` and the like as \DDD alone. */
export function portableName(text: string): string {
  if (readByAll.test(text)) return text;
  return text.replace(/\\(?:\d{3}|.)|[^a-z0-9_*/.-]/g, (part) =>
    part.length > 1 ? part : escapedByte(part),
  );
}

/**
 * The text of an owner that names it in a request (domain/record.ts): relative, but absolute where its text ends in the
 * name of the zone, as of `www.example.com.example.com.`, because that would be taken as absolute without its dot.
 */
export function printOwner(owner: NameKey, apex: NameKey): string {
  if (isWithin(owner, apex)) return printAbsoluteName(`${apex}${owner}` as NameKey);
  return printRelativeName(owner);
}

/** Text relative to the apex; `@` for the apex itself. */
export function printRelativeName(key: NameKey): string {
  return key === '' ? '@' : printLabels(key);
}
