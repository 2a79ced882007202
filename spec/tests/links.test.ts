/** Links between pages lead somewhere, and every page can be found from README. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../support/test-titles.ts';

const inSpec = readdirSync(join(checkout, 'spec'), { recursive: true, encoding: 'utf8' });
const pages = ['README.md', ...inSpec.map((path) => join('spec', path))].filter((path) =>
  path.endsWith('.md'),
);

/** Files that a page links to, from the top of the checkout. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(checkout, page), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => normalize(join(dirname(page), target)));
}

it.each(pages)('%s links to what there is', (page) => {
  expect(linksOf(page).filter((target) => !existsSync(join(checkout, target)))).toEqual([]);
});

it('every page can be found from README', () => {
  const found = new Set(['README.md']);
  for (const page of found) {
    for (const target of linksOf(page)) if (pages.includes(target)) found.add(target);
  }
  const lost = pages.filter((page) => !found.has(page) && !page.startsWith('spec/decisions/'));
  expect(lost).toEqual([]);
});
