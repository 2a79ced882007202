/**
 * Builds the real ExternalDNS controller, and the source that feeds it, from the controller's Go module.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtWithGo, moduleSources, type RunGo } from '../go.ts';

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
  // Built as its own module: of its requirements only what it was released with is looked at.
  const module = await moduleSources(go, 'sigs.k8s.io/external-dns', version, folder);
  mkdirSync(join(module, 'zonebook-source'));
  copyFileSync(join(import.meta.dirname, 'source.go'), join(module, 'zonebook-source/main.go'));
  await go(['build', '-o', join(folder, programs.controller), '.'], module);
  await go(['build', '-o', join(folder, programs.source), './zonebook-source'], module);
  rmSync(module, { recursive: true });
}
