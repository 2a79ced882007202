import fs, {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { createFile, removePartial } from './data-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'file');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

/** Makes the file system one that has no links. */
function forbidLinks() {
  const failure = Object.assign(new Error('no links'), { code: 'EPERM' });
  const spy = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw failure;
  });
  syncBuiltinESMExports();
  return spy;
}

it.each([true, false])('makes a file where none is, and only there (links: %s)', (areThere) => {
  const links = areThere ? undefined : forbidLinks();
  writeFileSync(`${path}.new`, 'left by a process that was killed');
  createFile(path, 'first');
  expect(() => createFile(path, 'second')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['file']);
  if (!areThere) expect(links).toHaveBeenCalledTimes(2);
});

it('removes the second name that a file has left of its making', () => {
  createFile(path, 'first');
  linkSync(path, `${path}.new`);
  removePartial(path);
  expect(readdirSync(folder)).toEqual(['file']);
  removePartial(path);
  expect(readFileSync(path, 'utf8')).toBe('first');
});

it('makes nothing where it can not be written', () => {
  mkdirSync(`${path}.new`);
  expect(() => createFile(path, 'first')).toThrow();
  expect(readdirSync(folder)).toEqual(['file.new']);
});
