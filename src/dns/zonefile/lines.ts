/**
 * Lines of a file that comes in chunks: the bytes between line ends (LF or CR LF), numbered from 1.
 *
 * A line inside one chunk is a range of that chunk; only one that crosses a border is copied. A
 * byte-order mark of UTF-8 before the first line is passed over, the last line needs no line end.
 * A line over the limit is reported as too long and without its bytes.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { fileLimits } from './zone-file.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);
/** Room to begin with for a line that crosses a border. */
const usualBytes = 4096;

export class Lines {
  /** The current line: `start` to `end` of `bytes`, until the next call. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  number = 0;
  isTooLong = false;
  /** False while no byte 0 has come, so that lines need not be looked through. */
  mayHoldNul = false;

  private chunk: Buffer = Buffer.alloc(0);
  private at = 0;
  private readonly held = new ByteWriter(usualBytes);
  private isOverflowed = false;

  /** Gives the next chunk; all lines of the one before have been taken. */
  feed(chunk: Buffer): void {
    this.chunk = chunk;
    this.at = 0;
    this.mayHoldNul ||= chunk.includes(0);
  }

  /** Goes to the next whole line of the chunk; false when there is none, and the rest is kept. */
  next(): boolean {
    const lineEnd = this.chunk.indexOf(lineFeed, this.at);
    if (lineEnd < 0) {
      this.hold(this.chunk.length);
      return false;
    }
    if (this.held.length === 0 && !this.isOverflowed) {
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
    if (this.held.length === 0 && !this.isOverflowed) return false;
    this.showHeld();
    return true;
  }

  private hold(end: number): void {
    if (this.held.length + end - this.at > fileLimits.entryBytes) {
      this.held.length = 0;
      this.isOverflowed = true;
    }
    if (!this.isOverflowed) this.held.add(this.chunk.subarray(this.at, end));
    this.at = end;
  }

  private showHeld(): void {
    const { length } = this.held;
    this.held.length = 0;
    this.show(this.held.buffer, 0, length);
    if (this.isOverflowed) this.isTooLong = true;
    this.isOverflowed = false;
  }

  private show(bytes: Buffer, start: number, end: number): void {
    this.number++;
    this.isTooLong = end - start > fileLimits.entryBytes;
    this.bytes = bytes;
    this.start = start;
    this.end = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (this.number > 1 || this.end - start < byteOrderMark.length) return;
    if (byteOrderMark.equals(bytes.subarray(start, start + byteOrderMark.length))) this.start += 3;
  }
}

/**
 * A converter for the chunks of one file, called with undefined after the last one: text becomes UTF-8. A
 * surrogate pair may be split between two chunks; half of a pair that stays alone becomes NUL, which no file
 * may hold, so that its line is refused instead of changed.
 */
export function chunkBytes(): (chunk: Uint8Array | string | undefined) => Generator<Buffer> {
  let held = '';
  return function* (chunk) {
    if (chunk === undefined || typeof chunk !== 'string') {
      if (held !== '') yield encode(held);
      held = '';
      if (chunk !== undefined) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      return;
    }
    let at = 0;
    while (at < chunk.length) {
      const part = held + chunk.slice(at, at + fileLimits.textCharacters);
      at += fileLimits.textCharacters;
      const splitsPair = isHighSurrogate(part.charCodeAt(part.length - 1));
      held = splitsPair ? part.slice(-1) : '';
      yield encode(splitsPair ? part.slice(0, -1) : part);
    }
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function encode(text: string): Buffer {
  const whole = text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, '\0');
  return Buffer.from(whole, 'utf8');
}
