/**
 * Builds Litestream, which replicates the database file, from its Go module: once for each version, into
 * the user's cache folder, where every checkout finds it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findGo } from '../go.ts';

/** The release that is tried: it can be built with nothing but Go, and SQLite in it is modernc's, not C. */
export const litestreamVersion = 'v0.5.18';

const module = 'github.com/benbjohnson/litestream/cmd/litestream';

/**
 * The path of the program. Downloads some hundred modules and compiles for minutes the first time; rejects
 * when there is no Go, or what it needs can not be had.
 */
export async function buildLitestream(version = litestreamVersion): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'zonebook/litestream');
  const program = join(folder, version, 'litestream');
  if (existsSync(program)) return program;
  const go = findGo();
  if (go === undefined) throw new Error('there is no Go toolchain on this machine');
  mkdirSync(folder, { recursive: true });
  const made = mkdtempSync(join(folder, 'building-'));
  try {
    await run(go, ['install', `${module}@${version}`], { ...process.env, GOBIN: made });
    // Whoever has built it meanwhile has built the same.
    if (!existsSync(program)) renameSync(made, join(folder, version));
    return program;
  } catch (error) {
    if (existsSync(program)) return program;
    throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${said}`));
    });
  });
}
