import { chownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type BackupNote,
  backupNoteName,
  LastBackup,
  readBackupNote,
  writeBackupNote,
} from './backup-note.ts';
import { openDatabase, type WritableDatabase } from './database.ts';

let dataDir: string;
let database: WritableDatabase;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'zonebook-note-'));
  database = openDatabase(dataDir, { checkpoints: 'own' });
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Of a database without events. */
const note: BackupNote = { at: 1_700_000_000_000, file: 'a.db', bytes: 4096, seq: 0, hash: '00' };

it('what is written is read back, with the name of the file alone', () => {
  writeBackupNote(dataDir, { ...note, file: '/backups/a.db' });
  expect(readBackupNote(dataDir, database.connection)).toEqual(note);
});

it('belongs to whom the folder belongs to, and nobody else can read it', () => {
  if (process.getuid?.() === 0) chownSync(dataDir, 65_534, 65_533);
  writeBackupNote(dataDir, note);
  const folder = statSync(dataDir);
  const { uid, gid, mode } = statSync(join(dataDir, backupNoteName));
  expect([uid, gid, mode & 0o777]).toEqual([folder.uid, folder.gid, 0o600]);
});

it('no link is followed', () => {
  const other = join(dataDir, 'other');
  writeFileSync(other, 'kept');
  const path = join(dataDir, backupNoteName);
  symlinkSync(other, path);
  symlinkSync(other, `${path}.${process.pid}`);
  writeBackupNote(dataDir, note);
  expect(statSync(other).size).toBe(4);
  expect(readBackupNote(dataDir, database.connection)).toEqual(note);
});

it('is looked for at most every three seconds', () => {
  const lastBackup = new LastBackup(dataDir, database.connection);
  expect(lastBackup.note(0)).toBeUndefined();
  writeBackupNote(dataDir, note);
  expect(lastBackup.note(2999)).toBeUndefined();
  expect(lastBackup.note(3000)).toEqual(note);
  writeBackupNote(dataDir, { ...note, file: 'second.db' });
  expect(lastBackup.note(5000)?.file).toBe('a.db');
  expect(lastBackup.note(6000)?.file).toBe('second.db');
  rmSync(join(dataDir, backupNoteName));
  expect(lastBackup.note(9000)).toBeUndefined();
});
