/** The HTTP interface over a real engine and a database in a temporary folder, without sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { ZoneChange } from '../../src/engine/submission.ts';
import { createApp } from '../../src/http/app.ts';
import type { NotifyFailure } from '../../src/http/services.ts';
import { openDatabase } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { RecordQueries } from '../../src/projection/record-queries.ts';
import { SecondaryQueries } from '../../src/projection/secondary-queries.ts';
import { ZoneQueries } from '../../src/projection/zone-queries.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { jsonOf } from './json.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

const catalogZoneName = 'catalog.invalid';
const zoneDefaults = {
  defaultTtl: 3600,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
  minimumTtl: 86_400,
};

export class InProcessService {
  /** What NOTIFY was asked for, in order. */
  readonly notified: (string | undefined)[] = [];
  readonly notifyFailures: NotifyFailure[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'zonebook-test-'));
  readonly #database = openDatabase(this.#folder);
  readonly #journal = new Journal(this.#database.connection);
  readonly #metrics = createMetrics();
  readonly #engine: Engine;
  readonly #app: ReturnType<typeof createApp>;
  #passedMs = 0;
  #published: ZoneChange[] = [];

  constructor() {
    const { connection } = this.#database;
    const clock = () => systemClock() + this.#passedMs;
    this.#engine = new Engine(
      { connection, journal: this.#journal, clock, metrics: this.#metrics },
      { zoneDefaults, catalogZoneName },
    );
    this.#engine.onCommit((changes) => void this.#published.push(...changes));
    this.#app = createApp({
      engine: this.#engine,
      zones: new ZoneQueries(connection),
      records: new RecordQueries(connection),
      secondaries: new SecondaryQueries(connection),
      metrics: this.#metrics,
      log: silentLog(),
      clock,
      notifier: {
        notifyNow: async (zoneName) => {
          this.notified.push(zoneName);
          return this.notifyFailures;
        },
      },
      options: {
        authenticationRequired: false,
        metricsEnabled: true,
        openapiEnabled: true,
        catalogZoneName,
        maxImportBytes: 256 * 1024 * 1024,
      },
      version: '0.0.0',
    });
  }

  async #send(method: string, path: string, given: unknown) {
    const init: RequestInit = { method };
    if (given !== undefined) {
      init.headers = { 'content-type': 'application/json' };
      init.body = JSON.stringify(given);
    }
    const response = await this.#app.request(path, init);
    return { status: response.status, body: await jsonOf(response) };
  }

  /** Sends a request that must go well, with `status` when it is given; returns the body. */
  async call(method: string, path: string, given?: unknown, status?: number): Promise<Json> {
    const answered = await this.#send(method, path, given);
    if (status !== undefined) expect(answered).toMatchObject({ status });
    else expect(answered.status, JSON.stringify(answered.body)).toBeLessThan(300);
    return answered.body;
  }

  /** Expects a refusal with a code and a part of its message. */
  async refused(method: string, path: string, given: unknown, code: string, says = '') {
    const answered = await this.#send(method, path, given);
    expect({ path, given, code: answered.body.code, answered }).toMatchObject({ code });
    expect(answered.body.error).toContain(says);
  }

  /** Changes published since the last look. */
  changes(): ZoneChange[] {
    const seen = this.#published;
    this.#published = [];
    return seen;
  }

  /** Events in the journal. */
  events(): number {
    return this.#journal.head().seq;
  }

  /** Moves the clock on. */
  pass(milliseconds: number): void {
    this.#passedMs += milliseconds;
  }

  async createZone(name: string, fields: object = {}): Promise<Json> {
    const given = { name, mname: `ns1.${name}`, rname: `hostmaster@${name}`, ...fields };
    return (await this.call('POST', '/zones', given, 201)).zone;
  }

  async serialOf(zone: string): Promise<number> {
    return (await this.call('GET', `/zones/${encodeURIComponent(zone)}`)).zone.serial;
  }

  /** Puts the projection of a zone to a serial that no test could reach by steps. */
  forceSerial(zone: string, serial: number): void {
    const { connection } = this.#database;
    connection.prepare('UPDATE zone SET serial = ? WHERE name = ?').run(serial, zone);
    this.#engine.forget();
  }

  async close(): Promise<void> {
    await this.#engine.close();
    this.#metrics.close();
    this.#database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
