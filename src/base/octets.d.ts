/**
 * Node's direct conversions between octets and strings of one character an octet. They do what
 * `toString('latin1')` and `write(text, at, 'latin1')` do, without looking the encoding up each time.
 */
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset?: number, length?: number): number;
  }
}

export {};
