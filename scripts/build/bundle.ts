/** The sources and the packages they use, made into one file for the program and one for each thread. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

export interface Bundle {
  /** The file of the main program. */
  readonly main: string;
  /** The files of threads by the name of their asset. */
  readonly threads: Record<string, string>;
  /** Folders below node_modules of the packages inside, sorted. */
  readonly packages: readonly string[];
}

export async function bundle(root: string, folder: string): Promise<Bundle> {
  const sources = threadSources(root);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', ...sources },
    outdir: folder,
    bundle: true,
    platform: 'node',
    // The executable has what it makes.
    external: ['esbuild'],
    alias: { 'string-width': './scripts/build/packages/string-width.ts' },
    target: 'node26',
    // Loaded as CommonJS Node starts faster: an import of node:http would make all of its getters run.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: {
      'import.meta.url': '"file:///zonebook/main.ts"',
      'import.meta.dirname': '"/zonebook"',
    },
    minifyWhitespace: true,
    minifySyntax: true,
    // Of an error that nobody caught, Node prints the whole line.
    lineLimit: 160,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  const packages = Object.keys(metafile.inputs).flatMap((input) => packageOf(input) ?? []);
  return {
    main: join(folder, 'main.cjs'),
    threads: Object.fromEntries(
      Object.keys(sources).map((name) => [`${name}.js`, join(folder, `${name}.cjs`)]),
    ),
    packages: [...new Set(packages)].sort(),
  };
}

/** `threads/writer-thread` -> `src/writer/writer-thread.ts`, for all that startThread is given. */
export function threadSources(root: string): Record<string, string> {
  const sources: Record<string, string> = {};
  for (const path of globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).sort()) {
    if (path === 'src/base/thread.ts') continue;
    const text = readFileSync(join(root, path), 'utf8');
    if (/\bnew Worker\(/.test(text)) {
      throw new Error(`${path}: threads are started by startThread (src/base/thread.ts)`);
    }
    for (const [, file] of text.matchAll(/\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)) {
      const name = `threads/${basename(file!, '.ts')}`;
      if (sources[name] !== undefined) throw new Error(`two threads have the name ${name}`);
      sources[name] = resolve(root, dirname(path), file!);
    }
  }
  return sources;
}

/** `node_modules/@noble/curves` of a file in it; undefined of our own. */
function packageOf(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
}
