/** A copy of the checkout in which mutants are tried, so that no mutant can ever stay behind in this one. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programVariable } from '../support/program.ts';
import { checkout } from '../support/test-titles.ts';
import type { Reach } from './reach.ts';

const copied = ['src', 'drizzle', 'spec', 'scripts', 'fixtures', 'package.json', 'README.md'];

/** What tests said: a run that takes too long hangs, which is noticed as well. */
export type TestRun = 'passed' | 'failed' | 'timed out';

/** What was seen of one file of tests. */
export type Recorded = Omit<Reach, 'hash'>;

/**
 * Node loads the sources as they are, which takes a fraction of the time of a transformation: a mutant's tests
 * begin after half a second. The files of tests come in the order they are asked.
 */
const config = `
const order = (process.env.MUTATION_ORDER ?? '').split(' ');
const placeOf = ({ moduleId }) => order.findIndex((each) => moduleId.endsWith('/' + each));
class Ordered {
  shard(files) { return files; }
  sort(files) { return files.toSorted((a, b) => placeOf(a) - placeOf(b)); }
}
export default {
  root: import.meta.dirname,
  test: {
    // Its packages are those of the checkout, whose own run keeps modules beside them: it must not clear these.
    fsModuleCachePath: '.vitest-cache',
    include: ['{src,spec}/**/*.test.ts'],
    setupFiles: process.env.RECORD_TO ? ['recorder.mjs'] : [],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    restoreMocks: true,
    isolate: false,
    pool: 'forks',
    sequence: { sequencer: Ordered },
    experimental: { viteModuleRunner: false },
  },
};
`;

/**
 * After each file of tests: what ran since the file before, and what ran when sources were loaded, which happens once
 * for all files of a process.
 */
const recorder = `
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
globalThis.reachedBlocks ??= new Set();
globalThis.loadedBlocks ??= new Set();
globalThis.fromThreads ??= Object.assign(new BroadcastChannel('reached'), {
  onmessage: ({ data }) => globalThis.reachedBlocks.add(data),
});
globalThis.fromThreads.unref();
const begunMs = performance.now();
beforeAll(() => {
  for (const block of globalThis.reachedBlocks) globalThis.loadedBlocks.add(block);
});
afterAll(async ({}, suite) => {
  // What threads have said is here then.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const failed = (task) => task.result?.state === 'fail' || (task.tasks ?? []).some(failed);
  const test = suite.file.filepath;
  const blocks = [...globalThis.reachedBlocks.union(globalThis.loadedBlocks)];
  globalThis.reachedBlocks.clear();
  const ms = performance.now() - begunMs;
  const text = JSON.stringify({ test, ms, isPassed: !failed(suite), blocks });
  writeFileSync(process.env.RECORD_TO + '/' + test.replaceAll('/', '_') + '.json', text);
});
`;

/** Loaded by every thread that tests start: tells each block that runs there once. */
const threadRecorder = `
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  const told = new Set();
  const channel = new BroadcastChannel('reached');
  channel.unref();
  globalThis.reachedBlocks = {
    add(block) {
      if (told.has(block)) return;
      told.add(block);
      channel.postMessage(block);
    },
  };
}
`;

export class Workshop {
  readonly #root: string;

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), 'zonebook-mutation-'));
    for (const path of copied) {
      cpSync(join(checkout, path), join(this.#root, path), { recursive: true });
    }
    symlinkSync(realpathSync(join(checkout, 'node_modules')), join(this.#root, 'node_modules'));
    this.write('vitest.config.mjs', config);
    this.write('recorder.mjs', recorder);
    this.write('thread-recorder.mjs', threadRecorder);
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.#root, path), text);
  }

  /** Runs tests in this order up to the first that fails. What they start is the copy's. */
  async run(tests: readonly string[], timeoutMs: number): Promise<TestRun> {
    return await this.#vitest(
      ['--bail=1', ...tests],
      { MUTATION_ORDER: tests.join(' ') },
      timeoutMs,
    );
  }

  /** Runs all tests and tells of each whether it passed, for how long it ran and which blocks. */
  async record(tests: readonly string[], timeoutMs: number): Promise<Map<string, Recorded>> {
    const folder = join(this.#root, 'recorded');
    mkdirSync(folder);
    await this.#vitest(
      [...tests],
      {
        MUTATION_ORDER: tests.join(' '),
        RECORD_TO: folder,
        NODE_OPTIONS: `--import ${pathToFileURL(join(this.#root, 'thread-recorder.mjs'))}`,
      },
      timeoutMs,
    );
    const recorded = readdirSync(folder).map((name): [string, Recorded] => {
      const { test, ...rest } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return [relative(this.#root, test), rest];
    });
    rmSync(folder, { recursive: true });
    return new Map(recorded);
  }

  async #vitest(
    args: readonly string[],
    variables: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<TestRun> {
    const vitest = join(this.#root, 'node_modules/vitest/vitest.mjs');
    const { LONG_TESTS: _, [programVariable]: __, ...env } = process.env;
    const options = ['--config', 'vitest.config.mjs', '--maxWorkers=1'];
    const child = spawn(process.execPath, [vitest, 'run', ...options, ...args], {
      cwd: this.#root,
      env: { ...env, ...variables },
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
