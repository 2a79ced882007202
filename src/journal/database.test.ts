import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { DatabaseError, openDatabase, openReader } from './database.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

/** Opens a data folder in another process; prints `open` or the error. */
function openElsewhere(folder: string): string {
  const program = `
    const { openDatabase } = await import(${JSON.stringify(join(import.meta.dirname, 'database.ts'))});
    try { openDatabase(${JSON.stringify(folder)}).close(); console.log('open'); }
    catch (error) { console.log(error.name + ': ' + error.message); }`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stdout.trim() || stderr;
}

describe('the database', () => {
  it('is made with its folder, which only its owner may enter', () => {
    const folder = join(newFolder(), 'deep/data');
    const database = openDatabase(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(database.file).mode & 0o777).toBe(0o600);
    expect(database.file).toBe(join(folder, 'zonebook.db'));
    expect(database.connection.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(database.connection.pragma('synchronous', { simple: true })).toBe(2);
    expect(database.connection.pragma('recursive_triggers', { simple: true })).toBe(1);
    database.close();
    openDatabase(folder).close();
  });

  it('invariant 12: is open in one process at a time, and free again when that one ends', () => {
    const folder = newFolder();
    const database = openDatabase(folder);
    expect(openElsewhere(folder)).toMatch(/^InUseError: .* is in use by another/);
    expect(() => openDatabase(folder)).toThrow(DatabaseError);
    database.close();
    expect(openElsewhere(folder)).toBe('open');
  });

  it('says which file is none', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'zonebook.db'), 'this is a text, '.repeat(400));
    expect(() => openDatabase(folder)).toThrow(/zonebook\.db is damaged \(.*not a database/);
    // The lock was let go with the failure.
    rmSync(join(folder, 'zonebook.db'));
    openDatabase(folder).close();
  });

  it('can not be written through a reader', () => {
    const database = openDatabase(newFolder());
    const reader = openReader(database.file);
    expect(() => reader.exec('DELETE FROM zone')).toThrow(/readonly/);
    reader.close();
    database.close();
  });
});
