/**
 * The migrations that drizzle-kit has written into drizzle/, and drizzle's own way to apply them.
 *
 * drizzle reads them from a folder, which the executable does not have, so that they are read here: in
 * the form and with the digests of drizzle's own reader (a test compares the two).
 */
import { createHash } from 'node:crypto';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import type { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { readAsset } from '../base/assets.ts';
import { addChecksumFunctions } from './checksum.ts';
import type { Connection } from './sqlite.ts';

/** Where drizzle notes what it has applied. */
export const migrationsTable = '__drizzle_migrations';

interface Listing {
  readonly entries: readonly {
    readonly tag: string;
    readonly when: number;
    readonly breakpoints: boolean;
  }[];
}

/** All of them, oldest first. */
export function knownMigrations(): MigrationMeta[] {
  const listing: Listing = JSON.parse(readAsset('drizzle/meta/_journal.json').toString());
  return listing.entries.map(({ tag, when, breakpoints }) => {
    const text = readAsset(`drizzle/${tag}.sql`).toString();
    return {
      sql: text.split('--> statement-breakpoint'),
      bps: breakpoints,
      folderMillis: when,
      hash: createHash('sha256').update(text).digest('hex'),
    };
  });
}

/** Applies those that are newer than what the database has, all or none. */
export function applyMigrations(connection: Connection, migrations: MigrationMeta[]): void {
  // What drizzle's migrate() does behind its reading of the folder; its types leave these out.
  const { dialect, session } = drizzle(connection) as unknown as {
    readonly dialect: SQLiteSyncDialect;
    readonly session: Parameters<SQLiteSyncDialect['migrate']>[1];
  };
  addChecksumFunctions(connection);
  dialect.migrate(migrations, session, { migrationsFolder: '', migrationsTable });
}
