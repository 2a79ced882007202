/**
 * Reads the tokens of one value from left to right, for the fields of a record type.
 *
 * Every refusal is an RdataError that names the type and the field: "SRV port is a number from 0 to
 * 65535, not '70000'".
 */
import type { NameKey } from '../name.ts';
import { octetsOfText, type Token, TokenError, tokenizeValue } from '../zonefile/tokens.ts';
import { RdataError } from './error.ts';

/** Characters of a refused text that a message repeats. */
const shownCharacters = 60;

/**
 * Characters of a value's text. The longest text that any RDATA need is a bitmap of all types, ten
 * characters each; what is longer would be refused after much work.
 */
const valueCharacters = 1024 * 1024;

export class TokenReader {
  /** The type's mnemonic, which opens every message. */
  readonly mnemonic: string;
  /** What relative names end in; undefined when every name is taken as absolute. */
  readonly origin: NameKey | undefined;
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(mnemonic: string, tokens: readonly Token[], origin?: NameKey) {
    this.mnemonic = mnemonic;
    this.tokens = tokens;
    this.origin = origin;
  }

  get hasMore(): boolean {
    return this.at < this.tokens.length;
  }

  /** The next token without taking it. */
  peek(): Token | undefined {
    return this.tokens[this.at];
  }

  /** Takes the next token, quoted or not. */
  next(label: string): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw new RdataError(`${this.mnemonic} ${label} is missing`);
    this.at++;
    return token;
  }

  /** Takes the next token, which must not be quoted: numbers, names, addresses. */
  word(label: string): string {
    const token = this.next(label);
    if (token.quoted) {
      throw new RdataError(`${this.mnemonic} ${label} is written without quotes`);
    }
    return token.text;
  }

  /** The octets of the next token, quoted or not, with its escapes resolved. */
  octets(label: string): string {
    const token = this.next(label);
    return this.resolve(token.text, label);
  }

  /** Resolves the escapes of a text that belongs to this value. */
  resolve(text: string, label: string): string {
    try {
      return octetsOfText(text);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      throw new RdataError(`${this.mnemonic} ${label} ${error.message}`);
    }
  }

  /** Takes all remaining words and joins them: hex and base64 may be split by blanks. */
  restJoined(label: string): string {
    let joined = '';
    while (this.hasMore) joined += this.word(label);
    return joined;
  }

  /** The refusal of `text` for a field that must be as `rule` says. */
  refuse(label: string, rule: string, text: string): RdataError {
    return new RdataError(`${this.mnemonic} ${label} ${rule}, not '${shorten(text)}'`);
  }

  /** Refuses tokens that no field has taken. */
  end(form: string): void {
    const token = this.tokens[this.at];
    if (token === undefined) return;
    throw new RdataError(
      `${this.mnemonic} has more than its fields (${form}): '${shorten(token.text)}' is too much`,
    );
  }
}

/** Tokens of a value, with the tokenizer's refusals as RdataErrors. */
export function valueTokens(mnemonic: string, text: string): Token[] {
  if (text.length > valueCharacters) {
    throw new RdataError(`the ${mnemonic} value has more than ${valueCharacters} characters`);
  }
  try {
    return tokenizeValue(text);
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    throw new RdataError(`the ${mnemonic} value ${error.message}`);
  }
}

/** A text cut to what a message can hold. */
export function shorten(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}...`;
}
