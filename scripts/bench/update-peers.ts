/**
 * Primaries that take the benchmark's dynamic updates: named and knotd, each as durable and as little
 * burdened as its configuration allows (no log of updates, no rewriting of the zone file).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peer } from '../../spec/support/peers.ts';
import { freePort } from '../../spec/support/ports.ts';
import type { PeerKey } from '../../spec/support/secondaries.ts';

export type PrimaryKind = 'named' | 'knotd';

export interface Primary extends AsyncDisposable {
  readonly port: number;
}

const startTries = 100;

/** Starts a primary of `zone` that takes updates signed with `key`. */
export async function startPrimary(
  kind: PrimaryKind,
  zone: string,
  key: PeerKey,
  signed = false,
): Promise<Primary> {
  const folder = mkdtempSync(join(tmpdir(), `${kind}-updates-`));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const records = [
    `${zone}. 3600 IN SOA ns1.${zone}. hostmaster.${zone}. 1 300 60 3600000 86400`,
    `${zone}. 3600 IN NS ns1.${zone}.`,
    `ns1.${zone}. 3600 IN A 192.0.2.1`,
  ];
  writeFileSync(join(folder, 'zone.db'), `${records.join('\n')}\n`);
  const file = join(folder, `${kind}.conf`);
  const text = configs[kind](folder, port, zone, key);
  writeFileSync(file, signed ? signing(text) : text);
  const args = kind === 'named' ? ['-g', '-c', file] : ['-c', file];
  const child = spawn(peer(kind)!, args, { cwd: folder, stdio: 'ignore' });
  const primary: Primary = {
    port,
    async [Symbol.asyncDispose]() {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (let tries = 0; tries < startTries; tries++) {
    if (serves(port, zone)) return primary;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await primary[Symbol.asyncDispose]();
  throw new Error(`${kind} does not serve ${zone}`);
}

function serves(port: number, zone: string): boolean {
  const options = ['@127.0.0.1', '-p', String(port), zone, 'SOA', '+short', '+tries=1', '+time=1'];
  return /hostmaster/.test(spawnSync(peer('dig') ?? 'dig', options, { encoding: 'utf8' }).stdout);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await end;
}

/** Knot signs what it serves: NSEC3 without iterations, one P-256 key. */
function signing(config: string): string {
  const policy = `policy:
  - id: bench
    algorithm: ecdsap256sha256
    single-type-signing: on
    nsec3: on
    nsec3-iterations: 0
    nsec3-salt-length: 0
`;
  const signed = '    dnssec-signing: on\n    dnssec-policy: bench\n';
  return `${config.replace('\nzone:', `\n${policy}zone:`)}${signed}`;
}

const configs: Record<
  PrimaryKind,
  (folder: string, port: number, zone: string, key: PeerKey) => string
> = {
  named: (folder, port, zone, key) => `
    key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };
    options {
      directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; dnssec-validation no; update-quota 10000;
    };
    logging { category default { null; }; category update { null; }; };
    controls { };
    zone "${zone}" { type primary; file "zone.db"; allow-update { key "${key.name}"; }; };
`,
  knotd: (folder, port, zone, key) => `
server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
database:
    storage: ${folder}
log:
  - target: stderr
    any: error
key:
  - id: ${key.name}
    algorithm: ${key.algorithm}
    secret: ${key.secret}
acl:
  - id: writes
    key: ${key.name}
    action: update
zone:
  - domain: ${zone}
    storage: ${folder}
    file: zone.db
    zonefile-sync: -1
    acl: writes
`,
};
