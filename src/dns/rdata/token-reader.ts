/**
 * Reads the tokens of one value from left to right, for the fields of a record type.
 *
 * Texts are bytes as written, one character 0..255 each. Every refusal is an RdataError that names the type
 * and the field: "SRV port is a number from 0 to 65535, not '70000'".
 */
import { isUtf8 } from 'node:buffer';
import type { ByteWriter } from '../../base/byte-writer.ts';
import { excerpt } from '../../base/problem.ts';
import { RdataError } from '../error.ts';
import {
  joinNames,
  keyFromLabels,
  NameError,
  type NameKey,
  nameToWire,
  splitNameText,
} from '../name.ts';
import { readNumber, writeUnescapedName } from '../text-bytes.ts';
import { resolveEscapes, TokenError, Tokens, tokensOfValue } from '../tokens.ts';

/**
 * Characters of a value's text. The longest text that any RDATA need is a bitmap of all types, ten
 * characters each; what is longer would be refused after much work.
 */
const valueCharacters = 1024 * 1024;

/** Bytes that a number can hold. */
export const maxCodeBytes = 6;

/** A word of at most maxCodeBytes ASCII characters as one number, each its own. */
export function wordCode(word: string): number {
  return [...Buffer.from(word)].reduce((code, byte) => code * 256 + byte, 0);
}

/** What relative names end in. */
export interface Origin {
  readonly name: NameKey;
  readonly wire: Buffer;
}

export function originOf(name: NameKey): Origin {
  return { name, wire: nameToWire(name) };
}

export class TokenReader {
  /** The type's mnemonic, which opens every message; empty before the type is known. */
  mnemonic = '';
  /** Where the token that was taken last starts and ends in the bytes of the tokens. */
  start = 0;
  end = 0;
  /** The index of the next token. */
  next = 0;
  readonly tokens: Tokens;
  /** Undefined when every name is taken as absolute. */
  #origin: Origin | undefined;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  /** Goes to the token `next`, the first of a value. */
  begin(mnemonic: string, next: number, origin?: Origin): void {
    this.mnemonic = mnemonic;
    this.next = next;
    this.#origin = origin;
  }

  get hasMore(): boolean {
    return this.next < this.tokens.count;
  }

  /** True for RDATA in generic form (RFC 3597 5); a quoted "\\#" is ordinary text. */
  get isGenericForm(): boolean {
    return this.peekWord() === '\\#';
  }

  get bytes(): Buffer {
    return this.tokens.bytes;
  }

  /** The text of the token that was taken last. */
  get text(): string {
    return this.bytes.latin1Slice(this.start, this.end);
  }

  get isNextQuoted(): boolean {
    return this.hasMore && this.tokens.isQuoted(this.next);
  }

  /** The first byte of the next token; undefined when it is quoted or there is none. */
  peekByte(): number | undefined {
    if (!this.hasMore || this.tokens.isQuoted(this.next)) return undefined;
    return this.bytes[this.tokens.startOf(this.next)];
  }

  /** The next token as wordCode has it; -1 when it is quoted or too long or there is none. */
  peekCode(): number {
    if (!this.hasMore || this.tokens.isQuoted(this.next)) return -1;
    const end = this.tokens.endOf(this.next);
    let at = this.tokens.startOf(this.next);
    if (end - at > maxCodeBytes) return -1;
    let code = 0;
    while (at < end) code = code * 256 + this.bytes[at++]!;
    return code;
  }

  /** The next token without taking it; undefined when it is quoted or there is none. */
  peekWord(): string | undefined {
    if (!this.hasMore || this.tokens.isQuoted(this.next)) return undefined;
    return this.bytes.latin1Slice(this.tokens.startOf(this.next), this.tokens.endOf(this.next));
  }

  /** True when the next token is quoted and stands right behind the last: `alpn=` `"h2"`. */
  get isQuotedValue(): boolean {
    return this.isNextQuoted && this.tokens.isJoined(this.next);
  }

  /** Takes the next token, quoted or not. */
  take(label: string): void {
    if (this.next >= this.tokens.count) throw this.refuseAll(`${label} is missing`);
    this.start = this.tokens.startOf(this.next);
    this.end = this.tokens.endOf(this.next++);
  }

