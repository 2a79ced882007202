/**
 * Builds the real ExternalDNS controller and the source that feeds it from the controller's Go module: once for
 * each version, into the user's cache folder, where every checkout finds them.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findGo } from '../go.ts';

/** The release that is tried: of April 2026, and it builds with Go 1.26. */
export const externalDnsVersion = 'v0.21.0';

/** The two programs, as they are called on PATH. */
export const programs = { controller: 'external-dns', source: 'external-dns-source' } as const;

/**
 * The folder of the programs. Downloads some hundred modules and compiles for minutes the first time; rejects
 * when there is no Go, or what it needs can not be had.
 */
export async function buildController(version = externalDnsVersion): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const parent = join(cache, 'zonebook/external-dns');
  const folder = join(parent, version);
  const isBuilt = () => existsSync(join(folder, programs.source));
  if (isBuilt()) return folder;
  const go = findGo();
  if (go === undefined) throw new Error('there is no Go toolchain on this machine');
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'building-'));
  try {
    await build(go, version, made);
    // Whoever has built them meanwhile has built the same.
    if (!isBuilt()) renameSync(made, folder);
    return folder;
  } catch (error) {
    if (isBuilt()) return folder;
    throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

async function build(go: string, version: string, folder: string): Promise<void> {
  const asked = ['mod', 'download', '-json', `sigs.k8s.io/external-dns@${version}`];
  const { Dir } = JSON.parse(await run(go, asked, folder));
  // Built as its own module: of its requirements only what it was released with is looked at.
  const module = join(folder, 'module');
  cpSync(Dir, module, { recursive: true });
  makeWritable(module);
  mkdirSync(join(module, 'zonebook-source'));
  copyFileSync(join(import.meta.dirname, 'source.go'), join(module, 'zonebook-source/main.go'));
  await run(go, ['build', '-o', join(folder, programs.controller), '.'], module);
  await run(go, ['build', '-o', join(folder, programs.source), './zonebook-source'], module);
  rmSync(module, { recursive: true });
}

/** Go keeps its modules read-only. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

/** What a program prints; rejects with what it complains of when it fails. */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${said}`));
    });
  });
}
