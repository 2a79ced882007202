/** Links between pages and to their headings lead somewhere, named files exist, and README leads to every page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { rooms } from '../../scripts/tidy/rooms.ts';
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

/** Headings as a link names them: `#a-database-that-was-taken-back`. */
function headingsOf(page: string): Set<string> {
  const text = readFileSync(join(checkout, page), 'utf8');
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase());
  return new Set(titles.map((title) => title.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-')));
}

it.each(pages)('%s links to headings that there are', (page) => {
  const text = readFileSync(join(checkout, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g)];
  const lost = links.filter(([, path, heading]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path!));
    return !headingsOf(target).has(heading!);
  });
  expect(lost.map(([link]) => link)).toEqual([]);
});

it('every page can be found from README', () => {
  const found = new Set(['README.md']);
  for (const page of found) {
    for (const target of linksOf(page)) if (pages.includes(target)) found.add(target);
  }
  const lost = pages.filter((page) => !found.has(page) && !page.startsWith('spec/decisions/'));
  expect(lost).toEqual([]);
});

/** Names in backquotes of what is in a folder of the checkout, or in a room: `writer/client.ts`. */
const roomNames = rooms.map(({ name }) => name).join('|');
const named = new RegExp(`\`((?:src|spec|scripts|fixtures|drizzle|${roomNames})/[\\w./-]+)\``, 'g');

/** Checklists name files that are yet to be made; a decision that was replaced names files that it removed. */
function namesOnlyWhatThereIs(page: string): boolean {
  const isChecklist = /^spec\/(?:CONTRIBUTING\.md|contributing\/)/.test(page);
  return !isChecklist && !readFileSync(join(checkout, page), 'utf8').includes('**Replaced by');
}

it.each(pages.filter(namesOnlyWhatThereIs))('%s names files that there are', (page) => {
  const names = [...readFileSync(join(checkout, page), 'utf8').matchAll(named)].map(
    ([, name]) => name!,
  );
  const lost = names.filter((name) => {
    return !['', 'src'].some((folder) => existsSync(join(checkout, folder, name)));
  });
  expect(lost).toEqual([]);
});
