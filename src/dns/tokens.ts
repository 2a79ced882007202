/**
 * Tokens of master-file text (RFC 1035 5.1; RFC 9460 appendix A for `key="value"`), found in the bytes of a
 * value or of the lines of an entry.
 *
 * A token is a piece of those bytes as written, escapes included, because what an escape means depends on
 * the field: `\.` is no label border in a name, and `\,` is not yet a comma in a list of SVCB. Parentheses
 * are blanks when they are balanced. Refused: a quote or an escape that is open at the end of a line, a
 * closing parenthesis too many, control characters outside quotes.
 */

/** Why a text can not be split into tokens; the message is one clause for people. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const openingParenthesis = 0x28;
const deleteCharacter = 0x7f;

/** What a byte means outside quotes; what is not listed is part of a word. */
const meaning = { word: 0, control: 1, escape: 2, blank: 3, quote: 4, parenthesis: 5, comment: 6 };
const meanings = new Uint8Array(256);
meanings.fill(meaning.control, 0, space);
meanings[deleteCharacter] = meaning.control;
for (const [characters, number] of [
  [' \t', meaning.blank],
  ['"', meaning.quote],
  ['()', meaning.parenthesis],
  [';', meaning.comment],
  ['\\', meaning.escape],
] as const) {
  for (const character of characters) meanings[character.charCodeAt(0)] = number;
}

/** What is known of a token beside where it stands. */
const flag = { escaped: 1, quoted: 2, joined: 4, beyondAscii: 0x80 };

export class Tokens {
  /** What the tokens are pieces of. */
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  /** Parentheses that are open behind the line added last. */
  depth = 0;
  /** Why the text is refused; the first reason only. */
  problem: string | undefined;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #flags: number[] = [];

  clear(): void {
    this.count = 0;
    this.depth = 0;
    this.problem = undefined;
  }

  /** The first byte of a token, without its quotes when it is quoted. */
  startOf(index: number): number {
    return this.#starts[index]!;
  }

  endOf(index: number): number {
    return this.#ends[index]!;
  }

  isQuoted(index: number): boolean {
    return (this.#flags[index]! & flag.quoted) !== 0;
  }

  /** True when nothing stands between the token and the one before it: `alpn=` `"h2"`. */
  isJoined(index: number): boolean {
    return (this.#flags[index]! & flag.joined) !== 0;
  }

  /** True when the token has an escape or a byte beyond ASCII. */
  isUnusual(index: number): boolean {
    return (this.#flags[index]! & (flag.escaped | flag.beyondAscii)) !== 0;
  }

  hasEscape(index: number): boolean {
    return (this.#flags[index]! & flag.escaped) !== 0;
  }

  /** Says that the bytes of all tokens were copied to `bytes`, each `movedBy` bytes closer to its start. */
  moveTo(bytes: Buffer, movedBy: number): void {
    this.bytes = bytes;
    for (let index = 0; index < this.count; index++) {
      this.#starts[index]! -= movedBy;
      this.#ends[index]! -= movedBy;
    }
  }

  /**
   * Adds the tokens of a line that takes `start` to `end` of `bytes`, without its line end. Gives the index
   * of the semicolon of its comment, or `end`.
   */
  addLine(bytes: Buffer, start: number, end: number): number {
    this.bytes = bytes;
    let before = -1;
    for (let at = start; at < end; ) {
      switch (meanings[bytes[at]!]) {
        case meaning.blank:
          at++;
          break;
        case meaning.comment:
          return at;
        case meaning.parenthesis:
          this.#countParenthesis(bytes[at++]!);
          break;
        case meaning.quote:
          before = at = this.#addQuoted(at, end, before);
          break;
        default:
          before = at = this.#addWord(at, end, before);
      }
    }
    return end;
  }

  #countParenthesis(byte: number): void {
    this.depth += byte === openingParenthesis ? 1 : -1;
    if (this.depth >= 0) return;
    this.depth = 0;
    this.refuse('has a closing parenthesis without an opening one');
  }

  /** Adds the word at `start`; gives the index behind it. */
  #addWord(start: number, end: number, before: number): number {
    const { bytes } = this;
    let flags = start === before ? flag.joined : 0;
    let all = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      const kind = meanings[byte]!;
      all |= byte;
      if (kind === meaning.word) continue;
      if (kind === meaning.escape) {
        // A backslash takes the next byte along, so that `\ ` and `\;` stay inside.
        flags |= flag.escaped;
        all |= bytes[++at]!;
        if (at >= end) this.refuse('ends in a backslash');
      } else if (kind === meaning.control) {
        this.refuse('has a control character outside quotes (write it as \\DDD)');
      } else {
        break;
      }
    }
    flags |= all & flag.beyondAscii;
    return this.#add(start, Math.min(at, end), flags);
  }

  /** Adds what stands between the quote at `start` and the next; gives the index behind that. */
  #addQuoted(start: number, end: number, before: number): number {
    const { bytes } = this;
    let flags = flag.quoted | (start === before ? flag.joined : 0);
    let all = 0;
    let at = start + 1;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      const kind = meanings[byte]!;
      if (kind === meaning.quote) break;
      all |= byte;
      if (kind !== meaning.escape) continue;
      flags |= flag.escaped;
      all |= bytes[++at]!;
    }
    if (at > end) this.refuse('ends in a backslash');
    else if (at === end) this.refuse('has a quote that is not closed on its line');
    return this.#add(start + 1, Math.min(at, end), flags | (all & flag.beyondAscii)) + 1;
  }

  #add(start: number, end: number, flags: number): number {
    const index = this.count++;
    this.#starts[index] = start;
    this.#ends[index] = end;
    this.#flags[index] = flags;
    return end;
  }

  refuse(reason: string): void {
    this.problem ??= reason;
  }
}

