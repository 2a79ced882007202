/** What is made once before all tests of a run. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildExecutable } from '../../scripts/build.ts';
import { buildThreads, threadsVariable } from './built-threads.ts';
import { programVariable } from './program.ts';
import { checkout } from './test-titles.ts';

const kept = join(checkout, 'dist/tested');
const maxKept = 3;

/** Makes the executable and the threads unless those of these very sources are there, and names them to the tests. */
export async function setup(): Promise<void> {
  const folder = join(kept, fingerprint());
  const threads = join(folder, 'threads');
  // Another run of this checkout may be making the same.
  const making = join(folder, `making-${process.pid}`);
  if (!existsSync(threads)) {
    await buildThreads(checkout, making);
    putInPlace(join(making, 'threads'), threads);
  }
  process.env[threadsVariable] = threads;
  // Programs that run from the sources, in their own processes, are compiled once too.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  const executable = join(folder, 'zonebook');
  if (process.platform === 'linux' && !existsSync(executable)) {
    await buildExecutable(join(making, 'zonebook'));
    putInPlace(join(making, 'zonebook.licenses.txt'), `${executable}.licenses.txt`);
    putInPlace(join(making, 'zonebook'), executable);
    forgetOld();
  }
  if (existsSync(executable)) process.env[programVariable] = executable;
  rmSync(making, { recursive: true, force: true });
}

function putInPlace(made: string, place: string): void {
  try {
    renameSync(made, place);
  } catch (error) {
    // A run beside this one was first.
    if (!existsSync(place)) throw error;
  }
}

/** Keeps some, because other runs of this checkout may have begun before a source was changed. */
function forgetOld(): void {
  const folders = readdirSync(kept).map((name) => join(kept, name));
  const ageOf = (path: string) => -statSync(path).mtimeMs;
  for (const path of folders.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(maxKept)) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Of everything that goes into the executable. */
function fingerprint(): string {
  const own = ['scripts/{build.ts,build/**/*.ts}', 'spec/support/built-threads.ts'];
  const told = ['package.json', 'spec/CHANGELOG.md'];
  const sources = ['src/**/*.*', 'drizzle/**/*.*', ...own, ...told, 'bun.lockb'];
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`);
  for (const path of globSync(sources, { cwd: checkout, exclude: ['**/*.test.ts'] }).sort()) {
    hash.update(`\0${path}\0`).update(readFileSync(join(checkout, path)));
  }
  return hash.digest('hex').slice(0, 20);
}
