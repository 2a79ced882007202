/** The HTTP interface over a real writer and a database in a temporary folder, without sockets. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openPolicy } from './destination.ts';
import { expectDocumented } from './documented.ts';
import type { FailedSecondary } from '../../src/background/notify.ts';
import type { SecondaryCheck, SecondaryState } from '../../src/background/prober.ts';
import type { SecondaryReach } from '../../src/background/propagation.ts';
import { Repairer } from '../../src/background/repair/repairer.ts';
import { openWorkers } from '../../src/background/workers.ts';
import type { WorkerPool } from '../../src/base/worker-pool.ts';
import { systemClock } from '../../src/base/clock.ts';
import { compose, jobsOf, type Parts, type PartsConfig } from '../../src/daemon/compose.ts';
import { loadConfig } from '../../src/daemon/config.ts';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import type { SecondaryAnswer } from '../../src/dnssec/secondary-serials.ts';
import { judgeSerials, type Said } from '../../src/domain/seen-serials.ts';
import { Writer } from '../../src/writer/writer.ts';
import type { Bindings } from '../../src/http/app.ts';
import type { ZoneChange } from '../../src/writer/submission.ts';
import type { EventRow } from '../../src/journal/event-row.ts';
import type { WritableDatabase } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { Keystore } from '../../src/keystore/keystore.ts';
import type { OutboundPolicy } from '../../src/outbound/policy.ts';
import { splitHostAndPort } from '../../src/outbound/address.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { noTransfers } from '../../src/query/transfer-queries.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { jsonOf } from './json.ts';
import { openTestDatabase } from './test-database.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

const defaults = loadConfig({ env: {}, cwd: tmpdir() });
const { catalogZoneName, zoneDefaults } = defaults.dns;

const bySystem = { source: 'system', actor: null, requestId: null, dryRun: false } as const;

/** What a check says when nobody can be asked. */
const uncheckedSecondary: SecondaryCheck = {
  addresses: [],
  resolveError: 'nobody is asked without sockets',
  catalogZoneName,
  catalogSerial: 1,
  catalog: {
    address: '192.0.2.53:53',
    status: 'unreachable',
    visibleSerial: null,
    error: 'nobody is asked without sockets',
    lastTransfer: null,
  },
  listenerError: null,
  notifies: [],
  transfers: noTransfers,
};

/** What is known of a secondary that nobody asks. */
const stateOf = ({ name }: { readonly name: string }): SecondaryState => ({
  name,
  askedAt: null,
  inSync: null,
  behind: 0,
  silence: null,
  lag: null,
  lastTransfer: null,
  lastNotify: null,
});

/** What imports may ask and take of servers. */
interface Outbound {
  readonly policy: OutboundPolicy;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
}

/** The role and the policy that every service has. */
const eventsOfStart = 2;

export class InProcessService {
  /** What NOTIFY was asked for, in order. */
  readonly notified: (string | undefined)[] = [];
  readonly notifyFailures: FailedSecondary[] = [];
  /** Names of zones that a secondary is said to be behind with. */
  readonly lagging = new Set<string>();
  /** Holds the database. */
  readonly folder = mkdtempSync(join(tmpdir(), 'zonebook-test-'));
  readonly #database: WritableDatabase;
  readonly #journal: Journal;
  readonly #metrics = createMetrics();
  readonly #workers: WorkerPool;
  /** Tests may submit commands of their own. */
  readonly writer: Writer;
  /** What parents say; tests say it for them. */
  parents: (zoneName: string, addresses: readonly string[]) => ParentAnswer[] = (_, addresses) =>
    addresses.map((address) => ({ address, failure: 'nobody is asked without sockets' }));
  /** What secondaries serve; tests say it for them. */
  secondaries: (zoneName: string) => SecondaryAnswer[] = () => [];
  /** What secondaries serve, by zone; tests say it. */
  seenSerials: () => Promise<Iterable<Said>> = async () => [];
  /** How far secondaries followed; tests say it for them. */
  reached: SecondaryReach[] = [];
  readonly #parts: Parts;
  readonly #app: ReturnType<Parts['createHttp']>;
  #repairer: Repairer | undefined;
  #clock = systemClock;
  #passedMs = 0;
  #published: ZoneChange[] = [];

