import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../../spec/support/encode-message.ts';
import { WireError } from '../error.ts';
import { decodeMessage } from './decode.ts';

function corpus(file: string): [title: string, bytes: Buffer][] {
  const text = readFileSync(new URL(`../../../fixtures/wire/${file}`, import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [title, hex] = line.split(' | ');
    return [title!, Buffer.from(hex!, 'hex')];
  });
}

describe('messages that have to be read', () => {
  it.each(corpus('valid.txt'))('%s', (_, bytes) => {
    const message = decodeMessage(bytes);
    const again = encodeMessage(message);
    // An OPT record of another version is read without its options, so only its meaning comes back.
    expect(decodeMessage(again)).toEqual(
      message.tsig === undefined
        ? message
        : { ...message, tsig: { ...message.tsig, offset: expect.any(Number) } },
    );
  });
});

describe('case 60: messages that are refused', () => {
  it.each(corpus('refused.txt'))('%s', (_, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(WireError);
  });
});
