import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '..');

/** Who may select records or identities: what compares their checksums, and the digests of a rebuild. */
const readers = {
  block: ['projection/block-row.ts', 'projection/rebuild.ts'],
  event_delta: ['journal/delta-row.ts'],
};

/** Every SELECT from a table, by the file it stands in, with what it selects. */
function selectsFrom(table: string): { path: string; columns: string }[] {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const programs = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return programs.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const selects = text.matchAll(
      new RegExp(`SELECT\\b(?<columns>(?:(?!SELECT)[^;])*?)\\bFROM\\s+${table}\\b`, 'g'),
    );
    return [...selects].map(({ groups }) => ({ path, columns: groups!.columns! }));
  });
}

it.each(['block', 'event_delta'] as const)(
  'case 119: nobody reads records of the table %s but by way of their checksums',
  (table) => {
    const selects = selectsFrom(table);
    expect(selects.length).toBeGreaterThan(2);
    const others = selects.filter(({ path }) => !readers[table].includes(path));
    // Keys, counts and lengths are no records; a text that is put together may hold anything.
    const unchecked = others.filter(({ columns }) =>
      /\b(?:records|ids)\b|\*(?!\))|\$\{/.test(columns.replaceAll('length(records)', '')),
    );
    expect(unchecked).toEqual([]);
  },
);
