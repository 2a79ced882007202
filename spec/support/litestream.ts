/**
 * A real Litestream beside a service: replicates its database to a folder, is ended and started again, and
 * restores. Built once for a machine (scripts/litestream/build.ts) and put on PATH, where peers are looked for.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildLitestream } from '../../scripts/litestream/build.ts';
import { patienceMs } from './patience.ts';
import { peer } from './peers.ts';

/** Puts Litestream on PATH; returns why not, when it can not be built here. */
export async function findLitestream(): Promise<string | undefined> {
  try {
    process.env.PATH = `${dirname(await buildLitestream())}${delimiter}${process.env.PATH ?? ''}`;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export class Litestream {
  readonly database: string;
  readonly configFile: string;
  readonly #folder: string;
  readonly #socket: string;
  #child: ChildProcess | undefined;
  #output = '';

  /** `folder` is for its own files; the replica is in it. */
  constructor(database: string, folder: string) {
    this.database = database;
    this.#folder = folder;
    this.#socket = join(folder, 'control.sock');
    this.configFile = join(folder, 'litestream.yml');
    mkdirSync(folder, { recursive: true });
    const lines = [
      'socket:',
      '  enabled: true',
      `  path: ${this.#socket}`,
      'dbs:',
      `  - path: ${database}`,
      '    replica:',
      '      type: file',
      `      path: ${join(folder, 'replica')}`,
    ];
    writeFileSync(this.configFile, `${lines.join('\n')}\n`);
  }

  /** What it has printed so far. */
  get output(): string {
    return this.#output;
  }

  start(): void {
    const child = spawn(peer('litestream')!, ['replicate', '-config', this.configFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: Buffer) => {
      this.#output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    this.#child = child;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Resolves when all that is committed is in the replica. */
  async sync(): Promise<void> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      try {
        this.#run('sync', '-wait', '-timeout', '60', '-socket', this.#socket, this.database);
        return;
      } catch (error) {
        // It opens its socket, and the database, some time after its start.
        if (Date.now() > deadline) throw new Error(`${(error as Error).message}\n${this.#output}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Restores the newest state of the replica to a file, which does not exist. */
  restore(file: string): void {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#run('restore', '-config', this.configFile, '-o', file, this.database);
  }

  #run(...args: string[]): void {
    execFileSync(peer('litestream')!, args, { stdio: 'pipe', timeout: patienceMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
