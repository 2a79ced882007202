/**
 * The files of the console: in the executable as the build has made them, in a checkout bundled at the first request.
 *
 * Their names hold a hash of their content, so that browsers keep them for ever; the page that names them is asked
 * for each time.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isExecutable, readAsset } from '../base/assets.ts';

export interface ConsoleFiles {
  /** The page, which names the others, with a placeholder for the path where it is served. */
  readonly page: string;
  /** By name, without a folder. */
  readonly files: Readonly<Record<string, Buffer>>;
}

/** The asset with the names of all others. */
const listAsset = 'console/files.json';

export const basePlaceholder = '{base}';

/** Bundles the sources of a checkout with esbuild, which is needed for development alone. */
export async function bundleConsole(root: string): Promise<ConsoleFiles> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { console: 'src/console/main.tsx' },
    outdir: join(root, 'console'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  const files: Record<string, Buffer> = {};
  for (const { path, contents } of outputFiles) files[basename(path)] = Buffer.from(contents);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'spec/CHANGELOG.md'), 'utf8');
  const changes = Buffer.from(changesIn(changelog, version));
  files[`changes-${hashOf(changes)}.txt`] = changes;
  const named = (start: string, ending: string) => {
    const isIt = (name: string) => name.startsWith(start) && name.endsWith(ending);
    return `${basePlaceholder}/${Object.keys(files).find(isIt)}`;
  };
  const template = readFileSync(join(root, 'src/console/index.html'), 'utf8');
  const page = template
    .replace('{script}', named('console-', '.js'))
    .replace('{shared}', named('chunk-', '.js'))
    .replace('{style}', named('console-', '.css'))
    .replace('{changes}', named('changes-', '.txt'));
  return { page, files };
}

/** What a changelog says of a version, from its heading to that of the version before; '' where it says nothing. */
export function changesIn(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  return sections.find((section) => /^## ([^\s,]+)/.exec(section)?.[1] === version) ?? '';
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase();
}

/** What the build puts into the executable, by the names of the assets. */
export function assetsOfConsole({ page, files }: ConsoleFiles): Record<string, Buffer> {
  const names = Object.keys(files);
  const assets = names.map((name) => [`console/${name}`, files[name]!] as const);
  const list = Buffer.from(JSON.stringify({ page, names }));
  return Object.fromEntries([...assets, [listAsset, list]]);
}

/** The files, made or read once; what failed is tried again. */
export function consoleFilesOnce(): () => Promise<ConsoleFiles> {
  let found: Promise<ConsoleFiles> | undefined;
  return () => {
    found ??= (
      isExecutable ? readConsole() : bundleConsole(join(import.meta.dirname, '../..'))
    ).catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

async function readConsole(): Promise<ConsoleFiles> {
  const { page, names } = JSON.parse(readAsset(listAsset).toString()) as {
    page: string;
    names: string[];
  };
  const files = names.map((name) => [name, readAsset(`console/${name}`)] as const);
  return { page, files: Object.fromEntries(files) };
}
