/** Builds the real controller and the source that feeds it, once for each version, into dist/. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { findGo } from '../go.ts';

const root = join(import.meta.dirname, '../..');

export interface Binaries {
  readonly controller: string;
  readonly source: string;
}

/** Downloads some hundred modules and compiles for minutes; Go and dist/ keep what comes of it. */
export function buildController(version: string): Binaries {
  const folder = join(root, 'dist/external-dns', version);
  const binaries = { controller: join(folder, 'controller'), source: join(folder, 'source') };
  if (existsSync(binaries.controller) && existsSync(binaries.source)) return binaries;
  const go = findGo();
  if (go === undefined) throw new Error('there is no Go toolchain on this machine');
  mkdirSync(folder, { recursive: true });
  const run = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(go, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`go ${args.join(' ')}:\n${stdout}${stderr}`);
    return stdout;
  };
  const { Dir } = JSON.parse(
    run(folder, 'mod', 'download', '-json', `sigs.k8s.io/external-dns@${version}`),
  );
  // Built as its own module: of its requirements only what it was released with is looked at.
  const module = join(folder, 'module');
  rmSync(module, { recursive: true, force: true });
  cpSync(Dir, module, { recursive: true });
  makeWritable(module);
  mkdirSync(join(module, 'zonebook-source'));
  copyFileSync(join(import.meta.dirname, 'source.go'), join(module, 'zonebook-source/main.go'));
  run(module, 'build', '-o', binaries.controller, '.');
  run(module, 'build', '-o', binaries.source, './zonebook-source');
  rmSync(module, { recursive: true });
  return binaries;
}

/** Go keeps its modules read-only. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}
