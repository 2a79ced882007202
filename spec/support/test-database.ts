/** Databases with nothing in them but the tables of today: copies, as it takes five times as long to make tables. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile, openDatabase, type WritableDatabase } from '../../src/journal/database.ts';

let empty: Buffer | undefined;

function emptyDatabase(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-empty-'));
  try {
    openDatabase(folder).close();
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
