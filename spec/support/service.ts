/** The HTTP interface over a real engine and a database in a temporary folder, without sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { ZoneChange } from '../../src/engine/submission.ts';
import { Engine } from '../../src/engine/engine.ts';
import { createApp } from '../../src/http/app.ts';
import type { NotifyFailure, Services } from '../../src/http/services.ts';
import { openDatabase } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { RecordQueries } from '../../src/projection/record-queries.ts';
import { SecondaryQueries } from '../../src/projection/secondary-queries.ts';
import { ZoneQueries } from '../../src/projection/zone-queries.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

/** The bodies of answers are looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

export interface Answered {
  readonly status: number;
  readonly body: Json;
}

export interface TestService {
  /** Sends a request; expects `status` when it is given and returns the parsed body. */
  call(method: string, path: string, body?: unknown, status?: number): Promise<Json>;
  /** Expects a refusal with a code and a part of its message. */
  refused(method: string, path: string, body: unknown, code: string, says?: string): Promise<void>;
  /** Changes published since the last look. */
  changes(): ZoneChange[];
  /** Events in the journal. */
  events(): number;
  /** Moves the clock on. */
  pass(milliseconds: number): void;
  createZone(name: string, fields?: object): Promise<Json>;
  serialOf(zone: string): Promise<number>;
  readonly notified: (string | undefined)[];
  readonly notifyFailures: NotifyFailure[];
  close(): Promise<void>;
}

export function startService(options: Partial<Services['options']> = {}): TestService {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-test-'));
  const database = openDatabase(folder);
  const { connection } = database;
  const journal = new Journal(connection);
  const metrics = createMetrics();
  let passedMs = 0;
  const clock = () => systemClock() + passedMs;
  const engine = new Engine(
    { connection, journal, clock, metrics },
    {
      zoneDefaults: {
        defaultTtl: 3600,
        refresh: 300,
        retry: 60,
        expire: 3_600_000,
        minimumTtl: 86_400,
      },
      catalogZoneName: 'catalog.invalid',
    },
  );
  let published: ZoneChange[] = [];
  engine.onCommit((changes) => void published.push(...changes));
  const notified: (string | undefined)[] = [];
  const notifyFailures: NotifyFailure[] = [];
  const app = createApp({
    engine,
    zones: new ZoneQueries(connection),
    records: new RecordQueries(connection),
    secondaries: new SecondaryQueries(connection),
    metrics,
    log: silentLog(),
    clock,
    notifier: {
      async notifyNow(zoneName) {
        notified.push(zoneName);
        return notifyFailures;
      },
    },
    options: {
      authenticationRequired: false,
      metricsEnabled: true,
      openapiEnabled: true,
      catalogZoneName: 'catalog.invalid',
      maxImportBytes: 256 * 1024 * 1024,
      ...options,
    },
    version: '0.0.0',
  });

  async function send(method: string, path: string, body: unknown): Promise<Answered> {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.headers = { 'content-type': 'application/json' };
      init.body = JSON.stringify(body);
    }
    const response = await app.request(path, init);
    return { status: response.status, body: await response.json() };
  }

  const service: TestService = {
    notified,
    notifyFailures,
    async call(method, path, body, status) {
      const answered = await send(method, path, body);
      if (status === undefined)
        expect(answered.status, JSON.stringify(answered.body)).toBeLessThan(300);
      else expect(answered).toMatchObject({ status });
      return answered.body;
    },
    async refused(method, path, body, code, says = '') {
      const answered = await send(method, path, body);
      expect({ path, body, code: answered.body.code, ...answered }).toMatchObject({ code });
      expect(answered.body.error).toContain(says);
    },
    changes() {
      const seen = published;
      published = [];
      return seen;
    },
    events: () => journal.head().seq,
    pass(milliseconds) {
      passedMs += milliseconds;
    },
    async createZone(name, fields = {}) {
      const body = { name, mname: `ns1.${name}`, rname: `hostmaster@${name}`, ...fields };
      return (await service.call('POST', '/zones', body, 201)).zone;
    },
    async serialOf(zone) {
      return (await service.call('GET', `/zones/${encodeURIComponent(zone)}`)).zone.serial;
    },
    async close() {
      await engine.close();
      metrics.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return service;
}
