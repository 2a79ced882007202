import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shareOfSuite } from './suite-share.ts';

const cwd = join(import.meta.dirname, '..');
const all = globSync('{src,spec,scripts}/**/*.test.ts', { cwd }).toSorted();

it('is the same for the same seed, and all in four seeds that follow each other', () => {
  expect(shareOfSuite(all, 41)).toEqual(shareOfSuite(all, 41));
  const four = new Set([41, 42, 43, 44].flatMap((seed) => shareOfSuite(all, seed)));
  expect([...four].toSorted()).toEqual(all);
});

it('leaves costly files out, and no others', () => {
  for (const seed of [0, 1, 2, 3]) {
    const taken = new Set(shareOfSuite(all, seed));
    const left = all.filter((path) => !taken.has(path));
    expect(left.length).toBeGreaterThan(50);
    expect(left.filter((path) => !path.startsWith('spec/'))).toEqual([]);
    expect(left.filter((path) => path.startsWith('spec/properties/'))).toEqual([]);
  }
});
