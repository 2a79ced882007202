/**
 * conformance.md is true: every test it names exists under that title, every clause has a proof or
 * a reason, and every numbered case of the wire is some test's.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout, titlesByFile, titlesIn } from '../support/test-titles.ts';

const page = readFileSync(join(checkout, 'spec/tests/conformance.md'), 'utf8');
const titles = titlesByFile();

/** The rows of the tables, as their cells. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Clause') && !/^\| -/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

/** A test is a file or a folder in backquotes, with a title behind it in quotes. */
const named = [...page.matchAll(/`((?:spec|src)\/[^`]*)` "([^"]+)"/g)].map(([, path, title]) => ({
  path: path!,
  title: title!,
}));

describe('titles', () => {
  it('are found in every form that tests have', () => {
    const source = `
      it('plain', () => {});
      it('it\\'s quoted', async () => {});
      it.each(['a'])('each %s', (one) => {});
      it.each([
        [1],
      ])(
        \`behind braces\`, async ({ one }) => {});
      needsPeers('dig')('with peers', () => {});
      socket.on('message', (bytes) => {});
    `;
    expect(titlesIn(source)).toEqual([
      'plain',
      "it's quoted",
      'each %s',
      'behind braces',
      'with peers',
    ]);
  });
});

describe('conformance.md', () => {
  it('is read whole', () => {
    const sections = [...page.matchAll(/^## (RFC \d+)/gm)].map(([, rfc]) => rfc);
    expect(sections).toEqual(
      [
        1995, 1996, 2136, 4034, 4035, 5155, 5936, 6781, 6891, 7314, 7344, 7766, 7873, 8078, 8914,
        8945, 9432,
      ].map((rfc) => `RFC ${rfc}`),
    );
    expect(rows.length).toBeGreaterThan(100);
    for (const row of rows) {
      expect(row, row.join(' | ')).toHaveLength(3);
      for (const cell of row) expect(cell.trim(), row.join(' | ')).not.toBe('');
    }
  });

  it.each(named)('$path: $title', ({ path, title }) => {
    const found = path.endsWith('/')
      ? [...titles].filter(([file]) => file.startsWith(path)).flatMap(([, some]) => some)
      : (titles.get(path) ?? []);
    const matches = path.endsWith('/')
      ? found.some((one) => one.includes(title))
      : found.includes(title);
    expect(matches, `${path} has no test "${title}"`).toBe(true);
  });

  it('names no file that is not there', () => {
    for (const [, path] of page.matchAll(/`((?:spec|src)\/[^`]*)`/g)) {
      expect(existsSync(join(checkout, path!)), path).toBe(true);
    }
  });
});

describe('the cases', () => {
  /** Numbers that titles name: `case 3`, `cases 24, 33`, `cases 35 to 37`. */
  const numbers = new Set<number>();
  for (const title of [...titles.values()].flat()) {
    for (const [, list] of title.matchAll(/\bcases? ((?:\d+(?:, | and | to )?)+)/gi)) {
      for (const [, first, last] of list!.matchAll(/(\d+)(?: to (\d+))?/g)) {
        for (let at = Number(first); at <= Number(last ?? first); at++) numbers.add(at);
      }
    }
  }
  const range = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at);

  it('each have a test that names its number', () => {
    expect(range(1, 95).filter((number) => !numbers.has(number))).toEqual([]);
  });
});
