/**
 * The composition root: makes every part that does not listen to a socket, and hands the parts to each other. The
 * service and the tests are put together here alone; tests have a writer in their own thread, and neighbours who
 * answer what the test says.
 *
 *   foundation, writer -> compose() -> readers, importer, signing, jobs -> createHttp()
 */
import { createSigning, type Signing, type SigningServices } from '../background/dnssec/signing.ts';
import { Importer } from '../background/import/importer.ts';
import { createJobs, type Jobs, type ServiceJob } from '../background/jobs.ts';
import type { Clock } from '../base/clock.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import { isZoneEvent } from '../domain/event.ts';
import type { Writer } from '../writer/writer.ts';
import { createApp } from '../http/app.ts';
import { Cursors } from '../http/cursor.ts';
import { Logins, type LoginServices } from '../http/login.ts';
import type { HttpOptions, Services } from '../http/services.ts';
import type { Connection } from '../journal/database.ts';
import { Journal } from '../journal/journal.ts';
import type { Keystore } from '../keystore/keystore.ts';
import { canonicalAddress, isLoopback } from '../outbound/address.ts';
import { Outbound, type OutboundPolicy } from '../outbound/policy.ts';
import { AccessQueries } from '../query/access-queries.ts';
import { KeptSecondaries, PolicyQueries, WebhookQueries } from '../query/named-queries.ts';
import { Reader } from '../query/reader.ts';
import { RightsReader } from '../query/rights-reader.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { TransferQueries } from '../query/transfer-queries.ts';
import { DeletedZoneQueries, ZoneQueries } from '../query/zone-queries.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { version } from './version.ts';
import { Notes } from './writing.ts';

/** Who writes: the client of the thread that does, or a writer in this thread. */
export type WriterService = Pick<
  Writer,
  'submit' | 'operate' | 'hold' | 'endStage' | 'sendKeys' | 'onCommit' | 'onEvents' | 'signAhead'
>;

/** What the parts are made with. */
export interface Ground extends Pick<SigningServices, 'askParents' | 'askSecondaries'> {
  /** The database. */
  readonly file: string;
  readonly workers: WorkerPool;
  /** It is only read by. */
  readonly connection: Connection;
  readonly writer: WriterService;
  readonly keystore: Keystore;
  readonly storage: Services['storage'];
  readonly outbound: OutboundPolicy;
  /** Authorities that webhooks trust besides those that Node brings along, in PEM. */
  readonly authorities?: readonly string[];
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** The keys of the configuration that the parts go by. */
export interface PartsConfig extends Pick<Config, 'database' | 'dns'> {
  readonly api: Omit<HttpOptions, 'catalogZoneName' | 'consoleEnabled'> &
    LoginServices['options'] &
    Pick<Config['api'], 'console' | 'listenAddr' | 'tlsCertFile'>;
}

export interface Parts extends Readers {
  readonly importer: Importer;
  readonly signing: Signing;
  readonly jobs: Jobs;
  /** The HTTP interface, for the neighbours that its listeners have. */
  createHttp(
    neighbours: Pick<Services, 'notifier' | 'prober' | 'propagation'>,
  ): ReturnType<typeof createApp>;
}

export function compose(ground: Ground, { database, dns, api }: PartsConfig): Parts {
  const { connection, metrics } = ground;
  const readers = createReaders(ground);
  const importer = new Importer(
    { ...ground, zones: readers.zones },
    {
      defaultTtl: dns.zoneDefaults.defaultTtl,
      transferTimeoutMs: dns.import.timeoutSecs * 1000,
      transferMaxRecords: dns.import.maxRecords,
      transferMaxBytes: dns.import.maxBytes,
    },
  );
  const journal = new Journal(connection);
  const signing = createSigning({
    ...ground,
    ...readers,
    reader: readers.records,
    signing: new SigningQueries(connection),
    lastEventAt: () => journal.newest().at,
    intervalSecs: dns.schedulerIntervalSecs,
  });
  const { zones, lint } = readers;
  const outbound = new Outbound(ground.outbound);
  const services = { ...ground, ...readers, zones, lint, outbound, scheduler: signing.scheduler };
  const jobs = createJobs(services, { database, dns });
  metrics.collectFrom(() => {
    const eventStreams = readers.records.tail.size;
    return { databaseUp: 1, eventStreams, ...readers.zones.counts() };
  });
  for (const job of jobsOf({ jobs })) metrics.collectFrom(() => job.gauges?.() ?? {});
  const made = { ...readers, importer, signing, jobs };
  const { catalogZoneName } = dns;
  const options = { ...api, catalogZoneName, consoleEnabled: servesConsole(api) };
  const logins = new Logins({ ...ground, ...readers, options });
  const cursors = new Cursors((purpose) => ground.keystore.keyFor(purpose));
  return {
    ...made,
    createHttp: (neighbours) =>
      createApp({
        ...ground,
        ...made,
        ...neighbours,
        dnssec: signing.signingService,
        zonesBySigning: signing.zonesBySigning,
        logins,
        cursors,
        options,
        version,
      }),
  };
}

/** Where browsers keep the cookie of a session: what comes over HTTPS, and from loopback. */
export function servesConsole({ console, listenAddr, tlsCertFile }: PartsConfig['api']): boolean {
  if (console !== 'auto') return console === 'on';
  return tlsCertFile !== undefined || isLoopback(canonicalAddress(listenAddr) ?? listenAddr);
}

/** The jobs in the order of their list. */
export function jobsOf({ jobs }: Pick<Parts, 'jobs'>): readonly ServiceJob[] {
  return Object.values(jobs);
}

type Readers = ReturnType<typeof createReaders>;

/** Everything that reads what is stored, by one connection; long reads are done by a worker. */
function createReaders({ workers, connection, writer, keystore, clock }: Ground) {
  const access = new AccessQueries(connection);
  const rights = new RightsReader(access);
  const secondaries = new KeptSecondaries(connection);
  writer.onEvents((events) => {
    rights.take(events);
    records.tail.committed();
    if (events.every(({ event }) => isZoneEvent(event))) return;
    keystore.forget();
    secondaries.forget();
  });
  const records = new Reader(workers, connection);
  const notes = new Notes(connection, writer, clock);
  const { transferLog, tokenUse, sessionUse, refusedLogins } = notes;
  return {
    zones: new ZoneQueries(connection),
    deletedZones: new DeletedZoneQueries(connection),
    records,
    versions: records.versions,
    events: records.events,
    lint: records.lint,
    exporter: records,
    externalDns: records.externalDns,
    secondaries,
    webhooks: new WebhookQueries(connection),
    policies: new PolicyQueries(connection),
    access,
    rights,
    notes,
    transferLog,
    tokenUse,
    sessionUse,
    refusedLogins,
    transfers: new TransferQueries(connection, transferLog),
  };
}
