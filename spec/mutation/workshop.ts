/** A copy of the checkout in which mutants are tried, so that no mutant can ever stay behind in this one. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programVariable } from '../support/program.ts';
import { checkout } from '../support/test-titles.ts';

const copied = ['src', 'drizzle', 'spec', 'scripts', 'fixtures', 'package.json', 'README.md'];

/** What tests said: a run that takes too long hangs, which is noticed as well. */
export type TestRun = 'passed' | 'failed' | 'timed out';

export class Workshop {
  readonly #root: string;

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), 'zonebook-mutation-'));
    for (const path of copied) {
      cpSync(join(checkout, path), join(this.#root, path), { recursive: true });
    }
    symlinkSync(realpathSync(join(checkout, 'node_modules')), join(this.#root, 'node_modules'));
    const test = { include: ['{src,spec}/**/*.test.ts'], testTimeout: 300_000, isolate: false };
    const config = { root: this.#root, test: { ...test, hookTimeout: 300_000, pool: 'forks' } };
    this.write('vitest.config.mjs', `export default ${JSON.stringify(config)};\n`);
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.#root, path), text);
  }

  /** Runs tests up to the first that fails. They start the program from its sources, which are the copy's. */
  async run(tests: readonly string[], timeoutMs: number): Promise<TestRun> {
    const vitest = join(this.#root, 'node_modules/vitest/vitest.mjs');
    const { LONG_TESTS: _, [programVariable]: __, ...env } = process.env;
    const options = ['--config', 'vitest.config.mjs', '--maxWorkers=1', '--bail=1'];
    const child = spawn(process.execPath, [vitest, 'run', ...options, ...tests], {
      cwd: this.#root,
      env,
      stdio: 'ignore',
      // A group of its own: with a run that hangs ends what it started.
      detached: true,
    });
    let isLate = false;
    const kill = () => process.kill(-child.pid!, 'SIGKILL');
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, timeoutMs);
    process.once('exit', kill);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', resolve);
    });
    process.off('exit', kill);
    clearTimeout(timer);
    if (isLate) return 'timed out';
    return status === 0 ? 'passed' : 'failed';
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
