/** Name patterns against a model that compares lists of labels, over all names of up to four labels of three. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyFromLabels } from '../../dns/name.ts';
import {
  coversPattern,
  coversSubtree,
  matchesName,
  parseNamePattern,
  storedNamePattern,
} from './pattern.ts';

type Labels = readonly string[];

/** A pattern as it is typed, and the labels that a name has to begin or end with. */
interface Written {
  readonly kind: 'any' | 'subtree' | 'leading' | 'exact';
  readonly labels: Labels;
  readonly text: string;
}

/** No pattern names the last one: it stands for all others. */
const labels = ['a', 'b', 'other'];
const names: readonly Labels[] = [0, 1, 2, 3, 4].flatMap(ofDepth);

function ofDepth(depth: number): Labels[] {
  if (depth === 0) return [[]];
  return ofDepth(depth - 1).flatMap((rest) => labels.map((label) => [label, ...rest]));
}

const named = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 });
const written: fc.Arbitrary<Written> = fc.oneof(
  fc.constantFrom<Written[]>(
    { kind: 'any', labels: [], text: '*' },
    { kind: 'exact', labels: [], text: '@' },
  ),
  named.map((some) => ({ kind: 'exact' as const, labels: some, text: some.join('.') })),
  named.map((some) => ({ kind: 'subtree' as const, labels: some, text: `*.${some.join('.')}` })),
  named.map((some) => ({ kind: 'leading' as const, labels: some, text: `${some.join('.')}.**` })),
);

function modelMatches({ kind, labels: wanted }: Written, name: Labels): boolean {
  if (kind === 'any') return true;
  if (name.length < wanted.length || (kind === 'exact' && name.length > wanted.length))
    return false;
  const skipped = kind === 'subtree' ? name.length - wanted.length : 0;
  return wanted.every((label, index) => name[skipped + index] === label);
}

const keyOf = (name: Labels) => keyFromLabels(name);
const patternOf = ({ text }: Written) => parseNamePattern(text).pattern;

describe('the model of name patterns', () => {
  it('matches the same names', () => {
    fc.assert(
      fc.property(written, (one) => {
        const matched = names.filter((name) => matchesName(patternOf(one), keyOf(name)));
        expect(matched).toEqual(names.filter((name) => modelMatches(one, name)));
      }),
    );
  });

  it('covers a pattern whose names it all matches, and no other', () => {
    fc.assert(
      fc.property(written, written, (one, other) => {
        const all = names.every((name) => !modelMatches(other, name) || modelMatches(one, name));
        expect(coversPattern(patternOf(one), patternOf(other))).toBe(all);
      }),
      { numRuns: 1000 },
    );
  });

  it('covers a name with all below it when it matches them all, and not otherwise', () => {
    fc.assert(
      fc.property(
        written,
        fc.constantFrom(...names.filter(({ length }) => length <= 2)),
        (one, top) => {
          const below = names.filter(
            (name) => name.slice(name.length - top.length).join() === top.join(),
          );
          const all = below.every((name) => name.length < top.length || modelMatches(one, name));
          expect(coversSubtree(patternOf(one), keyOf(top))).toBe(all);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('name patterns', () => {
  it.each([
    ['**.a', 'exact', ['**', 'a']],
    ['a.**.b', 'exact', ['a', '**', 'b']],
    ['*.**', 'subtree', ['**']],
    ['a.**', 'leading', ['a']],
  ])('of grants from before ** stood for labels are read as stored: %s', (text, kind, parts) => {
    expect(storedNamePattern(text)).toEqual({ kind, name: keyFromLabels(parts) });
    if (kind !== 'leading') expect(() => parseNamePattern(text)).toThrow('has ** elsewhere');
  });

  it('read back from their normal form as the same pattern', () => {
    const anyLabel = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 6 });
    const escaped = (label: string) =>
      [...label].map((byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`).join('');
    const bytes = fc
      .tuple(
        fc.constantFrom('', '*.'),
        fc.constantFrom('', '.**'),
        fc.array(anyLabel, { minLength: 1, maxLength: 3 }),
      )
      .filter(([before, after]) => before === '' || after === '')
      .map(([before, after, parts]) => `${before}${parts.map(escaped).join('.')}${after}`);
    fc.assert(
      fc.property(
        fc.oneof(
          written.map(({ text }) => text),
          bytes,
        ),
        (text) => {
          const { pattern: read, normal } = parseNamePattern(text);
          expect(parseNamePattern(normal)).toEqual({ pattern: read, normal });
        },
      ),
    );
  });

  it.each([
    ['*', 'a.b', true],
    ['@', '', true],
    ['@', 'www', false],
    ['*.sub', 'sub', true],
    ['*.sub', 'a.b.sub', true],
    ['*.sub', 'xsub', false],
    ['*.SUB', 'A.sub', true],
    ['www', 'www', true],
    ['www', 'a.www', false],
    ['\\*', '*', true],
    ['\\*', 'www', false],
    ['\\*.sub', '*.sub', true],
    ['\\*.sub', 'a.sub', false],
    ['_acme-challenge.**', '_acme-challenge', true],
    ['_acme-challenge.**', '_acme-challenge.a.b', true],
    ['_ACME-challenge.**', '_acme-CHALLENGE.a', true],
    ['_acme-challenge.**', 'a._acme-challenge', false],
    ['_acme-challenge.**', 'x_acme-challenge', false],
    ['_acme-challenge.**', '', false],
    ['a.b.**', 'a.b.c', true],
    ['a.b.**', 'a.c', false],
    ['a.b.**', 'b', false],
    ['\\*.**', '*.a', true],
    ['\\*.**', 'a', false],
    ['a.\\**', 'a.**', true],
    ['a.\\**', 'a.b', false],
  ])('%s on %s: %s', (written, name, matches) => {
    const key = keyFromLabels(name === '' ? [] : name.split('.'));
    expect(matchesName(parseNamePattern(written).pattern, key)).toBe(matches);
  });

  it.each(['', 'www.', '*.', 'a..b', '.', 'x'.repeat(64), 'a\\'])('refuse %s', (written) => {
    expect(() => parseNamePattern(written)).toThrow('record_name_pattern');
  });

  it.each(['**', '**.a', 'a.**.b', 'a.**.**', '*.**', '*.a.**', 'a.**.'])(
    'refuse %s with the rule of **',
    (written) => {
      expect(() => parseNamePattern(written)).toThrow(
        `record_name_pattern: '${written}' has ** elsewhere than at its end`,
      );
    },
  );
});
