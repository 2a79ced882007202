/**
 * Real primaries: named, knotd and nsd as processes of their own, each serving one zone from a file
 * and sending it to whoever asks from loopback. named and knotd take updates from there, if a test says so.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knotPatience } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { RunningSecondary, type SecondaryKind } from './secondaries.ts';

export type PrimaryKind = SecondaryKind;

/** A server of one zone is handled the same way wherever its zone comes from. */
export type RunningPrimary = RunningSecondary;

interface Setup {
  readonly folder: string;
  readonly port: number;
  readonly zone: string;
  readonly sendsZone: boolean;
  readonly takesUpdates: boolean;
}

interface PrimaryOptions {
  /** False for a primary that refuses to send its zone. */
  readonly sendsZone?: boolean;
  /** True for one that takes dynamic updates, signed or not; nsd never does. */
  readonly takesUpdates?: boolean;
}

const zoneFile = 'zone.db';

/** Starts a primary of `zone`, whose master file is `text`; it serves the zone when this is over. */
export async function startPrimary(
  kind: PrimaryKind,
  zone: string,
  text: string,
  { sendsZone = true, takesUpdates = false }: PrimaryOptions = {},
): Promise<RunningPrimary> {
  const folder = mkdtempSync(join(tmpdir(), `${kind}-`));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, zoneFile), text);
  const port = await freePort();
  const [program, ...args] = starters[kind]({ folder, port, zone, sendsZone, takesUpdates });
  const path = peer(program!);
  if (path === undefined) throw new Error(`${program} is not installed`);
  const child = spawn(path, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const setup = { folder, port, zone, primaryPort: 0, key: undefined };
  const primary = new RunningSecondary(kind, setup, child);
  try {
    await primary.waitForZone();
    return primary;
  } catch (error) {
    await primary[Symbol.asyncDispose]();
    throw error;
  }
}

const starters: Record<PrimaryKind, (setup: Setup) => string[]> = {
  named({ folder, port, zone, sendsZone, takesUpdates }) {
    const config = join(folder, 'named.conf');
    writeFileSync(
      config,
      `options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; dnssec-validation no;
        allow-transfer { ${sendsZone ? '127.0.0.1' : 'none'}; };
      };
      controls { };
      zone "${zone}" { type primary; file "${zoneFile}"; check-names ignore; check-integrity no;
        allow-update { ${takesUpdates ? '127.0.0.1' : 'none'}; }; };`,
    );
    return ['named', '-g', '-n', '1', '-d', '1', '-c', config];
  },
  knotd({ folder, port, zone, sendsZone, takesUpdates }) {
    const config = join(folder, 'knot.conf');
    writeFileSync(
      config,
      `server:
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
    any: info
acl:
  - id: here
    address: 127.0.0.1
    action: ${takesUpdates ? '[transfer, update]' : 'transfer'}
zone:
  - domain: ${zone}
    storage: ${folder}
    file: ${zoneFile}
${sendsZone ? '    acl: here\n' : ''}`,
    );
    return ['knotd', '-c', config];
  },
  nsd({ folder, port, zone, sendsZone }) {
    const config = join(folder, 'nsd.conf');
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
    verbosity: 2
    server-count: 1
remote-control:
    control-enable: no
zone:
    name: "${zone}"
    zonefile: "${zoneFile}"
${sendsZone ? '    provide-xfr: 127.0.0.1 NOKEY\n' : ''}`,
    );
    return ['nsd', '-d', '-c', config];
  },
};
