/** nsd as a secondary of zones that come and go while it runs, told by nsd-control. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askNsd, controlPart } from './nsd-control.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import type { PeerKey } from './secondaries.ts';
import { patienceMs } from './patience.ts';

export class ControlledNsd {
  readonly kind = 'nsd';
  readonly port: number;
  readonly folder: string;
  readonly #child: ChildProcess;
  #log = '';

  constructor(folder: string, port: number, child: ChildProcess) {
    this.folder = folder;
    this.port = port;
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.#log += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  get log(): string {
    return this.#child.exitCode === null && this.#child.signalCode === null
      ? this.#log
      : `${this.#log}\nnsd has ended: ${this.#child.exitCode ?? this.#child.signalCode}`;
  }

  add(zone: string): Promise<void> {
    return this.control('addzone', zone, 'zonebook');
  }

  remove(zone: string): Promise<void> {
    return this.control('delzone', zone);
  }

  async control(...words: string[]): Promise<void> {
    try {
      await askNsd(this.folder, ...words);
    } catch (error) {
      // Why it answers no more stands at the end of what it wrote.
      throw new Error(`nsd-control ${words.join(' ')}: ${this.log.slice(-4000)}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts nsd without a zone; those it is told of come from 127.0.0.1 at `primaryPort`. */
export async function startControlledNsd(
  primaryPort: number,
  key?: PeerKey,
): Promise<ControlledNsd> {
  const folder = mkdtempSync(join(tmpdir(), 'nsd-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'xfr'));
  const port = await freePort();
  const keyName = key?.name ?? 'NOKEY';
  const keyPart = key
    ? `key:\n    name: "${key.name}"\n    algorithm: ${key.algorithm}\n    secret: "${key.secret}"`
    : '';
  writeFileSync(
    join(folder, 'nsd.conf'),
    `server:
    ip-address: 127.0.0.1@${port}
    port: ${port}
    username: ""
    chroot: ""
    zonesdir: "${folder}"
    database: ""
    pidfile: ""
    xfrdfile: "${folder}/xfrd.state"
    xfrdir: "${folder}/xfr"
    zonelistfile: "${folder}/zone.list"
    verbosity: 3
    server-count: 1
    xfrd-reload-timeout: 0
${controlPart(folder)}
${keyPart}
pattern:
    name: "zonebook"
    zonefile: "%s.zone"
    allow-notify: 127.0.0.1 ${keyName}
    request-xfr: 127.0.0.1@${primaryPort} ${keyName}
    provide-xfr: 127.0.0.1 NOKEY
    max-retry-time: 2
    min-retry-time: 1
`,
  );
  const child = spawn(peer('nsd')!, ['-d', '-c', 'nsd.conf'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const nsd = new ControlledNsd(folder, port, child);
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
    const isUp = await nsd.control('status').then(
      () => true,
      () => false,
    );
    if (isUp) return nsd;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nsd does not answer nsd-control:\n${nsd.log}`);
}
