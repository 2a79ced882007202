/**
 * Makes the one executable: the program, the code of its threads, and the files it reads, inside a
 * copy of the Node that runs this.
 *
 * Usage: npm run build, or `npm run build -- FILE` to have it elsewhere than in dist/zonebook
 *
 * It runs on Linux of this machine's architecture and needs only libraries of the system. Beside it
 * FILE.licenses.txt is written, which has to go along where the executable is given to others.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { assetsOf } from './build/assets.ts';
import { bundle } from './build/bundle.ts';
import { consoleAssets } from './build/console.ts';
import { licensesOf } from './build/licenses.ts';

const root = join(import.meta.dirname, '..');

/** Of binutils, which need not be there. */
const stripProgram = 'strip';

export async function buildExecutable(target: string): Promise<void> {
  if (process.platform !== 'linux') throw new Error('the executable is made on Linux, for Linux');
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.build-'));
  try {
    const { main, threads, packages } = await bundle(root, folder);
    const assets = { ...assetsOf(root), ...threads, ...(await consoleFiles(folder)) };
    const config = {
      main,
      output: join(folder, 'zonebook'),
      executable: nodeWithoutSymbols(join(folder, 'node')),
      assets,
      // Node's own words would be lost between the lines of the command line.
      disableExperimentalSEAWarning: true,
      // Also in scripts/zonebook. Else each thread keeps 64 MiB for new objects.
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4'],
      // The main program is compiled here, once, and not at each start.
      useCodeCache: true,
    };
    const file = join(folder, 'sea.json');
    writeFileSync(file, JSON.stringify(config, null, 2));
    execFileSync(process.execPath, ['--build-sea', file], { cwd: folder, stdio: 'pipe' });
    chmodSync(config.output, 0o755);
    // A running executable can not be written to, only replaced.
    rmSync(target, { force: true });
    copyFileSync(config.output, target);
    writeFileSync(`${target}.licenses.txt`, licensesOf(root, packages));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files of the console, written to a folder, by the names of their assets. */
async function consoleFiles(folder: string): Promise<Record<string, string>> {
  const assets = Object.entries(await consoleAssets(root));
  return Object.fromEntries(
    assets.map(([name, content]) => {
      const file = join(folder, name.replace('/', '-'));
      writeFileSync(file, content);
      return [name, file];
    }),
  );
}

/** A quarter of Node is symbols for debuggers; where binutils are missing they stay. */
function nodeWithoutSymbols(copy: string): string {
  try {
    execFileSync(stripProgram, ['-o', copy, process.execPath], { stdio: 'pipe' });
    return copy;
  } catch {
    console.log('strip (binutils) is not here: the executable keeps the symbols of Node');
    return process.execPath;
  }
}

if (import.meta.main) {
  const target = resolve(process.argv[2] ?? join(root, 'dist/zonebook'));
  await buildExecutable(target);
  const version = execFileSync(target, ['--version'], { env: {}, encoding: 'utf8' }).trim();
  console.log(`${target}: zonebook ${version}`);
}
