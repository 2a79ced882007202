/**
 * named and knotd as secondaries of several zones at once, serving what they pulled as they answer in
 * the field: for comparisons of signed answers, and for resolvers that validate them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dnspython } from './dnspython.ts';
import { knotPatience, patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess, removeFolder } from './processes.ts';

/** A peer's process. */
export class PeerProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #log = '';

  /** `env` holds further variables of its environment. */
  constructor(
    program: string,
    args: readonly string[],
    folder: string,
    port: number,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.port = port;
    this.#folder = folder;
    const path = peer(program);
    if (path === undefined) throw new Error(`${program} is not installed`);
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    this.#child = spawn(path, args, { cwd: folder, stdio, env: { ...process.env, ...env } });
    const collect = (chunk: Buffer) => {
      this.#log += chunk.toString();
    };
    this.#child.stdout?.on('data', collect);
    this.#child.stderr?.on('data', collect);
  }

  /** What it wrote so far. */
  get log(): string {
    return this.#log;
  }

  /** Has named or knotd read its configuration again. */
  reload(): void {
    this.#child.kill('SIGHUP');
  }

  /** Waits until it answers for a zone: with its SOA, or at all for a resolver. */
  async waitFor(zone: string): Promise<void> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      if ((await dnspython<number>(this.port, askSoa, zone)) === 1) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`port ${this.port} does not serve ${zone}:\n${this.#log.slice(-3000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child);
    removeFolder(this.#folder);
  }
}

const askSoa = `
try:
    answer = dns.query.udp(dns.message.make_query(given, 'SOA'), '127.0.0.1', port=port, timeout=1)
    result = len(answer.answer)
except (OSError, dns.exception.Timeout):
    result = 0
`;

/** A folder for a peer's configuration and what it keeps. */
export function peerFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** named as a secondary of zones of a primary on loopback. */
export async function startNamedOf(
  zones: readonly string[],
  primaryPort: number,
): Promise<PeerProcess> {
  const folder = peerFolder('named');
  const port = await freePort();
  const entries = zones.map(
    (zone, index) =>
      `zone "${zone}" { type secondary; file "${index}.zone"; masterfile-format text;
        primaries { 127.0.0.1 port ${primaryPort}; }; };`,
  );
  writeFileSync(
    join(folder, 'named.conf'),
    `options {
      directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; dnssec-validation no; check-names secondary ignore;
      minimal-responses yes; edns-udp-size 1232; max-udp-size 1232;
    };
    controls { };
    ${entries.join('\n')}`,
  );
  return new PeerProcess('named', ['-g', '-n', '1', '-c', 'named.conf'], folder, port);
}

/** knotd, the same. */
export async function startKnotdOf(
  zones: readonly string[],
  primaryPort: number,
): Promise<PeerProcess> {
  const folder = peerFolder('knotd');
  const port = await freePort();
  const entries = zones.map((zone) => `  - domain: ${zone}\n    master: primary\n`);
  writeFileSync(
    join(folder, 'knot.conf'),
    `server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    ${knotPatience}
    background-workers: 1
    udp-max-payload: 1232
database:
    storage: ${folder}
log:
  - target: stderr
    any: info
remote:
  - id: primary
    address: 127.0.0.1@${primaryPort}
template:
  - id: default
    storage: ${folder}
    zonefile-sync: -1
zone:
${entries.join('')}`,
  );
  return new PeerProcess('knotd', ['-c', 'knot.conf'], folder, port);
}
