/**
 * A volume of a few megabytes that can be full: a tmpfs in a mount namespace of its own, which needs no more rights than
 * most machines give to everybody; where this one does not, a disk that says it is full (faulty-disk.ts).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyDisk } from './faulty-disk.ts';
import { endProcess, removeFolder } from './processes.ts';

export interface SmallVolume extends AsyncDisposable {
  /** Where the process on it has its folder. */
  readonly dataDir: string;
  /** Where everybody has it. */
  readonly outside: string;
  /** What goes before the command of that process. */
  readonly entry: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isReal: boolean;
  /** Bytes. */
  free(): number;
  /** Takes all that is free, until `release` is called. */
  fill(): void;
  release(): void;
}

export async function mountSmallVolume(megabytes: number): Promise<SmallVolume> {
  const isAllowed =
    spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const path = mkdtempSync(join(tmpdir(), 'volume-'));
  return isAllowed ? mountTmpfs(path, megabytes) : pretended(path);
}

async function mountTmpfs(path: string, megabytes: number): Promise<SmallVolume> {
  const script = `mount -t tmpfs -o size=${megabytes}m none "$0" && echo mounted && exec sleep infinity`;
  const holder: ChildProcess = spawn('unshare', ['-rm', 'sh', '-c', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout!, 'data');
  const outside = `/proc/${holder.pid}/root${path}`;
  const filler = join(outside, 'filler');
  return {
    dataDir: path,
    outside,
    entry: ['nsenter', '-t', String(holder.pid), '-U', '-m', '--preserve-credentials'],
    env: {},
    isReal: true,
    free() {
      const { bavail, bsize } = statfsSync(outside);
      return bavail * bsize;
    },
    fill() {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(4096, 1), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    release: () => rmSync(filler),
    async [Symbol.asyncDispose]() {
      await endProcess(holder, 'SIGKILL');
      removeFolder(path);
    },
  };
}

function pretended(path: string): SmallVolume {
  const disk = new FaultyDisk(path);
  return {
    dataDir: path,
    outside: path,
    entry: [],
    env: disk.env,
    isReal: false,
    free: () => Number.POSITIVE_INFINITY,
    fill: () => disk.fail({ write: 'ENOSPC' }),
    release: () => disk.recover(),
    async [Symbol.asyncDispose]() {
      disk[Symbol.dispose]();
      removeFolder(path);
    },
  };
}
