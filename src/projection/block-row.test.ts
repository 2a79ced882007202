import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '..');

/** Who may select records or identities: what compares their checksums, and the digests of a rebuild. */
const readers = {
  block: ['projection/block-row.ts', 'projection/rebuild.ts'],
  event_delta: ['journal/delta-row.ts'],
};

/** How drizzle calls them. */
const typedNames = { block: 'block', event_delta: 'eventDelta' };

/** What is selected from a table wherever that is done, by the file it stands in. */
function selectsFrom(pattern: RegExp): { path: string; columns: string }[] {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const programs = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return programs.flatMap((path) => {
    const selects = readFileSync(join(source, path), 'utf8').matchAll(pattern);
    return [...selects].map(({ groups }) => ({ path, columns: groups!.columns! }));
  });
}

function sqlFrom(table: string): RegExp {
  return new RegExp(`SELECT\\b(?<columns>(?:(?!SELECT)[^;])*?)\\bFROM\\s+${table}\\b`, 'g');
}

/** A typed query, with all that stands between its `select(` and its `from(`. */
function typedFrom(table: string): RegExp {
  return new RegExp(
    `\\.select\\((?<columns>(?:(?!select\\()[^;])*?)\\)\\s*\\.from\\(${table}\\b`,
    'g',
  );
}

it.each(['block', 'event_delta'] as const)(
  'case 119: nobody reads records of the table %s but by way of their checksums',
  (table) => {
    const selects = selectsFrom(sqlFrom(table));
    expect(selects.length).toBeGreaterThan(2);
    const others = selects.filter(({ path }) => !readers[table].includes(path));
    // Keys, counts and lengths are no records; a text that is put together may hold anything.
    const unchecked = others.filter(({ columns }) =>
      /\b(?:records|ids)\b|\*(?!\))|\$\{/.test(columns.replaceAll('length(records)', '')),
    );
    expect(unchecked).toEqual([]);
    const typed = selectsFrom(typedFrom(typedNames[table]));
    // Without columns it would be all of them.
    expect(
      typed.filter(({ columns }) => columns === '' || /\b(?:records|ids)\b/.test(columns)),
    ).toEqual([]);
  },
);
