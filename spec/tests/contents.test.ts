/** Long pages say what is in them, and say it right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, withContents } from '../../scripts/contents.ts';
import { checkout } from '../support/test-titles.ts';

it.each(pages(checkout))('%s has the contents that `npm run contents` writes', (path) => {
  const text = readFileSync(join(checkout, path), 'utf8');
  expect(withContents(text)).toBe(text);
});
