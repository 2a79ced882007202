/** The page names every event that the program logs under a name of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../support/test-titles.ts';

const page = readFileSync(join(checkout, 'spec/manual/operations/README.md'), 'utf8');
const source = join(checkout, 'src');

it('every event is on the page', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const programs = files.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const events = new Set<string>();
  for (const path of programs) {
    const text = readFileSync(join(source, path), 'utf8');
    for (const [, name] of text.matchAll(/\b[lL]og\??\.\w+\(\s*'([a-z-]+\.[a-z-]+)'/g))
      events.add(name!);
  }
  expect(events.size).toBeGreaterThan(20);
  expect([...events].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
