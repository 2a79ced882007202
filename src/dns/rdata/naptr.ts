/**
 * NAPTR: rewriting rules (RFC 3403 4). Flags are letters and digits; what they mean is the application's
 * business.
 *
 * The regexp is a substitution expression (RFC 3402 3.2): a delimiter, an extended regular expression of
 * POSIX, the delimiter, a replacement with back references, the delimiter, and the flag i or none. named
 * reads them and refuses a zone with one that is none; what is taken here it takes too.
 */
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { characterString, matching } from './fields/string.ts';
import type { FormatRows } from './format.ts';

export const naptrTypes = {
  NAPTR: {
    fields: [
      u16('order'),
      u16('preference'),
      characterString('flags', matching(/^[A-Za-z0-9]*$/, 'are letters and digits')),
      characterString('services'),
      characterString('regexp', brokenSubstitutionRule),
      name('replacement'),
    ],
  },
} satisfies FormatRows;

/** Why a text of bytes is no substitution expression; undefined when it is one, or empty. */
export function brokenSubstitutionRule(text: string): string | undefined {
  if (text === '') return undefined;
  const delimiter = text[0]!;
  if (/[0-9\\i\0]/.test(delimiter)) return 'begins with a delimiter, which is no digit, \\ or i';
  if (text.includes('\0')) return 'has no byte 0';
  const parts = split(text, delimiter);
  if (parts?.length !== 4) return `has three delimiters ${delimiter}`;
  const [, expression, replacement, flags] = parts as [string, string, string, string];
  if (!/^i*$/.test(flags)) return 'ends in the flag i or none';
  const groups = groupsOf(expression);
  if (groups === undefined) return `has an extended regular expression, not '${expression}'`;
  for (const [, digit] of replacement.matchAll(/\\(.)/gs)) {
    if (digit! >= '0' && digit! <= '9' && (digit === '0' || Number(digit) > groups)) {
      return `refers to \\${digit}, but its groups are ${groups}`;
    }
  }
  return undefined;
}

/** The parts between delimiters; an escape keeps the byte behind it. Undefined when it ends in an escape. */
function split(text: string, delimiter: string): string[] | undefined {
  const parts = [''];
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === delimiter) parts.push('');
    else if (byte !== '\\' || parts.length > 3) parts[parts.length - 1] += byte;
    else if (++at === text.length) return undefined;
    else parts[parts.length - 1] += `\\${text[at]}`;
  }
  return parts;
}

/** Groups of an extended regular expression (POSIX.1 9.4); undefined when it is none. */
function groupsOf(expression: string): number | undefined {
  const scan = new ExpressionScan(expression);
  return scan.alternatives() && scan.isAtEnd ? scan.groups : undefined;
}

/** The highest number of a repetition that every library takes (RE_DUP_MAX of POSIX). */
const maxRepetitions = 255;

const inGroup = /\\[^1-9]|[^\\*+?{[()|^$]|\{(?![0-9])/sy;
const outside = /\\[^1-9]|[^\\*+?{[(|^$]|\{(?![0-9])/sy;

class ExpressionScan {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  groups = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    this.#at += match?.length ?? 0;
    return match;
  }

  /** Branches parted by |, none of them empty. */
  alternatives(): boolean {
    do if (!this.#branch()) return false;
    while (this.#take(/\|/y));
    return true;
  }

  #branch(): boolean {
    let pieces = 0;
    while (!this.isAtEnd && !/[|]/.test(this.#text[this.#at]!)) {
      if (this.#text[this.#at] === ')' && this.#depth > 0) break;
      if (!this.#piece()) return false;
      pieces++;
    }
    return pieces > 0;
  }

  #piece(): boolean {
    const isAnchor = this.#take(/[\^$]/y) !== undefined;
    if (!isAnchor && !this.#atom()) return false;
    const bound = this.#take(/[*+?]|\{[0-9]+(?:,[0-9]*)?\}/y);
    if (bound === undefined) return !this.#isBound();
    if (isAnchor || this.#isBound()) return false;
    const [low = 0, high = low] = (bound.match(/[0-9]+/g) ?? []).map(Number);
    return low <= high && high <= maxRepetitions;
  }

  /** Whether a repetition comes next. */
  #isBound(): boolean {
    return /^(?:[*+?]|\{[0-9])/.test(this.#text.slice(this.#at, this.#at + 2));
  }

  #atom(): boolean {
    // A brace that begins no bound, and a parenthesis that ends no group, stand for themselves.
    if (this.#take(this.#depth > 0 ? inGroup : outside)) return true;
    const reference = this.#take(/\\[1-9]/y);
    if (reference !== undefined) return Number(reference[1]) <= this.groups;
    if (this.#take(/\(/y)) {
      this.groups++;
      if (this.#take(/\)/y)) return true;
      this.#depth++;
      if (!this.alternatives()) return false;
      this.#depth--;
      return this.#take(/\)/y) !== undefined;
    }
    return this.#bracket();
  }

  /** A bracket expression; a ] that comes first stands for itself. */
  #bracket(): boolean {
    const bracket = this.#take(
      /\[(?:\^|(?!\^))(?:\[:[a-z]+:\]|[^[]|\[(?![:.=]))(?:\[:[a-z]+:\]|[^\][]|\[(?![:.=]))*\]/y,
    );
    if (bracket === undefined) return false;
    let rest = bracket.slice(1, -1).replace(/^\^/, '');
    let isBehindRange = false;
    while (rest !== '') {
      const [member, name, from, to] = bracketMember.exec(rest)!;
      rest = rest.slice(member.length);
      if (name !== undefined && (!classes.has(name) || /^-./s.test(rest))) return false;
      // named takes no range with a class or [ at its ends, and after a range no - before another byte.
      if (to !== undefined && (from! > to || from === '[' || to === '[')) return false;
      if (isBehindRange && member[0] === '-') return false;
      if (name === undefined && member !== '[') isBehindRange = to !== undefined;
    }
    return true;
  }
}

/** A class, a range or a byte of a bracket expression. */
const bracketMember = /^(?:\[:([a-z]+):\]|(.)-(.)|.)/s;

const classes: ReadonlySet<string> = new Set(
  'alnum alpha blank cntrl digit graph lower print punct space upper xdigit'.split(' '),
);