/**
 * The tokens of one value, in place of what `tokens` held. Lines may end inside parentheses; a comment has no
 * room in a value. Throws TokenError.
 */
export function tokensOfValue(text: string, tokens = new Tokens()): Tokens {
  tokens.clear();
  const bytes = Buffer.from(text, 'utf8');
  for (let start = 0; ; ) {
    const lineEnd = bytes.indexOf(lineFeed, start);
    let end = lineEnd < 0 ? bytes.length : lineEnd;
    if (lineEnd > start && bytes[end - 1] === carriageReturn) end--;
    if (tokens.addLine(bytes, start, end) < end) {
      tokens.refuse('has a comment (write a semicolon in quotes or as \\;)');
    }
    if (lineEnd < 0) break;
    if (tokens.depth === 0) tokens.refuse('has a line end outside parentheses');
    start = lineEnd + 1;
  }
  if (tokens.depth > 0) tokens.refuse('has an opening parenthesis that is not closed');
  if (tokens.problem !== undefined) throw new TokenError(tokens.problem);
  return tokens;
}

/** True for the bytes that part words. */
export function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab;
}

/** Resolves `\DDD` and `\X` in a text of bytes, one character 0..255 each. Throws TokenError. */
export function resolveEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(\d\d\d|[^\d]|$|\d)/gs, (_: string, escaped: string) => {
    if (escaped === '') throw new TokenError('ends in a backslash');
    if (escaped.length === 3) {
      if (Number(escaped) > 255) {
        throw new TokenError(`has the escape \\${escaped} (at most \\255)`);
      }
      return String.fromCharCode(Number(escaped));
    }
    if (/\d/.test(escaped)) throw new TokenError('has an escape that is not \\DDD');
    return escaped;
  });
}

/** `\DDD` for a byte, given as a character. */
export function escapedByte(byte: string): string {
  return `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`;
}

/** A quoted string for these bytes, one character each; those outside printable ASCII become `\DDD`. */
export function printQuoted(text: string): string {
  if (!/[^\x20-\x7e]|["\\]/.test(text)) return `"${text}"`;
  const escaped = text.replace(/[^\x20-\x7e]|["\\]/g, (character) => {
    return /[\x20-\x7e]/.test(character) ? `\\${character}` : escapedByte(character);
  });
  return `"${escaped}"`;
}
