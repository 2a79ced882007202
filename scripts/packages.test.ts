import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageFindings } from './packages.ts';

const root = join(import.meta.dirname, '..');
let project = '';

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'zonebook-packages-'));
  put('', { trustedDependencies: ['node'] });
  put('node_modules/node', { name: 'node', version: '26.10.0', scripts: { preinstall: 'x' } });
  put('node_modules/a/node_modules/esbuild', { name: 'esbuild', scripts: { postinstall: 'x' } });
  put('node_modules/a', { name: 'a', version: '1.0.0', scripts: { test: 'x' } });
});
afterEach(() => rmSync(project, { recursive: true }));

function put(folder: string, manifest: object): void {
  mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, folder, 'package.json'), JSON.stringify(manifest));
}

it('finds nothing where only known packages have a script', () => {
  expect(packageFindings(project)).toEqual([]);
});

it.each(['preinstall', 'install', 'postinstall'])('finds another %s, however deep', (script) => {
  const folder = 'node_modules/a/node_modules/@b/c';
  put(folder, { name: '@b/c', version: '2.0.0', scripts: { [script]: 'node report.js' } });
  expect(packageFindings(project)).toEqual([`@b/c 2.0.0 (${folder}) has a ${script} script`]);
});

it('finds a helper that reports to others, but not what stands in its place', () => {
  const folder = 'node_modules/@scarf/scarf';
  put(folder, { name: '@scarf/scarf', version: '1.4.0' });
  expect(packageFindings(project)).toEqual([`@scarf/scarf 1.4.0 (${folder}) reports to others`]);
  put(folder, { name: '@scarf/scarf', version: '0.0.0' });
  expect(packageFindings(project)).toEqual([]);
});

it('finds a package whose script was let run', () => {
  put('', { trustedDependencies: ['node', 'esbuild'] });
  expect(packageFindings(project)).toEqual(['package.json trusts esbuild to run its script']);
});

it('the lock file has nothing in the place of the helper that came with Swagger UI', () => {
  const lock = readFileSync(join(root, 'bun.lockb'), 'latin1');
  expect(lock).toContain('scripts/packaging/nothing');
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(overrides).toEqual({ '@scarf/scarf': 'file:./scripts/packaging/nothing' });
  const folder = join(root, 'scripts/packaging/nothing');
  const nothing = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(nothing).toMatchObject({ name: '@scarf/scarf', version: '0.0.0' });
  expect(nothing.scripts).toBeUndefined();
});
