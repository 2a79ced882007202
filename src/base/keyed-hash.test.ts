import { expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.ts';

/** Those that came with the function: of the bytes 0, 1, 2 and so on, none at first, with the key 0 to 7. */
const published = [
  'a9359f5b',
  '27475ab8',
  'fa62a603',
  '8afee704',
  '2a6e4689',
  'c5fab669',
  '5863fc23',
  '8bcf63c5',
];

function hexOf(hash: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(hash);
  return bytes.toString('hex');
}

it('gives what its authors published', () => {
  const hashes = published.map((_, length) => {
    const text = String.fromCharCode(...Array.from({ length }, (_each, byte) => byte));
    return hexOf(keyedHash(0x03020100, 0x07060504, text));
  });
  expect(hashes).toEqual(published);
});

it('takes each bit of both halves of the key into account', () => {
  const hashes = new Set<number>();
  for (let bit = 0; bit < 32; bit++) {
    hashes.add(keyedHash(1 << bit, 0, 'www\0'));
    hashes.add(keyedHash(0, 1 << bit, 'www\0'));
  }
  expect(hashes.size).toBe(64);
});
