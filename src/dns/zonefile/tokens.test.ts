/** Tokens of values: RFC 1035 5.1. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { octetsOfText, printQuoted, TokenError, tokenizeValue } from './tokens.ts';

function words(text: string): string[] {
  return tokenizeValue(text).map((token) => (token.quoted ? `<${token.text}>` : token.text));
}

describe('tokenizeValue', () => {
  it.each([
    ['', []],
    ['  a\tb ', ['a', 'b']],
    ['"a b" c "" "d\\"e"', ['<a b>', 'c', '<>', '<d\\"e>']],
    ['a\\ b \\;c \\"d \\(e', ['a\\ b', '\\;c', '\\"d', '\\(e']],
    ['a (b\r\n c) d', ['a', 'b', 'c', 'd']],
    ['(a(b)c)', ['a', 'b', 'c']],
    ['"a;b" "(" ")"', ['<a;b>', '<(>', '<)>']],
    ['ü', ['ü']],
    ['a\\\\ b', ['a\\\\', 'b']],
  ])('splits %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('says which tokens stand side by side', () => {
    const joined = tokenizeValue('alpn="h2" "a""b"').map((token) => token.joined);
    expect(joined).toEqual([false, true, false, true]);
  });

  it.each([
    '"a',
    'a\\',
    '"a\\',
    '(a',
    'a)',
    ')(',
    'a\nb',
    'a ; b',
    '; b',
    'a\x00',
    '\x01',
    'a\x7f',
  ])('refuses %j', (text) => {
    expect(() => tokenizeValue(text)).toThrow(TokenError);
  });

  it('ends on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        try {
          for (const token of tokenizeValue(text)) octetsOfText(token.text);
        } catch (error) {
          expect(error).toBeInstanceOf(TokenError);
        }
      }),
    );
  });
});

describe('octetsOfText and printQuoted', () => {
  it.each([
    ['a\\098c', 'abc'],
    ['\\"\\\\\\;', '"\\;'],
    ['\\000\\255', '\0\xff'],
    ['ü', '\xc3\xbc'],
    ['\\ü', '\xc3\xbc'],
  ])('resolves %j', (text, octets) => {
    expect(octetsOfText(text)).toBe(octets);
  });

  it.each(['\\256', '\\1', '\\12', '\\1a2', 'a\\'])('refuses %j', (text) => {
    expect(() => octetsOfText(text)).toThrow(TokenError);
  });

  it('are each other’s inverse for any octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const octets = Buffer.from(bytes).toString('latin1');
        const tokens = tokenizeValue(printQuoted(octets));
        expect(tokens.map((token) => octetsOfText(token.text))).toEqual([octets]);
      }),
    );
  });
});
