/** Programs of others that are built with Go to be tried here, once for a machine. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface GoProject {
  readonly name: string;
  readonly version: string;
  /** The program that is built last. */
  readonly program: string;
  /** Builds into a folder; `go` runs the toolchain and returns what it prints. */
  build(folder: string, go: RunGo): Promise<void>;
}

export type RunGo = (
  args: readonly string[],
  cwd: string,
  env?: NodeJS.ProcessEnv,
) => Promise<string>;

/**
 * The folder of a project's programs, in the user's cache folder, where every checkout finds them. Downloads some
 * hundred modules and compiles for minutes the first time; rejects when there is no Go, or what it needs can not be
 * had. Where peers are not required only what was built before is found.
 */
export async function builtWithGo({ name, version, program, build }: GoProject): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const parent = join(cache, 'zonebook', name);
  const folder = join(parent, version);
  const isBuilt = () => existsSync(join(folder, program));
  if (isBuilt()) return folder;
  if (process.env.REQUIRE_PEERS !== '1') {
    throw new Error(`${name} was not built: REQUIRE_PEERS=1 node scripts/peers.ts`);
  }
  const go = findGo();
  if (go === undefined) throw new Error('there is no Go toolchain on this machine');
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'building-'));
  try {
    await build(made, (args, cwd, env) => run(go, args, cwd, env));
    // Whoever has built it meanwhile has built the same.
    if (!isBuilt()) renameSync(made, folder);
    return folder;
  } catch (error) {
    if (isBuilt()) return folder;
    throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** On PATH or where its own installer puts it; undefined when there is none. */
function findGo(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'];
  return folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path));
}

/** What a program prints; rejects with what it complains of when it fails. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
