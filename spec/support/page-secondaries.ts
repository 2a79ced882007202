/**
 * Secondaries as the pages of spec/manual/secondaries describe them: the configuration is taken from the
 * page, with addresses, ports and folders of this run. What is added serves only to have several
 * servers on one host and short waits.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { destinationOf } from './destination.ts';
import { keyFor } from '../../src/cli/commands/tsig-key.ts';
import { probeSoa } from '../../src/outbound/soa-probe.ts';
import { controlPart, hasNoted } from './nsd-control.ts';
import { knotPatience, patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess, removeFolder } from './processes.ts';
import type { PeerKey } from './secondaries.ts';

export type PageSecondaryKind = 'named' | 'knotd' | 'nsd' | 'pdns_server';

export const catalogName = 'catalog.invalid';

/** What a page is read for. */
interface Run {
  readonly folder: string;
  readonly port: number;
  readonly primaryPort: number;
  /** Whether it reads the catalog; else it has the zone of the page. */
  readonly fromCatalog: boolean;
  /** Signs what it asks; NOTIFY has to be signed with it too, where the page says so. */
  readonly key: PeerKey | undefined;
  /** Whether it hands its zones to this host by AXFR, so that a test can look at them. */
  readonly handsOut: boolean;
}

export class PageSecondary {
  readonly kind: PageSecondaryKind;
  readonly port: number;
  readonly #child: ChildProcess;
  readonly folder: string;
  #log = '';

