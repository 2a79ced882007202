/** Programs of others that Debian lacks, made once for a machine. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Project {
  readonly name: string;
  readonly version: string;
  /** The program that is there when all is, below the folder. */
  readonly program: string;
  /** Makes it in a folder, which is moved to its place afterwards. */
  build(folder: string): Promise<void> | void;
}

/**
 * The folder of a project's programs, in the user's cache folder, where every checkout finds them. Rejects when what it
 * needs can not be had. Where peers are not required only what was built before is found.
 */
export async function builtOnce({ name, version, program, build }: Project): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const parent = join(cache, 'zonebook', name);
  const folder = join(parent, version);
  const isBuilt = () => existsSync(join(folder, program));
  if (isBuilt()) return folder;
  if (process.env.REQUIRE_PEERS !== '1') {
    throw new Error(`${name} was not built: REQUIRE_PEERS=1 npm run peers`);
  }
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'building-'));
  try {
    await build(made);
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

/** What a program prints; rejects with what it complains of when it fails. */
export function run(
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
