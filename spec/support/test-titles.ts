/** Titles of tests, read from their source: for pages that name the tests which prove them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** `it('title', () =>`, and what stands behind the braces of `it.each` and `needsPeers`. */
const titlePattern =
  /(?:\b(?:it|describe)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:async\s*)?\(/g;

/** What `it`, `describe` and their kin are called with, in one file. */
export function titlesIn(source: string): string[] {
  return [...source.matchAll(titlePattern)].map(([, , title]) => title!.replaceAll("\\'", "'"));
}

/** The titles of every test file, by its path in the checkout. */
export function titlesByFile(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const folder of ['spec', 'src']) {
    const entries = readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
      const path = join(entry.parentPath, entry.name);
      found.set(relative(checkout, path), titlesIn(readFileSync(path, 'utf8')));
    }
  }
  return found;
}
