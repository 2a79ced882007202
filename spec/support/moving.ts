/**
 * Servers that zones move away from, with as many zones as a test likes, secondaries that stay, and who asks these
 * without pause.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import dnsPacket from 'dns-packet';
import { expect } from 'vitest';
import { requestMessage } from './dns-messages.ts';
import { answerByUdp } from './exchanges.ts';
import { knotPatience } from './patience.ts';
import { freePort } from './ports.ts';
import { PeerProcess, peerFolder } from './signed-peers.ts';

/** named as the primary of zones, each with the text of its master file; with a folder for keys it signs them. */
export async function startNamedWith(
  zones: Readonly<Record<string, string>>,
  keyFolder?: string,
): Promise<PeerProcess> {
  const lines = keyFolder === undefined ? '' : 'dnssec-policy default; inline-signing yes;';
  const folder = peerFolder('named');
  const port = await freePort();
  const entries = Object.entries(zones).map(([zone, text], index) => {
    writeFileSync(join(folder, `${index}.db`), text);
    return `zone "${zone}" { type primary; file "${index}.db"; check-names ignore; check-integrity no; ${lines} };`;
  });
  writeFileSync(
    join(folder, 'named.conf'),
    `options {
      directory "${folder}"; key-directory "${keyFolder ?? folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; dnssec-validation no; allow-transfer { 127.0.0.1; };
    };
    controls { };
    ${entries.join('\n')}`,
  );
  return new PeerProcess('named', ['-g', '-n', '1', '-c', 'named.conf'], folder, port);
}

/** A record as PowerDNS keeps it; its name is absolute. */
export interface StoredRecord {
  readonly name: string;
  readonly type: string;
  readonly priority?: number;
  readonly content: string;
}

/** Tables of its SQLite backend. */
export const powerDnsSchema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** PowerDNS with its SQLite backend as the primary of zones that a catalog lists. */
export async function startPowerDnsWith(
  zones: ReadonlyMap<string, readonly StoredRecord[]>,
  catalog: string,
): Promise<PeerProcess> {
  const folder = peerFolder('pdns');
  const port = await freePort();
  const database = new Database(join(folder, 'pdns.sqlite3'));
  database.exec(readFileSync(powerDnsSchema, 'utf8'));
  const addDomain = database.prepare(
    'INSERT INTO domains (name, type, catalog) VALUES (?, ?, ?) RETURNING id',
  );
  const addRecord = database.prepare(
    `INSERT INTO records (domain_id, name, type, content, ttl, prio, auth)
     VALUES (?, ?, ?, ?, 300, ?, 1)`,
  );
  database.transaction(() => {
    const add = (
      zone: string,
      type: string,
      of: string | null,
      records: readonly StoredRecord[],
    ) => {
      const { id } = addDomain.get(zone, type, of) as { id: number };
      for (const record of records) {
        addRecord.run(id, record.name, record.type, record.content, record.priority ?? 0);
      }
    };
    for (const [zone, records] of zones) add(zone, 'MASTER', catalog, records);
    const soa = 'invalid. hostmaster.invalid. 1 60 60 3600 60';
    add(catalog, 'PRODUCER', null, [
      { name: catalog, type: 'SOA', content: soa },
      { name: catalog, type: 'NS', content: 'invalid.' },
    ]);
  })();
  database.close();
  writeFileSync(
    join(folder, 'pdns.conf'),
    `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}
daemon=no
guardian=no
disable-syslog=yes
security-poll-suffix=
allow-axfr-ips=127.0.0.0/8
max-tcp-connections=500
receiver-threads=1
distributor-threads=2
`,
  );
  return new PeerProcess('pdns_server', [`--config-dir=${folder}`], folder, port);
}

/** They read their configuration anew some time after they were told to, so that a NOTIFY may come too soon for it. */
const mostRefreshSeconds = 5;

/** A secondary whose primary can be another from one moment to the next. */
export interface MovableSecondary {
  readonly peer: PeerProcess;
  /** Has it take its zones from there from now on; what it has it serves on. */
  follow(primaryPort: number): void;
}

export async function movableNamed(
  zones: readonly string[],
  primaryPort: number,
): Promise<MovableSecondary> {
  const folder = peerFolder('named');
  const port = await freePort();
  const follow = (primary: number) => {
    const entries = zones.map(
      (zone, index) =>
        `zone "${zone}" { type secondary; file "${index}.zone"; primaries { there; }; };`,
    );
    writeFileSync(
      join(folder, 'named.conf'),
      `options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; dnssec-validation no; minimal-responses yes;
        serial-query-rate 2000; transfers-in 50; transfers-per-ns 50; min-retry-time 1; max-retry-time 5;
        min-refresh-time 1; max-refresh-time ${mostRefreshSeconds};
      };
      controls { };
      primaries there { 127.0.0.1 port ${primary}; };
      ${entries.join('\n')}`,
    );
  };
  follow(primaryPort);
  const peer = new PeerProcess('named', ['-g', '-n', '1', '-c', 'named.conf'], folder, port);
  return {
    peer,
    follow(primary) {
      follow(primary);
      peer.reload();
    },
  };
}

