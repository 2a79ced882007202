/**
 * Builds the real ExternalDNS controller, and the source that feeds it, from the controller's Go module.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtWithGo, type RunGo } from '../go.ts';

/** The release that is tried: of April 2026, and it builds with Go 1.26. */
export const externalDnsVersion = 'v0.21.0';

/** The two programs, as they are called on PATH. */
export const programs = { controller: 'external-dns', source: 'external-dns-source' } as const;

/** The folder of the programs (`builtWithGo`). */
export function buildController(version = externalDnsVersion): Promise<string> {
  return builtWithGo({
    name: 'external-dns',
    version,
    program: programs.source,
    build: (folder, go) => build(go, version, folder),
  });
}

async function build(go: RunGo, version: string, folder: string): Promise<void> {
  const asked = ['mod', 'download', '-json', `sigs.k8s.io/external-dns@${version}`];
  const { Dir } = JSON.parse(await go(asked, folder));
  // Built as its own module: of its requirements only what it was released with is looked at.
  const module = join(folder, 'module');
  cpSync(Dir, module, { recursive: true });
  makeWritable(module);
  mkdirSync(join(module, 'zonebook-source'));
  copyFileSync(join(import.meta.dirname, 'source.go'), join(module, 'zonebook-source/main.go'));
  await go(['build', '-o', join(folder, programs.controller), '.'], module);
  await go(['build', '-o', join(folder, programs.source), './zonebook-source'], module);
  rmSync(module, { recursive: true });
}

/** Go keeps its modules read-only. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}
