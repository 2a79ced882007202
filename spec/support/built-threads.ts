/**
 * Threads that tests start run code that was bundled once, before the first test: to read a hundred sources anew for
 * each of the thousands that a run starts takes longer than all else that they do.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { build, type Plugin } from 'esbuild';
import { threadSources } from '../../scripts/build/bundle.ts';

/** The environment variable that names the folder of the code of threads. */
export const threadsVariable = 'TESTED_THREADS';

/** Bundles every thread of the checkout; packages stay where they are. */
export async function buildThreads(checkout: string, folder: string): Promise<void> {
  await build({
    absWorkingDir: checkout,
    entryPoints: threadSources(checkout),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // It finds its addon beside its own file.
    external: ['better-sqlite3'],
    logLevel: 'warning',
    plugins: [knownPlaces],
  });
}

/** A source in a bundle knows where it stands in the checkout. */
const knownPlaces: Plugin = {
  name: 'known-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

const marked = Symbol.for('zonebook.built-threads');
const scope = globalThis as typeof globalThis & { [marked]?: true };
const folder = process.env[threadsVariable];

// Files share their workers, and each of them comes by here.
if (folder !== undefined && scope[marked] === undefined) {
  scope[marked] = true;
  startBuilt(folder);
}

function startBuilt(built: string): void {
  const sources = threadSources(join(import.meta.dirname, '../..'));
  const nameOf = new Map(Object.entries(sources).map(([name, source]) => [source, name]));
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(source: string | URL, options?: WorkerOptions) {
      const name = source instanceof URL ? nameOf.get(fileURLToPath(source)) : undefined;
      super(name === undefined ? source : join(built, `${basename(name)}.cjs`), options);
    }
  };
  syncBuiltinESMExports();
}
