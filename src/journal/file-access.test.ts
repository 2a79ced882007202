import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { openDatabase } from './database.ts';
import { accessErrorOf, requireAccess } from './file-access.ts';

/** Of Debian's `nobody`: root may do anything, and nothing can be tried as root. */
const other = 65_534;
const user = process.getuid!() === 0 ? other : process.getuid!();

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  openDatabase(folder).close();
  writeFileSync(join(folder, 'epoch'), '{"epoch":0,"seq":0}');
  for (const name of readdirSync(folder)) chownSync(join(folder, name), user, -1);
  chownSync(folder, user, -1);
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the database and reads the epoch file as the user; prints `open` or the error. */
function openAsUser(): string {
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    const { openDatabase } = await import(${source('database.ts')});
    const { readEpochFile } = await import(${source('epoch-file.ts')});
    const { openSqlite } = await import(${source('sqlite.ts')});
    openSqlite(':memory:').close();
    if (process.getuid() === 0) process.setuid(${other});
    try {
      openDatabase(${JSON.stringify(folder)}).close();
      readEpochFile(${JSON.stringify(folder)});
      console.log('open');
    } catch (error) { console.log(error.name + ': ' + error.message); }`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stdout.trim() || stderr;
}

it('names the file that somebody else has, the epoch file too', () => {
  expect(openAsUser()).toBe('open');
  for (const [name, use] of [
    ['zonebook.lock', 'read and write'],
    ['zonebook.db', 'read and write'],
    ['epoch', 'read'],
  ] as const) {
    const path = join(folder, name);
    const { mode } = statSync(path);
    chmodSync(path, 0);
    expect(openAsUser()).toContain(
      `AccessError: user ${user} may not ${use} ${path}, which belongs to user ${user} and has mode 0000`,
    );
    chmodSync(path, mode);
  }
});

it('names a folder in which no socket and no WAL can be made', () => {
  chmodSync(folder, 0o500);
  expect(openAsUser()).toContain(`AccessError: user ${user} may not make files in ${folder}`);
});

it('says of a file system that can only be read that it is that', () => {
  const error = accessErrorOf({ code: 'EROFS' }, folder, 'make files in');
  expect(error?.message).toContain(`the file system of ${folder} can only be read: mount it`);
  expect(accessErrorOf({ code: 'ENOENT' }, folder, 'read')).toBeUndefined();
  requireAccess(join(folder, 'nothing'), 'read');
});
