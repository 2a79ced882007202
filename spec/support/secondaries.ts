/**
 * Real secondaries: named, knotd and nsd as processes of their own, each serving one zone that it
 * pulls from a primary on loopback.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPart, hasNoted } from './nsd-control.ts';
import { knotPatience, patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess, removeFolder, suspendProcess } from './processes.ts';

export type SecondaryKind = 'named' | 'knotd' | 'nsd';

/** A TSIG key that the primary knows; the secret is base64. */
export interface PeerKey {
  readonly name: string;
  readonly algorithm: string;
  readonly secret: string;
}

interface Setup {
  readonly folder: string;
  readonly port: number;
  readonly zone: string;
  /** 0 of a server that asks nobody, as it has the zone in a file. */
  readonly primaryPort: number;
  /** Signs what it asks the primary; NOTIFY has to be signed with it, where the peer can ask that. */
  readonly key: PeerKey | undefined;
  /** Lines of its own that knotd has for the zone. */
  readonly zoneLines?: readonly string[];
  /** Address that it asks the primary from; knotd alone. */
  readonly via?: string | undefined;
}

export class RunningSecondary {
  readonly kind: SecondaryKind;
  readonly port: number;
  readonly zone: string;
  readonly #follows: boolean;
  readonly #child: ChildProcess;
  readonly folder: string;
  #log = '';

  constructor(kind: SecondaryKind, setup: Setup, child: ChildProcess) {
    this.kind = kind;
    this.port = setup.port;
    this.zone = setup.zone;
    this.#follows = setup.primaryPort !== 0;
    this.folder = setup.folder;
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.#log += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  get log(): string {
    return this.#log;
  }

  /** Stops it for a while; none of its threads runs when this is over. */
  suspend(): Promise<void> {
    return suspendProcess(this.#child.pid!);
  }

  /** Lets it go on. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Asks with dig; returns the lines of the answer. */
  dig(...query: string[]): string[] {
    const program = peer('dig') ?? 'dig';
    const options = ['+noall', '+answer', '+nocomments', '+tries=1', '+time=30', '+nocrypto'];
    const server = ['@127.0.0.1', '-p', String(this.port)];
    const output = execFileSync(program, [...server, ...options, ...query], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    return output.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  }

  /** The serial it serves, or undefined while it serves none. */
  serial(): number | undefined {
    try {
      const [line] = this.dig(this.zone, 'SOA', '+time=5');
      return line === undefined ? undefined : Number(line.split(/\s+/)[6]);
    } catch {
      return undefined;
    }
  }

  /** Waits until it serves `serial` and has taken note of it. */
  waitForSerial(serial: number, withinMs = patienceMs): Promise<void> {
    const isThere = async (seen: number | undefined) =>
      seen === serial && (!this.#follows || (await hasNoted(this, this.zone, serial)));
    return this.#waitFor(`serial ${serial}`, isThere, withinMs);
  }

  /** Waits until it serves the zone, at whatever serial. */
  waitForZone(): Promise<void> {
    return this.#waitFor(this.zone, async (seen) => seen !== undefined, patienceMs);
  }

  async #waitFor(
    what: string,
    isThere: (serial: number | undefined) => Promise<boolean>,
    withinMs: number,
  ): Promise<void> {
    const deadline = Date.now() + withinMs;
    let seen: number | undefined;
    while (Date.now() < deadline) {
      seen = this.serial();
      if (await isThere(seen)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(
      `${this.kind} serves ${seen}, not ${what}; its log:\n${this.#log.slice(-4000)}`,
    );
  }

  /** Waits until its log has at least `count` matches of a pattern with the flag g; returns them. */
  async waitForLog(
    pattern: RegExp,
    count: number,
    withinMs = patienceMs,
  ): Promise<RegExpExecArray[]> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      const matches = [...this.#log.matchAll(pattern)];
      if (matches.length >= count) return matches;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.kind} did not log ${pattern} ${count} times`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child);
    removeFolder(this.folder);
  }
}

/**
 * Starts a secondary of `zone` whose primary listens on 127.0.0.1 at `primaryPort`. `zoneLines` are lines of
 * knotd's section of the zone.
 */
export async function startSecondary(
  kind: SecondaryKind,
  zone: string,
  primaryPort: number,
  key?: PeerKey,
  own: Pick<Setup, 'zoneLines' | 'via'> = {},
): Promise<RunningSecondary> {
  const folder = mkdtempSync(join(tmpdir(), `${kind}-`));
  chmodSync(folder, 0o755);
  const setup: Setup = { folder, port: await freePort(), zone, primaryPort, key, ...own };
  const [program, ...args] = starters[kind](setup);
  const path = peer(program!);
  if (path === undefined) throw new Error(`${program} is not installed`);
  const child = spawn(path, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  return new RunningSecondary(kind, setup, child);
}

const starters: Record<SecondaryKind, (setup: Setup) => string[]> = {
  named({ folder, port, zone, primaryPort, key }) {
    const config = join(folder, 'named.conf');
    const keyPart = key
      ? `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };`
      : '';
    writeFileSync(
      config,
      `${keyPart}
      options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; dnssec-validation no; allow-transfer { any; };
        serial-query-rate 1000; minimal-responses no;
      };
      controls { };
      zone "${zone}" {
        type secondary; file "zone.db"; masterfile-format text;
        primaries { 127.0.0.1 port ${primaryPort} ${key ? `key "${key.name}"` : ''}; };
        max-refresh-time 5; min-refresh-time 1; max-retry-time 1; min-retry-time 1;
      };`,
    );
    return ['named', '-g', '-n', '1', '-d', '1', '-c', config];
  },
  knotd({ folder, port, zone, primaryPort, key, zoneLines = [], via }) {
    const config = join(folder, 'knot.conf');
    const keyPart = key
      ? `key:\n  - id: ${key.name}\n    algorithm: ${key.algorithm}\n    secret: ${key.secret}`
      : '';
    const keyLine = key ? `    key: ${key.name}` : '';
    const viaLine = via === undefined ? '' : `    via: ${via}`;
    writeFileSync(
      config,
      `${keyPart}
server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    ${knotPatience}
    background-workers: 1
database:
    storage: ${folder}
log:
  - target: stderr
    any: debug
remote:
  - id: primary
    address: 127.0.0.1@${primaryPort}
${keyLine}
${viaLine}
acl:
  - id: notified
    address: 127.0.0.1
    action: notify
${keyLine}
  - id: read
    address: 127.0.0.1
    action: transfer
zone:
  - domain: ${zone}
    storage: ${folder}
    file: zone.db
    master: primary
    acl: [notified, read]
    refresh-max-interval: 5
    retry-max-interval: 1
${zoneLines.map((line) => `    ${line}\n`).join('')}`,
    );
    return ['knotd', '-c', config];
  },
  nsd({ folder, port, zone, primaryPort, key }) {
    const config = join(folder, 'nsd.conf');
    const keyPart = key
      ? `key:\n    name: "${key.name}"\n    algorithm: ${key.algorithm}\n    secret: "${key.secret}"`
      : '';
    const keyName = key?.name ?? 'NOKEY';
    mkdirSync(join(folder, 'xfr'));
    writeFileSync(
      config,
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
zone:
    name: "${zone}"
    zonefile: "zone.db"
    allow-notify: 127.0.0.1 ${keyName}
    request-xfr: 127.0.0.1@${primaryPort} ${keyName}
    provide-xfr: 127.0.0.1 NOKEY
    max-refresh-time: 5
    max-retry-time: 1
    min-retry-time: 1
`,
    );
    return ['nsd', '-d', '-c', config];
  },
};
