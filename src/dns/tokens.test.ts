/** Tokens of values: RFC 1035 5.1. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printQuoted, resolveEscapes, TokenError, Tokens, tokensOfValue } from './tokens.ts';

interface Token {
  readonly text: string;
  readonly quoted: boolean;
  readonly joined: boolean;
}

/** All that is known of the tokens of a value; their texts are bytes, one character each. */
function tokensOf(value: string, into?: Tokens): Token[] {
  const tokens = tokensOfValue(value, into);
  return Array.from({ length: tokens.count }, (_, index) => ({
    text: tokens.bytes.latin1Slice(tokens.startOf(index), tokens.endOf(index)),
    quoted: tokens.isQuoted(index),
    joined: tokens.isJoined(index),
  }));
}

function words(value: string): string[] {
  return tokensOf(value).map(({ text, quoted }) => (quoted ? `<${text}>` : text));
}

describe('tokensOfValue', () => {
  it.each([
    ['', []],
    ['  a\tb ', ['a', 'b']],
    ['"a b" c "" "d\\"e"', ['<a b>', 'c', '<>', '<d\\"e>']],
    ['a\\ b \\;c \\"d \\(e', ['a\\ b', '\\;c', '\\"d', '\\(e']],
    ['a (b\r\n c) d', ['a', 'b', 'c', 'd']],
    ['(a(b)c)', ['a', 'b', 'c']],
    ['"a;b" "(" ")"', ['<a;b>', '<(>', '<)>']],
    ['ü', ['\xc3\xbc']],
    ['a\\\\ b', ['a\\\\', 'b']],
  ])('splits %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('says which tokens stand side by side', () => {
    const joined = tokensOf('alpn="h2" "a""b"').map((token) => token.joined);
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
    expect(() => tokensOfValue(text)).toThrow(TokenError);
  });

  it('ends on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        try {
          for (const token of tokensOf(text)) resolveEscapes(token.text);
        } catch (error) {
          expect(error).toBeInstanceOf(TokenError);
        }
      }),
    );
  });
});

describe('tokens that held another value before', () => {
  it('are those of the new value alone, also after one that was refused', () => {
    const piece = fc.constantFrom('a', ' ', '"', '(', ')', '\\n', ';', '\\\\', 'b c', '"d"');
    const value = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const read = (text: string, tokens?: Tokens) => {
      try {
        return tokensOf(text, tokens);
      } catch (error) {
        return (error as TokenError).message;
      }
    };
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 4 }), (values) => {
        const tokens = new Tokens();
        for (const text of values) expect(read(text, tokens)).toEqual(read(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('resolveEscapes and printQuoted', () => {
  it.each([
    ['a\\098c', 'abc'],
    ['\\"\\\\\\;', '"\\;'],
    ['\\000\\255', '\0\xff'],
    ['\xc3\xbc', '\xc3\xbc'],
    ['\\\xc3\xbc', '\xc3\xbc'],
  ])('resolves %j', (text, bytes) => {
    expect(resolveEscapes(text)).toBe(bytes);
  });

  it.each(['\\256', '\\1', '\\12', '\\1a2', 'a\\'])('refuses %j', (text) => {
    expect(() => resolveEscapes(text)).toThrow(TokenError);
  });

  it('are each other’s inverse for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (given) => {
        const bytes = Buffer.from(given).toString('latin1');
        const tokens = tokensOf(printQuoted(bytes));
        expect(tokens.map((token) => resolveEscapes(token.text))).toEqual([bytes]);
      }),
    );
  });
});