  /** Takes the next token, which must not be quoted: numbers, names, addresses. */
  takeWord(label: string): void {
    this.take(label);
    if (!this.tokens.isQuoted(this.next - 1)) return;
    throw this.refuseAll(`${label} is written without quotes`);
  }

  word(label: string): string {
    this.takeWord(label);
    return this.text;
  }

  /** A decimal number up to `max`, which has ten digits or less. */
  number(label: string, max: number): number {
    this.takeWord(label);
    const number = readNumber(this.bytes, this.start, this.end);
    if (number >= 0 && number <= max) return number;
    throw this.refuse(label, `is a number from 0 to ${max}`, this.text);
  }

  /** Writes the wire form of a name, lower-case and uncompressed. */
  name(label: string, out: ByteWriter): void {
    this.takeWord(label);
    const { start, end } = this;
    const isOrigin = end - start === 1 && this.bytes[start] === 0x40;
    if (!isOrigin && !this.tokens.isUnusual(this.next - 1)) {
      if (writeUnescapedName(this.bytes, start, end, this.#origin?.wire, out)) return;
    }
    out.add(nameToWire(this.#nameOf(label)));
  }

  #nameOf(label: string): NameKey {
    const origin = this.#origin?.name;
    const text = quotedText(this.text);
    try {
      if (text === '@') {
        if (origin !== undefined) return origin;
        throw new NameError('has to be written out instead of @');
      }
      const { labels, absolute } = splitNameText(text);
      const key = keyFromLabels(labels);
      return absolute || origin === undefined ? key : joinNames(key, origin);
    } catch (error) {
      if (!(error instanceof NameError)) throw error;
      throw this.refuseAll(`${label} '${excerpt(text)}' ${error.message}`);
    }
  }

  /** Takes the next token, quoted or not, with its escapes resolved. */
  string(label: string): string {
    this.take(label);
    return this.resolve(this.text, label);
  }

  /** As string, behind what `out` holds. */
  writeString(label: string, out: ByteWriter): void {
    this.take(label);
    if (this.tokens.hasEscape(this.next - 1)) {
      out.add(Buffer.from(this.resolve(this.text, label), 'latin1'));
    } else {
      out.addShort(this.bytes, this.start, this.end);
    }
  }

  /** Resolves the escapes of a text that belongs to this value. */
  resolve(text: string, label: string): string {
    try {
      return resolveEscapes(text);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      throw this.refuseAll(`${label} ${error.message}`);
    }
  }

  /** Takes all remaining words, one at least, and joins them: hex and base64 may be split by blanks. */
  restJoined(label: string): string {
    let joined = this.word(label);
    while (this.hasMore) joined += this.word(label);
    return joined;
  }

  /** The refusal of `text` for a field that must be as `rule` says. */
  refuse(label: string, rule: string, text: string): RdataError {
    return this.refuseAll(`${label} ${rule}, not '${excerpt(quotedText(text))}'`);
  }

  refuseAll(reason: string): RdataError {
    return new RdataError(this.mnemonic === '' ? reason : `${this.mnemonic} ${reason}`);
  }

  /** Refuses tokens that no field has taken. */
  finish(form: () => string): void {
    if (!this.hasMore) return;
    this.take('value');
    throw this.refuseAll(
      `has more than its fields (${form()}): '${excerpt(quotedText(this.text))}' is too much`,
    );
  }
}

/** Values are parsed one after the other, each before the next is begun. */
const values = new TokenReader(new Tokens());

/** Tokens of a value, good until the next call, with the tokenizer's refusals as RdataErrors. */
export function valueTokens(mnemonic: string, text: string, origin?: Origin): TokenReader {
  if (text.length > valueCharacters) {
    throw new RdataError(`the ${mnemonic} value has more than ${valueCharacters} characters`);
  }
  try {
    tokensOfValue(text, values.tokens);
    values.begin(mnemonic, 0, origin);
    return values;
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    throw new RdataError(`the ${mnemonic} value ${error.message}`);
  }
}

/**
 * A text of bytes as people read it. Bytes that are no UTF-8 become `\DDD`, and the backslash before one makes
 * way for that.
 */
export function quotedText(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return text.replace(/\\.|[\x80-\xff]/gs, (match) => {
    const code = match.charCodeAt(match.length - 1);
    return code > 0x7f ? `\\${code}` : match;
  });
}