  constructor(kind: PageSecondaryKind, { port, folder }: Run, child: ChildProcess) {
    this.kind = kind;
    this.port = port;
    this.folder = folder;
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

  /** The serial it serves of a zone; undefined when it serves none. */
  async serial(zone: string): Promise<number | undefined> {
    const target = destinationOf('127.0.0.1', this.port);
    try {
      return (await probeSoa(target, zone, { tryMs: 1000, tries: 1 })).serial ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** Waits until it serves a zone at `serial`, or, with undefined, not at all. */
  async waitFor(zone: string, serial: number | undefined, withinMs = patienceMs): Promise<void> {
    const deadline = Date.now() + withinMs;
    let seen: number | undefined;
    while (Date.now() < deadline) {
      seen = await this.serial(zone);
      const isServed = seen === serial;
      if (isServed && (serial === undefined || (await hasNoted(this, zone, serial)))) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const what = `${this.kind} serves ${zone} at ${seen}, not ${serial}`;
    throw new Error(`${what}; its log:\n${this.#log.slice(-6000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child);
    removeFolder(this.folder);
  }
}

interface PageOptions {
  readonly fromCatalog?: boolean;
  readonly key?: PeerKey;
  readonly handsOut?: boolean;
}

/** Starts a server from its page, as a secondary of 127.0.0.1 at `primaryPort`. */
export async function startFromPage(
  kind: PageSecondaryKind,
  primaryPort: number,
  { fromCatalog = true, key, handsOut = false }: PageOptions = {},
): Promise<PageSecondary> {
  const folder = mkdtempSync(join(tmpdir(), `${kind}-`));
  chmodSync(folder, 0o755);
  const run: Run = { folder, port: await freePort(), primaryPort, fromCatalog, key, handsOut };
  const path = peer(kind);
  if (path === undefined) throw new Error(`${kind} is not installed`);
  const child = spawn(path, starters[kind](run), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new PageSecondary(kind, run, child);
}

/** The block of a page whose fence names it. */
function blockOf(page: string, name: string): string {
  const url = new URL(`../manual/secondaries/${page}.md`, import.meta.url);
  const found = new RegExp(`^\`\`\`${name}\n([\\s\\S]*?)^\`\`\``, 'm').exec(
    readFileSync(url, 'utf8'),
  );
  if (found === null) throw new Error(`${page}.md has no block ${name}`);
  return found[1]!;
}

/** Replaces what a page says by what is so here; everything in the list has to be there. */
function adapted(text: string, replacements: readonly (readonly [string, string])[]): string {
  let result = text;
  for (const [from, to] of replacements) {
    if (!result.includes(from)) throw new Error(`the page does not say ${from}`);
    result = result.replaceAll(from, to);
  }
  if (/\b192\.0\.2\.|\/(?:var|run)\//.test(result)) throw new Error(`not adapted:\n${result}`);
  return result;
}

/** The key as the command line prints it for the program. */
function keyPart(form: 'named' | 'knot' | 'nsd', key: PeerKey | undefined): string {
  if (key === undefined) return '';
  const { name, algorithm, secret } = key;
  const unused = { id: 1, created_at: '', role_name: '' };
  return keyFor(form, { secret, tsig_key: { ...unused, name, algorithm } });
}

const starters: Record<PageSecondaryKind, (run: Run) => string[]> = {
  named({ folder, port, primaryPort, key, handsOut }) {
    const config = join(folder, 'named.conf');
    const text = adapted(blockOf('bind', 'named.conf'), [
      ['192.0.2.1 port 5300', `127.0.0.1 port ${primaryPort}${key ? ` key "${key.name}"` : ''}`],
      ['port 53 { 192.0.2.53; }', `port ${port} { 127.0.0.1; }`],
      ['/var/cache/bind', folder],
      ['allow-transfer { none; }', `allow-transfer { ${handsOut ? 'any' : 'none'}; }`],
    ]);
    const added = `pid-file none; session-keyfile none; dnssec-validation no;
      serial-query-rate 1000; transfers-in 100; transfers-per-ns 50;`;
    writeFileSync(
      config,
      `controls { };\n${keyPart('named', key)}${text.replace('options {', `options { ${added}`)}`,
    );
    return ['-g', '-n', '1', '-d', '1', '-c', config];
  },
  knotd({ folder, port, primaryPort, key, handsOut }) {
    const config = join(folder, 'knot.conf');
    const text = adapted(blockOf('knot', 'knot.conf'), [
      ['192.0.2.1@5300', `127.0.0.1@${primaryPort}${key ? `\n    key: ${key.name}` : ''}`],
      ['address: 192.0.2.1\n', 'address: 127.0.0.1\n'],
      ['192.0.2.53@53', `127.0.0.1@${port}`],
      ['/run/knot', folder],
      ['/var/lib/knot', folder],
      [
        'acl: notify-from-zonebook\n',
        `acl: [notify-from-zonebook${handsOut ? ', catalog-for-zonebook' : ''}]\n`,
      ],
    ]);
    const served = text.replace('server:\n', `server:\n    ${knotPatience}\n`);
    writeFileSync(
      config,
      `${keyPart('knot', key)}${served}\nlog:\n  - target: stderr\n    any: info\n`,
    );
    return ['-c', config];
  },
  nsd({ folder, port, primaryPort, key }) {
    const config = join(folder, 'nsd.conf');
    const text = adapted(blockOf('nsd', 'nsd.conf'), [
      ['192.0.2.1@5300', `127.0.0.1@${primaryPort}`],
      ['192.0.2.1 NOKEY', '127.0.0.1 NOKEY'],
      ['NOKEY', key?.name ?? 'NOKEY'],
      ['192.0.2.53@53', `127.0.0.1@${port}`],
      ['/var/lib/nsd', folder],
    ]);
    const added = `username: ""\n    chroot: ""\n    database: ""\n    pidfile: ""
    xfrdir: "${folder}"\n    server-count: 1\n    xfrd-reload-timeout: 0\n    verbosity: 3`;
    const served = text.replace('server:\n', `server:\n    ${added}\n`);
    writeFileSync(config, `${controlPart(folder)}\n${keyPart('nsd', key)}${served}`);
    return ['-d', '-c', config];
  },
  pdns_server({ folder, port, primaryPort, fromCatalog }) {
    const text = adapted(blockOf('powerdns', 'pdns.conf'), [
      ['local-address=192.0.2.53', 'local-address=127.0.0.1'],
      ['local-port=53', `local-port=${port}`],
      ['192.0.2.1', '127.0.0.1'],
      ['/var/lib/powerdns', folder],
      ['xfr-cycle-interval=60', 'xfr-cycle-interval=1'],
    ]);
    const added = `daemon=no\nguardian=no\ndisable-syslog=yes\nsocket-dir=${folder}\nloglevel=5
distributor-threads=1\nsecurity-poll-suffix=\nquery-cache-ttl=0\ncache-ttl=0\nnegquery-cache-ttl=0
zone-cache-refresh-interval=0`;
    writeFileSync(join(folder, 'pdns.conf'), `${text}\n${added}\n`);
    const database = new Database(join(folder, 'pdns.sqlite3'));
    const [, schema] = /< (\S+)$/m.exec(blockOf('powerdns', 'sh'))!;
    database.exec(readFileSync(schema!, 'utf8'));
    database.close();
    const commands = adapted(blockOf('powerdns', fromCatalog ? 'catalog' : 'zone'), [
      ['192.0.2.1:5300', `127.0.0.1:${primaryPort}`],
    ]);
    for (const command of commands.trim().split('\n')) {
      const [program, ...args] = command.split(' ');
      execFileSync(peer(program!) ?? program!, [`--config-dir=${folder}`, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    }
    return [`--config-dir=${folder}`];
  },
};
