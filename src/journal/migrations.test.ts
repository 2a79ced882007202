import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { expect, it } from 'vitest';
import { applyMigrations, knownMigrations, migrationsTable } from './migrations.ts';
import { openSqlite } from './sqlite.ts';

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

it('reads migrations as drizzle does', () => {
  expect(knownMigrations()).toEqual(readMigrationFiles({ migrationsFolder }));
});

it('applies each once', () => {
  using stack = new DisposableStack();
  const connection = openSqlite(':memory:');
  stack.defer(() => connection.close());
  const applied = () => connection.prepare(`SELECT hash FROM ${migrationsTable}`).pluck().all();
  const [first, ...others] = knownMigrations();
  applyMigrations(connection, [first!]);
  expect(applied()).toEqual([first!.hash]);
  applyMigrations(connection, [first!, ...others]);
  applyMigrations(connection, [first!, ...others]);
  expect(applied()).toEqual([first!, ...others].map(({ hash }) => hash));
});
