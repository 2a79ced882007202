/**
 * One entry of a master file (RFC 1035 5.1) as a single line of text: comments are gone, line ends
 * and parentheses have become blanks. Quotes and escapes stay as written, and so do characters beyond
 * ASCII: strings take them, names do not. Octets of a line that is no UTF-8 have become `\DDD`, so that
 * none is lost.
 *
 * Refused, once for each entry: a quote or an escape that is open at the end of a line, a closing
 * parenthesis too many, control characters outside quotes, and NUL anywhere, comments included.
 */
import { isUtf8 } from 'node:buffer';
import { fileLimits } from './file-limits.ts';
import { OctetStore } from './octet-store.ts';

const tab = 0x09;
const space = 0x20;
const quote = 0x22;
const opening = 0x28;
const closing = 0x29;
const semicolon = 0x3b;
const backslash = 0x5c;
const deleteCharacter = 0x7f;

const lineFeed = 0x0a;

export class EntryText {
  /** Number of the line where the entry begins. */
  line = 0;
  text = '';
  /** Why the entry is refused; the first reason only. */
  refusal: string | undefined;
  /** Parentheses that are open at the end of the line that was added last. */
  depth = 0;
  /** All lines of an entry that is open, as they were, for reading them again. */
  private readonly raw = new OctetStore();

  begin(line: number): void {
    this.line = line;
    this.text = '';
    this.refusal = undefined;
    this.depth = 0;
    this.raw.clear();
  }

  get isOpen(): boolean {
    return this.depth > 0;
  }

  /** True when the entry would pass its limit with another line of so many octets. */
  isFull(octets: number): boolean {
    return this.raw.length + octets + 1 > fileLimits.entryOctets;
  }

  /** The lines so far, each with its line end; a copy. */
  rawLines(): Buffer {
    return Buffer.from(this.raw.view());
  }

  /** Adds one line, without its line end. */
  addLine(octets: Buffer, start: number, end: number): void {
    const line = textOf(octets, start, end);
    if (line.includes('\0')) this.refuse('has an octet 0 (NUL)');
    if (this.text !== '') this.text += ' ';
    this.text += this.cleaned(line);
    if (this.depth > 0) {
      this.raw.append(octets, start, end);
      this.raw.appendOctet(lineFeed);
    }
  }

  private cleaned(line: string): string {
    let text = '';
    let taken = 0;
    let quoted = false;
    let at = 0;
    for (; at < line.length; at++) {
      const code = line.charCodeAt(at);
      let instead: string;
      if (code === backslash) {
        at++;
        continue;
      }
      if (code === quote) {
        quoted = !quoted;
        continue;
      }
      if (quoted) continue;
      if (code === opening || code === closing) {
        this.depth += code === opening ? 1 : -1;
        instead = ' ';
      } else if (code === semicolon) {
        break;
      } else {
        if ((code < space && code !== tab) || code === deleteCharacter) {
          this.refuse('has a control character outside quotes (write it as \\DDD)');
        }
        continue;
      }
      if (this.depth < 0) {
        this.depth = 0;
        this.refuse('has a closing parenthesis without an opening one');
      }
      text += line.slice(taken, at) + instead;
      taken = at + 1;
    }
    if (at > line.length) this.refuse('ends in a backslash');
    if (quoted) this.refuse('has a quote that is not closed on its line');
    return taken === 0 && at === line.length ? line : text + line.slice(taken, at);
  }

  private refuse(reason: string): void {
    this.refusal ??= reason;
  }
}

/** An escaped octet needs no other escape: the backslash before it makes way for the one of the \DDD. */
function textOf(octets: Buffer, start: number, end: number): string {
  const line = octets.latin1Slice(start, end);
  if (!/[\x80-\xff]/.test(line)) return line;
  if (isUtf8(octets.subarray(start, end))) return octets.toString('utf8', start, end);
  return line.replace(/\\.|[\x80-\xff]/gs, (match) => {
    const code = match.charCodeAt(match.length - 1);
    return code > deleteCharacter ? `\\${code}` : match;
  });
}
