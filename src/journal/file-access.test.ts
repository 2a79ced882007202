import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

const uses = {
  serve: '(dataDir) => { openDatabase(dataDir).close(); readEpochFile(dataDir); }',
  read: '(dataDir) => openReader(dataDir + "/zonebook.db").close()',
  look: '(dataDir) => absenceOf(dataDir + "/zonebook.db", dataDir + "/keys.key")',
  open: '(dataDir) => openKeyFile(dataDir + "/keys.key", { mayCreate: true })',
};

/** Uses a data folder as the user; prints `open` or the error. */
function openAsUser(use: keyof typeof uses = 'serve', dataDir = folder): string {
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    const { openDatabase, openReader } = await import(${source('database.ts')});
    const { readEpochFile } = await import(${source('epoch-file.ts')});
    const { absenceOf } = await import(${source('unusable.ts')});
    const { openKeyFile } = await import(${source('../keystore/sealing.ts')});
    const { openSqlite } = await import(${source('sqlite.ts')});
    openSqlite(':memory:').close();
    if (process.getuid() === 0) process.setuid(${other});
    try {
      (${uses[use]})(${JSON.stringify(dataDir)});
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

it('names the file of SQLite beside the database or the lock that somebody else has', () => {
  for (const [name, use] of [
    ['zonebook.db-wal', 'serve'],
    ['zonebook.db-shm', 'serve'],
    ['zonebook.lock-journal', 'serve'],
    ['zonebook.db-wal', 'read'],
    ['zonebook.db-shm', 'read'],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, '', { mode: 0 });
    chownSync(path, user, -1);
    expect([name, openAsUser(use)]).toEqual([
      name,
      expect.stringContaining(`AccessError: user ${user} may not read and write ${path}, which`),
    ]);
    rmSync(path);
  }
});

it('names the folder that lets nobody in, or in which the data folder can not be made', () => {
  const inside = join(folder, 'inside', 'data');
  mkdirSync(inside, { recursive: true });
  const closed = join(folder, 'inside');
  chmodSync(closed, 0);
  chownSync(closed, user, -1);
  for (const use of ['serve', 'read', 'look', 'open'] as const) {
    expect([use, openAsUser(use, inside)]).toEqual([
      use,
      expect.stringContaining(`AccessError: user ${user} may not look into ${closed}, which`),
    ]);
  }
  chmodSync(closed, 0o500);
  const missing = join(closed, 'other', 'data');
  expect(openAsUser('serve', missing)).toContain(
    `AccessError: user ${user} may not make files in ${closed}, which`,
  );
  expect(openAsUser('serve', missing)).toContain(`make ${missing} as another user`);
  chmodSync(closed, 0o700);
});

it('names a key file that can not be read, or made', () => {
  const path = join(folder, 'keys.key');
  chmodSync(folder, 0o500);
  expect(openAsUser('open')).toContain(`user ${user} may not make files in ${folder}, which`);
  chmodSync(folder, 0o700);
  writeFileSync(path, 'x', { mode: 0 });
  chownSync(path, user, -1);
  expect(openAsUser('open')).toContain(`user ${user} may not read ${path}, which`);
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
