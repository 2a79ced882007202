import { spawnSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FaultyDisk } from '../../spec/support/faulty-disk.ts';
import { needsPeers } from '../../spec/support/peers.ts';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { openKeyFile } from './sealing.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'keys.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Has a process make the key file, on a disk that may fail. With `isKilled` it is killed before it writes. */
function makeInProcess(isKilled: boolean, env: Readonly<Record<string, string>> = {}) {
  const source = JSON.stringify(join(import.meta.dirname, 'sealing.ts'));
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    if (${isKilled}) fs.writeFileSync = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
    const { openKeyFile } = await import(${source});
    try { openKeyFile(${JSON.stringify(path)}, { mayCreate: true }); }
    catch (error) { console.log(error.code ?? error.message); }`;
  const args = ['--input-type=module', '-e', program];
  const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, signal, said: stdout + stderr };
}

it('makes a key that is the same from then on, for nobody else to read', () => {
  const sealed = openKeyFile(path, { mayCreate: true }).seal(Buffer.from('secret'), 'test');
  expect(openKeyFile(path, { mayCreate: true }).open(sealed, 'test').toString()).toBe('secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['keys.key']);
});

it('makes the key when whoever began it was killed before its bytes were there', () => {
  expect(makeInProcess(true).signal).toBe('SIGKILL');
  const sealed = openKeyFile(path, { mayCreate: true }).seal(Buffer.from('secret'), 'test');
  expect(openKeyFile(path).open(sealed, 'test').toString()).toBe('secret');
  expect(readdirSync(folder)).toEqual(['keys.key']);
});

needsPeers('cc')('a disk that fails', () => {
  it.each([{ write: 'ENOSPC' }, { sync: 'EIO' }] as const)('leaves nothing: %j', (faults) => {
    using disk = new FaultyDisk(folder);
    disk.fail(faults);
    expect(makeInProcess(false, disk.env).said).toContain(Object.values(faults)[0]);
    expect(readdirSync(folder)).toEqual([]);
    disk.recover();
    expect(makeInProcess(false, disk.env)).toMatchObject({ status: 0, said: '' });
    expect(readdirSync(folder)).toEqual(['keys.key']);
  });
});

it('keeps a key that is there, and removes the second name of one whose maker was killed', () => {
  openKeyFile(path, { mayCreate: true });
  const text = readFileSync(path, 'utf8');
  linkSync(path, `${path}.new`);
  openKeyFile(path, { mayCreate: true });
  expect(readdirSync(folder)).toEqual(['keys.key']);
  expect(readFileSync(path, 'utf8')).toBe(text);
  writeFileSync(path, '');
  expect(() => openKeyFile(path, { mayCreate: true })).toThrow(/does not hold 32 bytes/);
  expect(readFileSync(path, 'utf8')).toBe('');
});
