import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInShare } from './suite-share.ts';

const cwd = join(import.meta.dirname, '..');
const all = globSync('{src,spec,scripts}/**/*.test.ts', { cwd }).toSorted();
const takenBy = (seed: number) => all.filter((path) => isInShare(path, seed));

it('is the same for the same seed, and all in four seeds that follow each other', () => {
  expect(takenBy(41)).toEqual(takenBy(41));
  const four = new Set([41, 42, 43, 44].flatMap(takenBy));
  expect([...four].toSorted()).toEqual(all);
});

it('leaves costly files out, and no others', () => {
  for (const seed of [0, 1, 2, 3]) {
    const taken = new Set(takenBy(seed));
    const left = all.filter((path) => !taken.has(path));
    expect(left.length).toBeGreaterThan(50);
    expect(left.filter((path) => !path.startsWith('spec/'))).toEqual([]);
    expect(left.filter((path) => path.startsWith('spec/properties/'))).toEqual([]);
  }
});
