/** Databases as a kill leaves them: a copy of the files as they are, opened beside the one who goes on writing. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSqlite } from '../../src/journal/sqlite.ts';

/** The numbers of the table `kept` that who opens the files after a kill finds; the file is whole. */
export function keptAfterKill(file: string): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-killed-'));
  const copy = join(folder, 'copy.db');
  for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
  const connection = openSqlite(copy);
  try {
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
    return connection.prepare('SELECT number FROM kept ORDER BY number').pluck().all() as number[];
  } finally {
    connection.close();
    rmSync(folder, { recursive: true });
  }
}
