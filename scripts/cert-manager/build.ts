/** Builds the code by which cert-manager answers DNS challenges with RFC 2136, from its Go module. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtWithGo, moduleSources, type RunGo } from '../go.ts';

/** The release that is tried. */
export const certManagerVersion = 'v1.21.2';
const program = 'cert-manager-challenge';

/** The folder of the program `cert-manager-challenge` (challenge.go). */
export function buildCertManager(): Promise<string> {
  return builtWithGo({ name: 'cert-manager', version: certManagerVersion, program, build });
}

async function build(folder: string, go: RunGo): Promise<void> {
  const module = await moduleSources(
    go,
    'github.com/cert-manager/cert-manager',
    certManagerVersion,
    folder,
  );
  mkdirSync(join(module, 'zonebook-challenge'));
  copyFileSync(
    join(import.meta.dirname, 'challenge.go'),
    join(module, 'zonebook-challenge/main.go'),
  );
  await go(['build', '-o', join(folder, program), './zonebook-challenge'], module);
  rmSync(module, { recursive: true });
}
