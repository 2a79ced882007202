/**
 * Journal, projections and writer over a database in a folder of its own, for tests of what is
 * stored: everything below the doors, nothing faked but the clock where a test gives one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import type { Command, CreateZone, OutcomeOf, RecordOutcome } from '../../src/domain/command.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import type { Zone } from '../../src/domain/zone.ts';
import { openWorkers } from '../../src/background/workers.ts';
import type { WorkerPool } from '../../src/base/worker-pool.ts';
import { Writer } from '../../src/writer/writer.ts';
import type { SubmitOptions } from '../../src/writer/submission.ts';
import type { Connection } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { Keystore } from '../../src/keystore/keystore.ts';
import { NodeReader } from '../../src/query/node-reader.ts';
import { RecordQueries } from '../../src/query/record-queries.ts';
import { SecondaryQueries } from '../../src/query/named-queries.ts';
import { SnapshotPool } from '../../src/query/snapshot.ts';
import { ZoneQueries } from '../../src/query/zone-queries.ts';
import { isLong } from './long.ts';
import { openTestDatabase } from './test-database.ts';

/** Defaults of the service (decisions, section 6). */
export const zoneDefaults = {
  defaultTtl: 3600,
  minimumTtl: 86_400,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
};

export const catalogZoneName = 'catalog.invalid';

export const apiOptions: SubmitOptions = {
  source: 'api',
  actor: null,
  requestId: null,
  dryRun: false,
};

export const dryRun: SubmitOptions = { ...apiOptions, dryRun: true };

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'zonebook-'));
}

export interface StoredZonesOptions {
  /** An existing data folder; without it a new one that goes with `close`. */
  readonly folder?: string;
  readonly clock?: Clock;
  /** False saves the fsyncs, for tests that make thousands of commits and pull no plug. */
  readonly durable?: boolean;
}

export interface StoredZones {
  readonly folder: string;
  readonly file: string;
  readonly connection: Connection;
  readonly journal: Journal;
  readonly writer: Writer;
  readonly zones: ZoneQueries;
  readonly records: RecordQueries;
  readonly secondaries: SecondaryQueries;
  readonly nodes: NodeReader;
  readonly snapshots: SnapshotPool;
  readonly workers: WorkerPool;
  run<C extends Command>(command: C, options?: SubmitOptions): Promise<OutcomeOf<C>>;
  /** A zone without records, unless `fields` ask for its apex NS. */
  zone(name: string, fields?: Partial<CreateZone>): Promise<Zone>;
  add(zoneName: string, ...records: RecordInput[]): Promise<RecordOutcome>;
  close(): Promise<void>;
}

export function openStoredZones(options: StoredZonesOptions = {}): StoredZones {
  const folder = options.folder ?? temporaryFolder();
  const database = openTestDatabase(folder);
  const { connection, file } = database;
  if (options.durable === false) connection.pragma('synchronous = OFF');
  const journal = new Journal(connection);
  const clock = options.clock ?? (() => Date.now());
  const keystore = new Keystore(connection, join(folder, 'keys.key'));
  const writer = new Writer(
    { connection, journal, keystore, clock },
    { zoneDefaults, catalogZoneName },
  );
  const snapshots = new SnapshotPool(file);
  const workers = openWorkers(file, folder);
  const run: StoredZones['run'] = (command, submit = apiOptions) => writer.submit(command, submit);
  return {
    folder,
    file,
    connection,
    journal,
    writer,
    zones: new ZoneQueries(connection),
    records: new RecordQueries(connection),
    secondaries: new SecondaryQueries(connection),
    nodes: new NodeReader(connection),
    snapshots,
    workers,
    run,
    async zone(name, fields) {
      const command: CreateZone = {
        kind: 'create-zone',
        name,
        mname: 'ns1.example.net',
        rname: 'hostmaster@example.net',
        apexNs: false,
        ...fields,
      };
      return (await run(command)).zone;
    },
    add: (zoneName, ...records) => run({ kind: 'create-records', zoneName, records }),
    async close() {
      await writer.close();
      await workers.close();
      snapshots.close();
      database.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A record as a caller writes it: `record('www', 'A', '192.0.2.1', { ttl: 60 })`. */
export function record(
  name: string,
  type: string,
  value: RecordInput['value'],
  more: Partial<RecordInput> = {},
): RecordInput {
  return { name, type, value, ...more };
}

/** The rows of every table that a command may write, as text: equal means nothing was written. */
export function everything(connection: Connection): string {
  const tables = [
    'event',
    'event_delta',
    'zone',
    'deleted_zone',
    'former_name',
    'record',
    'block',
    'secondary',
  ];
  const rows = [...tables, 'counter'].map((table) =>
    connection.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
  );
  return JSON.stringify(rows);
}

const longFactor = isLong ? 10 : 1;

/** Runs of a property: `usual`, or ten times that with LONG_TESTS. */
export function runs(usual: number): number {
  return usual * longFactor;
}
