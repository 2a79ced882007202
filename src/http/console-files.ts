/**
 * The files of the console: in the executable as the build has made them, in a checkout bundled at the first request.
 *
 * Their names hold a hash of their content, so that browsers keep them for ever; the page that names them is asked
 * for each time.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Bundles the sources of a checkout with esbuild, which is needed for development alone; the build makes the script
 * shorter still.
 */
export async function bundleConsole(
  root: string,
  shrink?: (script: string) => Promise<string>,
): Promise<ConsoleFiles> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { console: 'src/console/main.tsx' },
    outdir: join(root, 'console'),
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: shrink === undefined,
    format: 'esm',
    target: 'es2024',
    // Shorter than calls of the automatic runtime, which the sources are typed by.
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: ['src/console/jsx.ts'],
    tsconfigRaw: '{}',
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  const files: Record<string, Buffer> = {};
  /** Keeps a file under a name with its hash, and returns where the page finds it. */
  const keep = (name: string, ending: string, text: string) => {
    const content = Buffer.from(text);
    const whole = `${name}-${hashOf(content)}.${ending}`;
    files[whole] = content;
    return `${basePlaceholder}/${whole}`;
  };
  const made = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text;
  const script = made('.js');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'spec/CHANGELOG.md'), 'utf8');
  const template = readFileSync(join(root, 'src/console/index.html'), 'utf8');
  const page = template
    .replace('{script}', keep('console', 'js', (await shrink?.(script)) ?? script))
    .replace('{style}', keep('console', 'css', made('.css')))
    .replace('{changes}', keep('changes', 'txt', changesIn(changelog, version)));
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
