/** limits.md is true: every bound and every key of the configuration stands in it with its value. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { configKeys } from '../../src/daemon/config-keys.ts';
import { checkout } from '../support/test-titles.ts';

const page = readFileSync(join(checkout, 'spec/manual/limits.md'), 'utf8');

/** Cells of the rows that begin with a name in backquotes. */
const rows = new Map(
  [...page.matchAll(/^\| `([^`]+)`( \*)? \| (.*) \|$/gm)].map(([, name, star, rest]) => [
    name!,
    { isStarred: star !== undefined, cells: rest!.split(' | ') },
  ]),
);

describe('limits.md', () => {
  it.each(Object.entries(limits))('tells %s', (name, value) => {
    expect(rows.get(name)?.cells[0]).toBe(String(value));
  });

  it.each(configKeys)('tells $path', (key) => {
    expect(rows.get(key.path)).toEqual({
      isStarred: key.isReloaded === true,
      cells: [String(key.default ?? 'unset'), key.range, key.doc],
    });
  });

  it('tells of nothing else', () => {
    const names = [...Object.keys(limits), ...configKeys.map(({ path }) => path)];
    expect([...rows.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });
});
