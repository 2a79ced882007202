/**
 * Databases with nothing in them but the tables of today: copies, as it takes five times as long to make tables. All of
 * them cut blocks by one key, so that what a test has found is found again.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile, openDatabase, type WritableDatabase } from '../../src/journal/database.ts';
import { cutBy } from '../../src/projection/block-cut.ts';

const blockKey = Buffer.from('ofatest.');

/** Where blocks begin in these databases. */
export const testCut = cutBy(blockKey);

let empty: Buffer | undefined;

function emptyDatabase(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-empty-'));
  try {
    const database = openDatabase(folder);
    database.connection.prepare('UPDATE block_cut SET key = ?').run(blockKey);
    database.close();
    return readFileSync(join(folder, databaseFile));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The database of a folder, a new one where there is none. */
export function openTestDatabase(folder: string): WritableDatabase {
  const file = join(folder, databaseFile);
  if (!existsSync(file)) {
    empty ??= emptyDatabase();
    writeFileSync(file, empty, { mode: 0o600 });
  }
  return openDatabase(folder);
}
