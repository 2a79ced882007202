/**
 * The whole service in this process over a folder that a test may take back: copied while it runs, as
 * kill -9 leaves it, or with an older database in it.
 */
import { cpSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/daemon/config.ts';
import type { StartChoice } from '../../src/daemon/epoch.ts';
import { type Service, startService } from '../../src/daemon/service.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { type Ran, run } from './command-line.ts';
import { freePort } from './ports.ts';
import { temporaryFolder } from './stored-zones.ts';

/**
 * Copies a data folder as it is this moment, without sockets: anew where the WAL went into the database meanwhile, for
 * what the one copy has no more the other may not have yet.
 */
export function copyFolder(from: string, to: string): void {
  const database = join(from, 'zonebook.db');
  const changedAt = () => statSync(database, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
  while (true) {
    const before = changedAt();
    copyFiles(from, to);
    if (changedAt() === before) return;
    rmSync(to, { recursive: true });
  }
}

function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  cpSync(from, to, {
    recursive: true,
    filter: (path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats !== undefined && !stats.isSocket() && !path.includes('zonebook.lock');
    },
  });
}

export class ServedFolder {
  readonly #root = temporaryFolder();
  readonly #apiPort: number;
  readonly dnsPort: number;
  #folders = 0;
  #service: Service | undefined;

  private constructor(apiPort: number, dnsPort: number) {
    this.#apiPort = apiPort;
    this.dnsPort = dnsPort;
    mkdirSync(this.folder);
  }

  static async make(): Promise<ServedFolder> {
    return new ServedFolder(await freePort(), await freePort());
  }

  /** The data folder; after a kill it is another one. */
  get folder(): string {
    return join(this.#root, `data${this.#folders}`);
  }

  /** A file beside the data folder. */
  beside(name: string): string {
    return join(this.#root, name);
  }

  get database(): string {
    return join(this.folder, 'zonebook.db');
  }

  /** Goes on with a copy of another folder. */
  takeOver(folder: string): void {
    this.#folders++;
    copyFolder(folder, this.folder);
  }

  get isRunning(): boolean {
    return this.#service !== undefined;
  }

  async start(choice: StartChoice = {}): Promise<void> {
    const env = {
      ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'false',
      ZONEBOOK_API_LISTEN_PORT: String(this.#apiPort),
      ZONEBOOK_DNS_LISTEN_PORT: String(this.dnsPort),
      ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
      ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1',
    };
    const overrides = { dataDir: this.folder };
    const config = loadConfig({ env, cwd: this.folder, overrides });
    this.#service = await startService(config, silentLog(), choice);
  }

  async stop(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.stop();
  }

  /** Goes on with what the folder holds this moment; the process that served it changes nothing more. */
  async kill(): Promise<void> {
    const killed = this.folder;
    this.takeOver(killed);
    await this.stop();
    rmSync(killed, { recursive: true, force: true });
  }

  /** The status and the body of an answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const response = await fetch(`http://127.0.0.1:${this.#apiPort}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  cli(...words: string[]): Promise<Ran> {
    return run(words, { dataDir: this.folder });
  }

  /** What the epoch file says. */
  epochFile(): { epoch: number; seq: number } {
    return JSON.parse(readFileSync(join(this.folder, 'epoch'), 'utf8'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
