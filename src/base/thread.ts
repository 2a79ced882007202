/**
 * Starts the threads of the program: from their source in a checkout, from an asset in the executable,
 * where scripts/build.ts puts each file that this is called with under `threads/` and its name.
 *
 * Those that work in the background yield to the threads that answer. Linux keeps a priority for each
 * thread, and 0 names the one that asks; elsewhere that would be the whole process, so nothing is done there.
 */
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { isExecutable, readAsset } from './assets.ts';

/** How much nicer: about a third of the share of a thread that answers, while that one has work. */
const nicer = 5;
const nicest = 19;

/** Options of Node for code of the executable; without the second it parses all of it twice to see which kind it is. */
const ofBundle = ['--disable-warning=ExperimentalWarning', '--input-type=commonjs'];

/**
 * `source` is written `new URL('./its-file.ts', import.meta.url)`, which is how the build finds it. The
 * thread has its file's name, in what tells of processes too.
 */
export function startThread(source: URL, options: WorkerOptions = {}): Worker {
  const name = basename(source.pathname, '.ts');
  if (!isExecutable) return new Worker(source, { ...options, name });
  const code = readAsset(`threads/${name}.js`);
  return new Worker(code.toString(), { ...options, name, eval: true, execArgv: ofBundle });
}

/** From now on this thread runs only when those that answer leave it time. Not to be undone. */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(nicest, getPriority(0) + nicer));
  } catch {
    // A sandbox may refuse it: then all threads share alike.
  }
}
