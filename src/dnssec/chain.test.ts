import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NameKey } from '../dns/name.ts';
import { relink, type StoredChain } from './chain.ts';

function chainOf(names: readonly string[]): StoredChain {
  const sorted = [...names].sort() as NameKey[];
  return {
    before: (owner) => sorted.findLast((name) => owner === undefined || name < owner),
    next: (owner) => sorted[(sorted.indexOf(owner) + 1) % sorted.length]!,
  };
}

function linksOf(names: readonly string[]): Map<string, string> {
  const chain = chainOf(names);
  return new Map(names.map((name) => [name, chain.next(name as NameKey)]));
}

const names = fc.uniqueArray(fc.stringMatching(/^[a-h]$/), { minLength: 1 });

describe('relink', () => {
  it('finds exactly the names whose next name differs', () => {
    fc.assert(
      fc.property(names, names, (before, after) => {
        const joining = after.filter((name) => !before.includes(name)) as NameKey[];
        const leaving = before.filter((name) => !after.includes(name)) as NameKey[];
        const kept = before.some((name) => after.includes(name));
        fc.pre(kept || joining.length > 0);
        const old = linksOf(before);
        const expected = [...linksOf(after)].filter(
          ([name, next]) => old.get(name) !== next || joining.includes(name as NameKey),
        );
        const found = [...relink(chainOf(before), joining, leaving)].filter(
          ([name, next]) => old.get(name) !== next || joining.includes(name),
        );
        expect(new Map(found)).toEqual(new Map(expected));
      }),
      { numRuns: 2000 },
    );
  });

  it('touches only neighbours', () => {
    const chain = chainOf(['a', 'c', 'e', 'g']);
    const links = relink(chain, ['d' as NameKey], []);
    expect(links).toEqual(
      new Map([
        ['c', 'd'],
        ['d', 'e'],
      ]),
    );
  });
});