export async function movableKnotd(
  zones: readonly string[],
  primaryPort: number,
): Promise<MovableSecondary> {
  const folder = peerFolder('knotd');
  const port = await freePort();
  const entries = zones.map((zone) => `  - domain: ${zone}\n`).join('');
  const follow = (primary: number) =>
    writeFileSync(
      join(folder, 'knot.conf'),
      `server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    ${knotPatience}
    background-workers: 2
database:
    storage: ${folder}
log:
  - target: stderr
    any: warning
remote:
  - id: there
    address: 127.0.0.1@${primary}
acl:
  - id: notify
    address: 127.0.0.1
    action: notify
template:
  - id: default
    storage: ${folder}
    master: there
    acl: notify
    zonefile-sync: -1
    retry-max-interval: 5
    refresh-max-interval: ${mostRefreshSeconds}
zone:
${entries}`,
    );
  follow(primaryPort);
  const peer = new PeerProcess('knotd', ['-c', 'knot.conf'], folder, port);
  return {
    peer,
    follow(primary) {
      follow(primary);
      peer.reload();
    },
  };
}

/** The serial that a server serves of a zone; undefined when it serves none. */
export async function serialAt(port: number, zone: string): Promise<number | undefined> {
  const { answers } = await askOnce(port, zone, 'SOA', 2000);
  const [serial] = /(?<= )\d+(?= )/.exec(answers[0] ?? '') ?? [];
  return serial === undefined ? undefined : Number(serial);
}

/** Waits until a server serves every zone at its serial. */
export async function untilServed(
  port: number,
  serials: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  let waiting = [...serials];
  for (;;) {
    const left: typeof waiting = [];
    for (let at = 0; at < waiting.length; at += 32) {
      const some = waiting.slice(at, at + 32);
      const seen = await Promise.all(some.map(([zone]) => serialAt(port, zone)));
      left.push(...some.filter(([, serial], index) => seen[index] !== serial));
    }
    waiting = left;
    if (waiting.length === 0) return;
    const [[zone, serial] = ['', 0]] = waiting;
    if (Date.now() > deadline) {
      const seen = await serialAt(port, zone);
      const what = `serves ${zone} at ${seen}, not ${serial}; ${waiting.length} zones are late`;
      throw new Error(`port ${port} ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export interface Answered {
  /** Undefined when none came. */
  readonly rcode: string | undefined;
  readonly isAuthoritative: boolean;
  /** The RDATA of each record of the type that was asked for, in order. */
  readonly answers: readonly string[];
}

export async function askOnce(
  port: number,
  name: string,
  type: string,
  withinMs: number,
): Promise<Answered> {
  const id = Math.floor(Math.random() * 65_536);
  const answer = await answerByUdp(port, requestMessage({ id, name, type }), withinMs);
  if (answer === undefined) return { rcode: undefined, isAuthoritative: false, answers: [] };
  const packet = dnsPacket.decode(answer);
  const answers = (packet.answers ?? []).filter((each) => each.type === type).map(dataOf);
  const { rcode } = packet as unknown as { rcode: string };
  return { rcode, isAuthoritative: packet.flag_aa, answers: answers.sort() };
}

function dataOf(answer: dnsPacket.Answer): string {
  if (answer.type === 'SOA') return Object.values(answer.data).join(' ');
  if (answer.type === 'MX') return `${answer.data.preference} ${answer.data.exchange}`;
  return 'data' in answer ? String(answer.data) : '';
}

/** What came of a question, as one text; undefined when nothing came. */
type Ask = (port: number, name: string, type: string) => Promise<string | undefined>;

/** The RCODE of an authoritative answer, and its RDATA in order. */
async function askServer(port: number, name: string, type: string): Promise<string | undefined> {
  const { rcode, isAuthoritative, answers } = await askOnce(port, name, type, lostMs);
  if (rcode === undefined) return undefined;
  return [isAuthoritative ? rcode : `${rcode} without authority`, ...answers].join(' ');
}

/** A question, and each of the answers that are right now. */
export interface Probe {
  readonly name: string;
  readonly type: string;
  right(): readonly string[];
}

/** Asks servers without pause, and keeps what was not answered, or not rightly. */
export class Prober {
  asked = 0;
  readonly lost: string[] = [];
  readonly wrong: string[] = [];
  readonly #next: () => Probe;
  readonly #ask: Ask;
  readonly #loops: readonly Promise<void>[];
  #isStopped = false;

  /** `ports` are those of servers by name. */
  constructor(ports: Readonly<Record<string, number>>, next: () => Probe, ask: Ask = askServer) {
    this.#next = next;
    this.#ask = ask;
    this.#loops = Object.entries(ports).map(([server, port]) => this.#run(server, port));
  }

  async #run(server: string, port: number): Promise<void> {
    while (!this.#isStopped) {
      const { name, type, right } = this.#next();
      const before = right();
      const seen = await this.#ask(port, name, type);
      this.asked++;
      const at = `${new Date().toISOString()} ${server}: ${name} ${type}`;
      if (seen === undefined) {
        this.lost.push(at);
        continue;
      }
      // What was right when it was asked for may have come a moment later.
      const isRight = [...before, ...right()].includes(seen);
      if (!isRight) this.wrong.push(`${at}: ${seen}, not ${before.join(' or ')}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }
}

/** Ends the questions, when some were asked after all else was done, and expects that each had a right answer. */
export async function expectAllAnswered(prober: Prober): Promise<void> {
  const before = prober.asked;
  await expect.poll(() => prober.asked).toBeGreaterThan(before + 100);
  await prober.stop();
  expect({ lost: prober.lost, wrong: prober.wrong.slice(0, 20) }).toEqual({ lost: [], wrong: [] });
}

/** Milliseconds without an answer after which it counts as lost: resolvers ask again for as long. */
const lostMs = 10_000;
