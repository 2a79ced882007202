/**
 * Chunks of a file as octets: text becomes UTF-8. A surrogate pair may be split between two chunks;
 * half of a pair that stays alone becomes NUL, which no file may hold, so that its line is refused
 * instead of changed.
 */
import { fileLimits } from './file-limits.ts';

/** A converter for the chunks of one file; it is called with undefined after the last one. */
export function textOctets(): (chunk: Uint8Array | string | undefined) => Generator<Buffer> {
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
      const splitsPair = isFirstHalf(part.charCodeAt(part.length - 1));
      held = splitsPair ? part.slice(-1) : '';
      yield encode(splitsPair ? part.slice(0, -1) : part);
    }
  };
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function encode(text: string): Buffer {
  const whole = text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, '\0');
  return Buffer.from(whole, 'utf8');
}
