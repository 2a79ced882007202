/**
 * The words at the start of an entry, before its RDATA: owner, TTL, class, type, and what follows a
 * directive. Words are kept as written, escapes included.
 */

export class Words {
  private readonly text: string;
  private at: number;

  constructor(text: string) {
    this.text = text;
    this.at = 0;
  }

  /** The next word, its quotes included when it is quoted; undefined at the end. */
  next(): string | undefined {
    const start = this.skipBlanks();
    if (start >= this.text.length) return undefined;
    const isQuoted = this.text[start] === '"';
    let end = start + 1;
    if (this.text[start] === '\\') end++;
    while (end < this.text.length) {
      const character = this.text[end]!;
      if (character === '"' || (!isQuoted && (character === ' ' || character === '\t'))) break;
      end += character === '\\' ? 2 : 1;
    }
    this.at = Math.min(isQuoted ? end + 1 : end, this.text.length);
    return this.text.slice(start, this.at);
  }

  /** All that has not been taken, without the blanks before it. */
  rest(): string {
    return this.text.slice(this.skipBlanks());
  }

  private skipBlanks(): number {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++;
    return this.at;
  }
}
