/**
 * Writes the contents of every long page, between `<!-- contents -->` and `<!-- /contents -->` below its title.
 *
 * Usage: npm run contents
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines above which a page says what is in it. */
const longPage = 140;

const block = /<!-- contents -->\n[\s\S]*?<!-- \/contents -->\n\n/;

/** Pages that people read from top to bottom or look something up in; decisions are one page each. */
export function pages(root: string): string[] {
  return globSync(['spec/*.md', 'spec/manual/**/*.md', 'spec/decisions/README.md'], { cwd: root });
}

/** A page with the contents it should have. */
export function withContents(text: string): string {
  const plain = text.replace(block, '');
  if (plain.split('\n').length <= longPage) return plain;
  const headings = [...plain.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^## (.+)$/gm)];
  const lines = headings.map(([, title]) => `- [${title}](#${anchorOf(title!)})`);
  const contents = ['<!-- contents -->', ...lines, '<!-- /contents -->', '', ''].join('\n');
  return plain.replace(/^## /m, `${contents.replaceAll('$', '$$$$')}## `);
}

/** The anchor that a heading has where Markdown is shown. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  for (const path of pages(root)) {
    const text = readFileSync(join(root, path), 'utf8');
    const wanted = withContents(text);
    if (wanted === text) continue;
    writeFileSync(join(root, path), wanted);
    console.log(path);
  }
}