  /**
   * `outbound` is what imports may ask, how long they wait for an answer, and how much they take. `kept`: days of
   * history. `from` is the folder of a service that was kept (closeAndKeep), which this one is a copy of.
   */
  constructor(
    options: Partial<PartsConfig['api']> = {},
    kept = { days: 1, signerDays: 1 },
    outbound: Outbound = { policy: openPolicy(), timeoutMs: 5000 },
    from?: string,
  ) {
    if (from !== undefined) cpSync(from, this.folder, { recursive: true });
    this.#database = openTestDatabase(this.folder);
    this.#workers = openWorkers(this.#database.file, this.folder);
    const { connection } = this.#database;
    this.#journal = new Journal(connection);
    const keystore = new Keystore(connection, join(this.folder, 'keys.key'));
    const clock = () => this.now();
    this.writer = new Writer(
      { connection, journal: this.#journal, keystore, clock },
      { zoneDefaults, catalogZoneName },
    );
    // The first thing a service does, so that there is a role for the first token.
    void this.writer.submit({ kind: 'ensure-admin-role' }, bySystem);
    void this.writer.submit({ kind: 'ensure-default-policy' }, bySystem);
    this.writer.onCommit((changes) => void this.#published.push(...changes));
    this.#parts = compose(
      {
        connection,
        keystore,
        clock,
        writer: this.writer,
        metrics: this.#metrics,
        file: this.#database.file,
        workers: this.#workers,
        log: silentLog(),
        storage: { problem: undefined, reportRead: () => false },
        outbound: outbound.policy,
        askParents: async (zoneName, { parentNsAddrs }) => this.parents(zoneName, parentNsAddrs),
        askSecondaries: async (zoneName) => this.secondaries(zoneName),
      },
      {
        ...defaults,
        dns: {
          ...defaults.dns,
          schedulerIntervalSecs: 0,
          import: {
            timeoutSecs: outbound.timeoutMs / 1000,
            maxRecords: 100_000,
            maxBytes: outbound.maxBytes ?? 100_000_000,
          },
          zoneHistoryRetentionDays: kept.days,
          signerHistoryRetentionDays: kept.signerDays,
        },
        api: {
          ...defaults.api,
          authenticationRequired: false,
          openapiEnabled: true,
          externalDnsEnabled: true,
          authFailuresPerMinute: 0,
          ...options,
        },
      },
    );
    this.#app = this.#parts.createHttp({
      notifier: {
        notifyNow: async (zoneName) => {
          this.notified.push(zoneName);
          return this.notifyFailures;
        },
      },
      // Sockets are for tests of the whole service.
      prober: {
        status: async () => [],
        check: async () => uncheckedSecondary,
        seenSerials: async (zones) => {
          const own = new Map(zones.map(({ name, serial }) => [name, serial]));
          const said = [...(await this.seenSerials())].filter(([name]) => own.has(name));
          return judgeSerials([{ name: 'ns1', serials: said }], (name) => own.get(name)!);
        },
        behind: () => this.lagging,
        known: async (secondaries) => ({ states: secondaries.map(stateOf), zones: [] }),
        listens: { address: '0.0.0.0', port: 5300 },
        addressesOf: async ({ address }) => [splitHostAndPort(address).host],
      },
      propagation: { reach: async () => this.reached, allReach: async () => true },
    });
  }

  get tokenUse(): Parts['tokenUse'] {
    return this.#parts.tokenUse;
  }

  /** Refused logins, which the service has journalled now and then. */
  get refusedLogins(): Parts['refusedLogins'] {
    return this.#parts.refusedLogins;
  }

  /** Tests may record what secondaries fetched. */
  get transferLog(): Parts['transferLog'] {
    return this.#parts.transferLog;
  }

  get webhooks(): Parts['jobs']['webhooks'] {
    return this.#parts.jobs.webhooks;
  }

  /** How far webhooks got, as it is stored. */
  webhookCursors() {
    return this.#parts.webhooks.cursors();
  }

  get searchIndex(): Parts['jobs']['searchIndex'] {
    return this.#parts.jobs.searchIndex;
  }

  /** Mends what is found damaged from now on, as a service does. */
  mendDamage(): void {
    this.#repairer = new Repairer({
      writer: this.writer,
      connection: this.#database.connection,
      workers: this.#workers,
      metrics: this.#metrics,
      log: silentLog(),
    });
  }

  get retention(): Parts['jobs']['retention'] {
    return this.#parts.jobs.retention;
  }

  get signing(): Parts['signing'] {
    return this.#parts.signing;
  }

  /** Sends a request as it is; `as` is the secret of a token, or `local` for the local socket. */
  fetch(method: string, path: string, given?: unknown, as?: string): Promise<Response> {
    const headers: Record<string, string> = {};
    const init: RequestInit = { method, headers };
    if (as !== undefined && as !== 'local') headers.authorization = `Bearer ${as}`;
    if (given !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(given);
    }
    const via = as === 'local' ? 'local' : 'network';
    return Promise.resolve(this.#app.request(path, init, { via }));
  }

  /** A request of the test's own making, by the network door unless `more` says another. */
  request(path: string, init: RequestInit, more: Bindings = {}): Promise<Response> {
    return Promise.resolve(this.#app.request(path, init, { via: 'network', ...more }));
  }

  async #send(method: string, path: string, given: unknown, as: string | undefined) {
    const response = await this.fetch(method, path, given, as);
    const body = await jsonOf(response);
    if (response.status >= 400) expectDocumented(method, path, body.code);
    return { status: response.status, body };
  }

  /** Sends a request that must go well, with `status` when it is given; returns the body. */
  async call(
    method: string,
    path: string,
    given?: unknown,
    status?: number,
    as?: string,
  ): Promise<Json> {
    const answered = await this.#send(method, path, given, as);
    if (status !== undefined)
      expect(answered, JSON.stringify(answered.body)).toMatchObject({ status });
    else expect(answered.status, JSON.stringify(answered.body)).toBeLessThan(300);
    return answered.body;
  }

  /** Expects a refusal with a code and a part of its message. */
  async refused(
    method: string,
    path: string,
    given: unknown,
    code: string,
    says = '',
    as?: string,
  ): Promise<Json> {
    const answered = await this.#send(method, path, given, as);
    expect({ path, given, code: answered.body.code, answered }).toMatchObject({ code });
    expect(answered.body.error).toContain(says);
    return answered;
  }

  /**
   * Makes a role with grants and a token of it; returns the token's secret. Without grants the role
   * has none; `admin` as grants is the built-in role.
   */
  async tokenOf(name: string, grants: readonly object[] | 'admin', more: object = {}) {
    const role = grants === 'admin' ? 'admin' : name;
    if (grants !== 'admin') {
      await this.call('POST', '/roles', { name }, 201, 'local');
      for (const grant of grants) {
        await this.call('POST', `/roles/${name}/grants`, grant, 201, 'local');
      }
    }
    const body = { name, role_name: role, ...more };
    return (await this.call('POST', '/tokens', body, 201, 'local')).secret as string;
  }

  /** Changes published since the last look. */
  changes(): ZoneChange[] {
    const seen = this.#published;
    this.#published = [];
    return seen;
  }

  /** Events in the journal, without those of its start: a test may ask before they are there. */
  events(): number {
    return Math.max(0, this.#journal.head().seq - eventsOfStart);
  }

  lastEvent(): EventRow | undefined {
    return [...this.#journal.events(this.#journal.head().seq - 1)].at(-1);
  }

  /**
   * The projections that differ from a replay of the journal, once what large changes have left behind is cleared away,
   * as a service does by and by; and what is left of contents that no zone shows.
   */
  async verify(): Promise<string[]> {
    while (await this.writer.operate({ kind: 'clear-stages' }));
    const { connection } = this.#database;
    const left = connection
      .prepare(
        `SELECT DISTINCT content FROM block WHERE content NOT IN
          (SELECT content FROM zone UNION ALL SELECT content FROM deleted_zone
           UNION ALL SELECT former_content FROM stage WHERE former_content IS NOT NULL)`,
      )
      .pluck()
      .all();
    const findings = left.map((content) => `blocks of ${content}, which no zone shows`);
    return [...findings, ...verifyProjections(connection, this.#journal)];
  }

  /** The time of the service. */
  now(): number {
    return this.#clock() + this.#passedMs;
  }

  /** From now on time passes by `pass` alone: what is asked late is told the same. */
  stopClock(): void {
    const stoppedAt = systemClock();
    this.#clock = () => stoppedAt;
  }

  /** Moves the clock on. */
  pass(milliseconds: number): void {
    this.#passedMs += milliseconds;
  }

  async createZone(name: string, fields: object = {}): Promise<Json> {
    const given = { name, mname: `ns1.${name}`, rname: `hostmaster@${name}`, ...fields };
    return (await this.call('POST', '/zones', given, 201, 'local')).zone;
  }

  async serialOf(zone: string): Promise<number> {
    return (await this.call('GET', `/zones/${encodeURIComponent(zone)}`)).zone.serial;
  }

  /** Puts the projection of a zone to a serial that no test could reach by steps. */
  forceSerial(zone: string, serial: number): void {
    const { connection } = this.#database;
    connection.prepare('UPDATE zone SET serial = ? WHERE name = ?').run(serial, zone);
    this.writer.forget();
  }

  async close(): Promise<void> {
    await this.closeAndKeep();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Leaves the folder to others, which copy it. */
  async closeAndKeep(): Promise<void> {
    await this.#repairer?.stop();
    // Some were never started, and go on since a request woke them.
    for (const job of jobsOf(this.#parts)) await job.stop();
    await this.writer.close();
    await this.#workers.close();
    this.#metrics.close();
    this.#database.close();
  }
}
