/**
 * A volume of a few megabytes that can really be full: a tmpfs in a mount namespace of its own, which needs no more
 * rights than the machine gives to everybody, where it does.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, removeFolder } from './processes.ts';

/** Whether this machine lets anybody mount one. */
export const hasSmallVolumes: boolean =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

export class SmallVolume {
  readonly #holder: ChildProcess;
  /** Where processes in the namespace have it. */
  readonly path: string;

  private constructor(path: string, holder: ChildProcess) {
    this.path = path;
    this.#holder = holder;
  }

  static async mount(megabytes: number): Promise<SmallVolume> {
    const path = mkdtempSync(join(tmpdir(), 'volume-'));
    const script = `mount -t tmpfs -o size=${megabytes}m none "$0" && echo mounted && exec sleep infinity`;
    const holder = spawn('unshare', ['-rm', 'sh', '-c', script, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout!, 'data');
    return new SmallVolume(path, holder);
  }

  /** Where everybody has it. */
  get outside(): string {
    return `/proc/${this.#holder.pid}/root${this.path}`;
  }

  /** What goes before a command to have it run there. */
  get entry(): readonly string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-U', '-m', '--preserve-credentials'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#holder, 'SIGKILL');
    removeFolder(this.path);
  }
}
