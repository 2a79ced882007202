/**
 * A disk that fails while a test says so, as a process sees it that is started with `env`: a library stands between the
 * process and the files of one folder (faulty-disk.c), built by the C compiler when it is first needed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants } from 'node:os';
import { removeFolder } from './processes.ts';

const source = join(import.meta.dirname, 'faulty-disk.c');

/** The places of the control file that say what fails, as faulty-disk.c has them. */
const places = ['write', 'sync', 'read', 'open', 'syncDelayUs', 'mostBytes', 'passes', 'loses'];
const counters = ['writes', 'syncs', 'reads', 'opens', 'shortened', 'lost'] as const;

type SystemError = 'ENOSPC' | 'EIO' | 'EROFS';

export interface DiskFaults {
  readonly write?: SystemError;
  readonly sync?: SystemError;
  readonly read?: SystemError;
  /** Of opening for writing, truncating, removing and renaming. */
  readonly open?: SystemError;
  /** Negative: until something else is told. */
  readonly syncDelayUs?: number;
  /** What one write takes at most. */
  readonly mostBytes?: number;
  /** Writes that are let through before one fails. */
  readonly passes?: number;
  /** 1: where a sync fails, what was written since the one before is lost, and nobody hears of it again. */
  readonly loses?: 0 | 1;
}

/** Builds the library, once for each state of its source. */
function buildLibrary(): string {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(tmpdir(), `zonebook-faulty-disk-${hash}.so`);
  if (existsSync(library)) return library;
  const partial = `${library}.${process.pid}`;
  const words = ['-shared', '-fPIC', '-O1', '-pthread', '-o', partial, source, '-ldl'];
  const { status, stderr } = spawnSync('cc', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cc did not build ${source}: ${stderr}`);
  renameSync(partial, library);
  return library;
}

export class FaultyDisk {
  readonly #home = mkdtempSync(join(tmpdir(), 'faults-'));
  readonly #control: number;
  readonly #folder: string;

  /** Nothing fails until `fail` is called. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#control = openSync(join(this.#home, 'control'), 'w+');
    writeSync(this.#control, Buffer.alloc(4 * (places.length + counters.length)), 0);
  }

  /** The environment of a process whose files in the folder are on this disk. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: buildLibrary(),
      FAULTS_CONTROL: join(this.#home, 'control'),
      FAULTS_FOLDER: this.#folder,
    };
  }

  /** From now on this fails, and nothing else. */
  fail(faults: DiskFaults): void {
    const words = Buffer.alloc(4 * places.length);
    for (const [index, place] of places.entries()) {
      const fault = faults[place as keyof DiskFaults] ?? 0;
      words.writeInt32LE(typeof fault === 'string' ? constants.errno[fault] : fault, 4 * index);
    }
    writeSync(this.#control, words, 0, words.length, 0);
  }

  /** From now on nothing fails. */
  recover(): void {
    this.fail({});
  }

  /** How often something failed so far. */
  get failed(): Record<(typeof counters)[number], number> {
    const words = Buffer.alloc(4 * counters.length);
    readSync(this.#control, words, 0, words.length, 4 * places.length);
    const counts = counters.map((name, index) => [name, words.readInt32LE(4 * index)]);
    return Object.fromEntries(counts);
  }

  [Symbol.dispose](): void {
    closeSync(this.#control);
    removeFolder(this.#home);
  }
}
