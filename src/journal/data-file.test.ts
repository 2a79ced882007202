import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { createFile, removePartial } from './data-file.ts';

/** Whether the file system has links. */
const links = vi.hoisted(() => ({ areThere: true }));
vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  const linkSync: typeof real.linkSync = (from, to) => {
    if (!links.areThere) throw Object.assign(new Error('no links'), { code: 'EPERM' });
    real.linkSync(from, to);
  };
  return { ...real, linkSync };
});

let folder: string;
let path: string;
beforeEach(() => {
  links.areThere = true;
  folder = temporaryFolder();
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([true, false])('makes a file where none is, and only there (links: %s)', (areThere) => {
  links.areThere = areThere;
  writeFileSync(`${path}.new`, 'left by a process that was killed');
  createFile(path, 'first');
  expect(() => createFile(path, 'second')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['file']);
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
