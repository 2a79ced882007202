import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../scripts/tidy/rooms.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'spec/ARCHITECTURE.md'), 'utf8');

/** Rows of the table of invariants: number and test files. */
const invariants = [...page.matchAll(/^\| (\d+) \| .* \| (.*) \|$/gm)].map(([, number, files]) => ({
  number: Number(number),
  files: [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!),
}));

describe('the page on architecture', () => {
  it('numbers the invariants from 1 on', () => {
    expect(invariants.map(({ number }) => number)).toEqual(invariants.map((_, index) => index + 1));
    expect(invariants.length).toBeGreaterThanOrEqual(8);
  });

  it.each(invariants)('names tests of invariant $number that carry it in their title', (row) => {
    expect(row.files.length).toBeGreaterThan(0);
    for (const file of row.files) {
      const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
      expect([file, text.includes(`invariant ${row.number}:`)]).toEqual([file, true]);
    }
  });

  it('names the rooms that there are, in their order', () => {
    const named = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, room]) => room);
    const known = rooms.map(({ name }) => name);
    const there = known.filter((name) => existsSync(join(root, 'src', name)));
    expect(named.filter((name) => known.includes(name!))).toEqual(there);
  });

  it('lists the cases in their order, 1 to 95 and more, once each', () => {
    const cases = readFileSync(join(root, 'spec/tests/cases.md'), 'utf8');
    const numbers = [...cases.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(numbers.slice(0, 95)).toEqual(Array.from({ length: 95 }, (_, index) => index + 1));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});
