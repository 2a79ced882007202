/**
 * Lines about a file, `line 12: ...`, of which only so many are kept and all are counted.
 */

export class Findings {
  readonly lines: string[] = [];
  /** All of them, listed or not. */
  count = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** Line 0: what came without lines. */
  add(line: number, message: string): void {
    this.count++;
    if (this.lines.length < this.most)
      this.lines.push(line === 0 ? message : `line ${line}: ${message}`);
  }
}
