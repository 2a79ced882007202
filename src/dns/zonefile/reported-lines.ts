/**
 * Lines about a file, `line 12: ...`, of which only a number is kept and all are counted.
 */

/** Why an entry is refused; the message is one clause for people. */
export class ZoneFileError extends Error {
  override readonly name = 'ZoneFileError';
}

export class ReportedLines {
  readonly lines: string[] = [];
  /** All of them, kept or not. */
  count = 0;
  private readonly maxLines: number;

  constructor(maxLines: number) {
    this.maxLines = maxLines;
  }

  /** Line 0: what came without lines. */
  add(line: number, message: string): void {
    this.count++;
    if (this.lines.length >= this.maxLines) return;
    this.lines.push(line === 0 ? message : `line ${line}: ${message}`);
  }
}
