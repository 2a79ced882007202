/** Which characters of a value are others. */
import { expect, it } from 'vitest';
import { changedParts } from './changed-part.ts';

function marked(from: string, to: string) {
  const parts = changedParts(from, to);
  return parts && [from.slice(...parts[0]), to.slice(...parts[1])];
}

it('finds what stands between the same beginning and the same end', () => {
  expect(marked('192.0.2.1', '192.0.2.22')).toEqual(['1', '22']);
  expect(marked('10 mail.example.', '20 mail.example.')).toEqual(['1', '2']);
  expect(marked('v=spf1 -all', 'v=spf1 mx -all')).toEqual(['', 'mx ']);
  expect(marked('aaa', 'aa')).toEqual(['a', '']);
});

it('finds nothing where all is the same, or nothing is', () => {
  expect(marked('a', 'a')).toBeUndefined();
  expect(marked('abc', 'xyz')).toBeUndefined();
  expect(marked('', 'a')).toBeUndefined();
});

it('cuts no character in two', () => {
  expect(marked('a\u{1F600}b', 'a\u{1F601}b')).toEqual(['\u{1F600}', '\u{1F601}']);
  expect(marked('a\u{1F600}', 'a\u{2F600}')).toEqual(['\u{1F600}', '\u{2F600}']);
});
