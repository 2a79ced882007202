/**
 * The executable as its users have it: one file in a folder of its own, no environment, no Node on
 * PATH, no checkout beside it.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patienceMs } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { endProcess, hasEnded } from '../support/processes.ts';
import { programVariable } from '../support/program.ts';

const licenses = '.licenses.txt';
const buildScript = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Puts the executable, with the licences beside it, at `target`: that of this run where it is there. */
export function build(target: string): void {
  const made = process.env[programVariable] ?? '';
  if (made === '') {
    execFileSync(process.execPath, [buildScript, target], { stdio: 'pipe' });
    return;
  }
  copyFileSync(made, target);
  copyFileSync(`${made}${licenses}`, `${target}${licenses}`);
}

export class LoneExecutable {
  readonly folder: string;
  readonly dnsPort: number;
  readonly apiPort: number;
  #service: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, dnsPort: number, apiPort: number) {
    this.folder = folder;
    this.dnsPort = dnsPort;
    this.apiPort = apiPort;
  }

  /** Copies `file` into an empty folder; `settings` are further lines of its configuration. */
  static async create(file: string, settings = ''): Promise<LoneExecutable> {
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-alone-'));
    copyFileSync(file, join(folder, 'zonebook'));
    const alone = new LoneExecutable(folder, await freePort(), await freePort());
    writeFileSync(
      alone.path('zonebook.toml'),
      `dns.listen_port = ${alone.dnsPort}\napi.listen_port = ${alone.apiPort}\n${settings}`,
    );
    return alone;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  run(...args: string[]): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: {}, maxBuffer: 1 << 28 };
      const child = execFile(this.path('zonebook'), args, options, (_, out, err) => {
        resolve({ code: child.exitCode ?? -1, out, err });
      });
    });
  }

  /** A command that has to succeed; its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async must(...args: string[]): Promise<any> {
    const { code, out, err } = await this.run(...args, '-o', 'json');
    if (code !== 0) throw new Error(`zonebook ${args.join(' ')}: ${code} ${err}`);
    return JSON.parse(out);
  }

  /** Starts the service and waits until it says that it has started. */
  async serve(): Promise<void> {
    this.#output = '';
    const options = { cwd: this.folder, env: {} };
    const child = spawn(this.path('zonebook'), ['serve'], options);
    this.#service = child;
    const collect = (chunk: Buffer) => {
      this.#output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const deadline = Date.now() + patienceMs;
    while (!this.#output.includes('service.started')) {
      if (hasEnded(child) || Date.now() > deadline) {
        throw new Error(`the service did not start:\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends the service as a system does; its exit code. */
  async stop(): Promise<number | null> {
    const child = this.#service;
    this.#service = undefined;
    if (child === undefined) return null;
    return endProcess(child, 'SIGTERM');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A folder for what one test file builds. */
export function buildFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'zonebook-build-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
