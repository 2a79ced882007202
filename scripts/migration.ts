/**
 * Makes the next migration from the tables: drizzle-kit writes it, and this adds what drizzle-kit does
 * not know: STRICT tables, and no rowid where rows are small and have a key of their own.
 *
 * Usage: npm run migration -- NAME
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const withoutRowid = new Set([
  'catalog_change',
  'catalog_member',
  'counter',
  'desired_rrset',
  'former_name',
  'nsec3_owner',
  'search_key',
  'stage_place',
  'transfer',
]);
const name = process.argv[2];
if (name === undefined) throw new Error('usage: npm run migration -- NAME');

const before = new Set(readdirSync('drizzle'));
const config = ['--config', 'scripts/drizzle.config.ts', '--name', name];
execFileSync('drizzle-kit', ['generate', ...config], { stdio: 'inherit' });
for (const file of readdirSync('drizzle')) {
  if (before.has(file) || !file.endsWith('.sql')) continue;
  const sql = readFileSync(`drizzle/${file}`, 'utf8');
  const strict = sql.replace(/CREATE TABLE `(\w+)` \([\s\S]*?\n\);/g, (statement, table) => {
    const options = withoutRowid.has(table) ? 'STRICT, WITHOUT ROWID' : 'STRICT';
    return `${statement.slice(0, -1)} ${options};`;
  });
  writeFileSync(`drizzle/${file}`, strict);
}
