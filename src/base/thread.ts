/**
 * Starts the threads of the program: from their source in a checkout, from an asset in the executable,
 * where scripts/build.ts puts each file that this is called with under `threads/` and its name.
 */
import { basename } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { isExecutable, readAsset } from './assets.ts';

/**
 * `source` is written `new URL('./its-file.ts', import.meta.url)`, which is how the build finds it. The
 * thread has its file's name, in what tells of processes too.
 */
export function startThread(source: URL, options: WorkerOptions = {}): Worker {
  const name = basename(source.pathname, '.ts');
  if (!isExecutable) return new Worker(source, { ...options, name });
  const code = readAsset(`threads/${name}.js`);
  return new Worker(code.toString(), { ...options, name, eval: true });
}
