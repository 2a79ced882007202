/**
 * Lines of a file that comes in chunks: the octets between line ends (LF or CR LF), numbered from 1.
 *
 * A line inside one chunk is a place in that chunk; only one that crosses a border is copied. A
 * byte-order mark of UTF-8 before the first line is passed over, the last line needs no line end.
 * A line over the limit is handed over as too long and without its octets.
 */
import { fileLimits } from './file-limits.ts';
import { OctetStore } from './octet-store.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

export class Lines {
  /** The current line: octets `start` to `end` of `octets`, until the next call. */
  octets: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  number = 0;
  tooLong = false;

  private chunk: Buffer = Buffer.alloc(0);
  private at = 0;
  private readonly held = new OctetStore();
  private overflowed = false;

  /** Gives the next chunk; all lines of the one before have been taken. */
  feed(chunk: Buffer): void {
    this.chunk = chunk;
    this.at = 0;
  }

  /** Goes to the next whole line of the chunk; false when there is none, and the rest is kept. */
  next(): boolean {
    const lineEnd = this.chunk.indexOf(lineFeed, this.at);
    if (lineEnd < 0) {
      this.hold(this.chunk.length);
      return false;
    }
    if (this.held.length === 0 && !this.overflowed) {
      this.show(this.chunk, this.at, lineEnd);
    } else {
      this.hold(lineEnd);
      this.showHeld();
    }
    this.at = lineEnd + 1;
    return true;
  }

  /** Goes to the line after the last line end; false when the file ended in one. */
  last(): boolean {
    if (this.held.length === 0 && !this.overflowed) return false;
    this.showHeld();
    return true;
  }

  private hold(end: number): void {
    if (this.held.length + end - this.at > fileLimits.entryOctets) {
      this.held.clear();
      this.overflowed = true;
    }
    if (!this.overflowed) this.held.append(this.chunk, this.at, end);
    this.at = end;
  }

  private showHeld(): void {
    const octets = this.held.view();
    this.held.clear();
    this.show(octets, 0, octets.length);
    if (this.overflowed) this.tooLong = true;
    this.overflowed = false;
  }

  private show(octets: Buffer, start: number, end: number): void {
    this.number++;
    this.tooLong = end - start > fileLimits.entryOctets;
    this.octets = octets;
    this.start = start;
    this.end = end > start && octets[end - 1] === carriageReturn ? end - 1 : end;
    if (this.number === 1 && byteOrderMark.equals(octets.subarray(start, start + 3))) {
      this.start += 3;
    }
  }
}
