/**
 * Tokens of master-file text (RFC 1035 5.1; RFC 9460 appendix A for `key="value"`).
 *
 * A token keeps the text between its borders as written, escapes included, because what an escape
 * means depends on the field: `\.` is no label border in a name, and `\,` is not yet a comma in a
 * list of SVCB. Parentheses are blanks when they are balanced. Refused: an open quote or
 * parenthesis, a line end outside parentheses, a comment (a value has no room for one; the zone
 * file reader strips them before), and control characters outside quotes.
 */

/** One token: its text as written, without the quotes when it was quoted. */
export interface Token {
  readonly text: string;
  readonly quoted: boolean;
  /** True when nothing stands between this token and the one before it: `alpn=` `"h2"`. */
  readonly joined: boolean;
}

/** Why a text can not be split into tokens; the message is one clause for people. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/** Splits the text of one value into its tokens. */
export function tokenizeValue(text: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  let previousEnd = -1;
  while (at < text.length) {
    const character = text[at]!;
    if (character === ' ' || character === '\t') {
      at++;
    } else if (character === '(') {
      depth++;
      at++;
    } else if (character === ')') {
      if (--depth < 0) throw new TokenError('has a closing parenthesis without an opening one');
      at++;
    } else if (character === '\n' || character === '\r') {
      if (depth === 0) throw new TokenError('has a line end outside parentheses');
      at++;
    } else if (character === ';') {
      throw new TokenError('has a comment (write a semicolon in quotes or as \\;)');
    } else {
      const end = character === '"' ? quotedEnd(text, at) : plainEnd(text, at);
      const quoted = character === '"';
      tokens.push({
        text: quoted ? text.slice(at + 1, end - 1) : text.slice(at, end),
        quoted,
        joined: at === previousEnd,
      });
      previousEnd = end;
      at = end;
    }
  }
  if (depth > 0) throw new TokenError('has an opening parenthesis without a closing one');
  return tokens;
}

/** The position after the quoted text that opens at `at`. A line end inside is refused. */
function quotedEnd(text: string, at: number): number {
  for (let position = at + 1; position < text.length; position++) {
    const character = text[position];
    if (character === '"') return position + 1;
    if (character === '\n') break;
    if (character === '\\') position++;
  }
  throw new TokenError('has a quote that is not closed');
}

/** The position after the unquoted text at `at`: the next blank, quote, parenthesis or `;`. */
function plainEnd(text: string, at: number): number {
  let position = at;
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === 0x5c) {
      // A backslash takes the next character along, so that `\ ` and `\;` stay inside.
      if (++position >= text.length) throw new TokenError('ends in a backslash');
    } else if (code <= 0x20 || code === 0x22 || code === 0x28 || code === 0x29 || code === 0x3b) {
      break;
    } else if (code === 0x7f) {
      throw new TokenError('has a control character (write it as \\DDD)');
    }
  }
  const code = position < text.length ? text.charCodeAt(position) : 0x20;
  if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) {
    throw new TokenError('has a control character (write it as \\DDD)');
  }
  return position;
}

/**
 * The octets a text stands for, one character 0..255 each: `\DDD` and `\X` are resolved, characters
 * outside ASCII become their UTF-8 octets.
 */
export function octetsOfText(text: string): string {
  const octets = /[^\0-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
  if (!octets.includes('\\')) return octets;
  return octets.replace(/\\(\d\d\d|[^\d]|$|\d)/gs, (_: string, escaped: string) => {
    if (escaped === '') throw new TokenError('ends in a backslash');
    if (escaped.length === 3) {
      if (Number(escaped) > 255)
        throw new TokenError(`has the escape \\${escaped} (at most \\255)`);
      return String.fromCharCode(Number(escaped));
    }
    if (/\d/.test(escaped)) throw new TokenError('has an escape that is not \\DDD');
    return escaped;
  });
}

/** A quoted string for these octets; octets outside printable ASCII become `\DDD`. */
export function printQuoted(octets: string): string {
  if (!/[^\x20-\x7e]|["\\]/.test(octets)) return `"${octets}"`;
  const escaped = octets.replace(/[^\x20-\x7e]|["\\]/g, (octet) => {
    const code = octet.charCodeAt(0);
    return code >= 0x20 && code < 0x7f ? `\\${octet}` : `\\${String(code).padStart(3, '0')}`;
  });
  return `"${escaped}"`;
}
