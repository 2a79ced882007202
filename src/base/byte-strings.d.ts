/**
 * Node's direct conversions between bytes and strings. They do what `toString('latin1')`,
 * `write(text, at, 'latin1')` and `write(text, at)` do, without looking the encoding up each time.
 */
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset?: number, length?: number): number;
    utf8Write(text: string, offset?: number, length?: number): number;
  }
}

export {};
