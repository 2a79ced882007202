/**
 * Metrics: everything the service counts, in the text form that Prometheus scrapes.
 *
 * Each counter is one method with plain arguments, cheap enough for every DNS query. Label
 * combinations known beforehand are present at 0 from the start, so that a rate never misses its
 * first event. What others know better (zones, records, the database) is asked for at scrape time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, Histogram, Registry } from '@prometheus-io/client';
import { systemClock } from '../base/clock.ts';
import { type StorageFaultKind, storageFaultKinds } from '../base/storage-fault.ts';
import {
  knownRcodes,
  type NotifyResult,
  notifyResults,
  type RateLimitResult,
  rateLimitResults,
  type SchedulerResult,
  type SigningKeyState,
  type SoaQueryResult,
  schedulerResults,
  signingKeyStates,
  soaQueryResults,
  type TransferResult,
  type TransferType,
  type Transport,
  transferResults,
  transferTypes,
  transports,
  type UpdateResult,
  updateResults,
} from './labels.ts';
import type { MetricSources } from './metric-sources.ts';
import { createTally } from './tally.ts';
import { addVerifyGauges, type VerifyTotals } from './verify-metrics.ts';

export type { VerifyTotals } from './verify-metrics.ts';

/** What a scrape asks of DNSSEC; one answer serves all its gauges. */
export interface SigningTotals {
  /** Zones that are signed. */
  readonly zones: number;
  readonly keys: Readonly<Record<SigningKeyState, number>>;
  /** Signatures that lie in the refresh window of their policy, and those past their end. */
  readonly expiring: number;
  readonly expired: number;
  /** Signatures before their time. */
  readonly future: number;
  /** Zones of which a parent serves a DS set that names no key. */
  readonly foreignDs: number;
}

const nothingSigned: SigningTotals = {
  zones: 0,
  keys: { published: 0, active: 0, retired: 0 },
  expiring: 0,
  expired: 0,
  future: 0,
  foreignDs: 0,
};

export interface Metrics {
  /** `route` is the pattern of the route, never the path of a request: its values must stay few. */
  readonly httpRequests: {
    inc(method: string, route: string, status: number): void;
    /** Shows a route, with the statuses it can answer, before anybody asks for it. */
    announce(method: string, route: string, statuses: Iterable<number>): void;
  };
  readonly httpRequestDuration: { observe(method: string, route: string, seconds: number): void };
  readonly transfers: {
    inc(type: TransferType, result: TransferResult, transport: Transport): void;
  };
  readonly soaQueries: { inc(result: SoaQueryResult): void };
  /** `rcode` is the name of the answer's RCODE in capitals (`NOERROR`). */
  readonly dnsQueries: { inc(rcode: string): void };
  readonly rateLimited: { inc(result: RateLimitResult): void };
  readonly updates: { inc(result: UpdateResult): void };
  readonly notifySent: { inc(result: NotifyResult): void };
  readonly zoneSerialBumps: { inc(by?: number): void };
  readonly journalEvents: { inc(by?: number): void };
  readonly journalCommitDuration: { observe(seconds: number): void };
  readonly journalBatchSize: { observe(commands: number): void };
  /** Runs of what re-signs and rolls keys by itself. */
  readonly schedulerRuns: { inc(result: SchedulerResult): void };
  /** RRSIGs made. */
  readonly signatures: { inc(by: number): void };
  /** Reads of a block, or of a part of a delta, that did not fit its checksum. */
  readonly checksumFailures: { inc(): void };
  /** Writes, and reads, that the disk or the file failed. */
  readonly storageFaults: { inc(kind: StorageFaultKind): void };
  /** Names who answers for the gauges; until then they show 0. */
  collectFrom(sources: MetricSources): void;
  /** Names who answers for those of DNSSEC; it is asked once a scrape. */
  collectSigningFrom(read: () => SigningTotals): void;
  /** The same for verifications of the database. */
  collectVerifyFrom(read: () => VerifyTotals | undefined): void;
  render(): Promise<string>;
  readonly contentType: string;
  /** Stops measuring the event loop. */
  close(): void;
}

export interface MetricsOptions {
  version?: string;
  startedAtMs?: number;
}

/** Milliseconds between two looks at the event loop; what a look measures includes them. */
const loopSampleMs = 10;

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const loopDelay = monitorEventLoopDelay({ resolution: loopSampleMs });
  loopDelay.enable();
  let sources: MetricSources = {
    zones: () => 0,
    records: () => 0,
    databaseUp: () => false,
    wal: () => ({ bytes: 0, pendingBytes: 0 }),
  };
  let readSigning = () => nothingSigned;
  let readVerified: () => VerifyTotals | undefined = () => undefined;
  /** What was read for the scrape under way. */
  let signing: SigningTotals | undefined;

  const buildInfo = new Gauge({
    name: 'zonebook_build_info',
    help: 'Always 1; the label says which version runs.',
    labelNames: ['version'],
    registers,
  });
  buildInfo.set({ version: options.version ?? 'unknown' }, 1);

  const startedAt = new Gauge({
    name: 'zonebook_started_at_seconds',
    help: 'When the service started, in seconds since 1970.',
    registers,
  });
  startedAt.set((options.startedAtMs ?? systemClock()) / 1000);

  gauge('zonebook_database_up', '1 while the database answers.', () => {
    return sources.databaseUp() ? 1 : 0;
  });
  gauge('zonebook_storage_writable', '1 while changes can be written to the disk.', () => {
    return sources.storageWritable?.() === false ? 0 : 1;
  });
  gauge('zonebook_zones_total', 'Zones stored.', () => sources.zones());
  gauge('zonebook_records_total', 'Records stored by users.', () => sources.records());
  gauge('zonebook_wal_bytes', 'Bytes of the WAL in use.', () => sources.wal().bytes);
  gauge(
    'zonebook_wal_pending_bytes',
    'Bytes of the WAL that no checkpoint has copied into the database file yet.',
    () => sources.wal().pendingBytes,
  );
  gauge(
    'zonebook_secondary_zones_ahead_total',
    'Zones that secondaries serve under serials we never had, as far as they were asked.',
    () => sources.zonesAhead?.() ?? 0,
  );
  gauge(
    'zonebook_event_loop_lag_seconds',
    'Longest hold-up of the event loop since the previous scrape, in seconds.',
    () => {
      const longestMs = loopDelay.max / 1e6 - loopSampleMs;
      loopDelay.reset();
      return Math.max(0, longestMs) / 1000;
    },
  );
  addVerifyGauges(gauge, () => readVerified());
  const signingNow = () => {
    signing ??= readSigning();
    return signing;
  };
  gauge('zonebook_dnssec_zones_total', 'Zones that are signed.', () => signingNow().zones);
  gauge(
    'zonebook_dnssec_rrsigs_expiring_total',
    'Signatures that are due for renewal: in the refresh window of their policy.',
    () => signingNow().expiring,
  );
  gauge(
    'zonebook_dnssec_foreign_ds_zones_total',
    'Signed zones of which a parent serves a DS set that names none of their keys.',
    () => signingNow().foreignDs,
  );
  gauge('zonebook_dnssec_rrsigs_expired_total', 'Signatures past their end.', () => {
    return signingNow().expired;
  });
  gauge(
    'zonebook_dnssec_rrsigs_future_total',
    'Signatures before their time: the clock was ahead when they were made.',
    () => signingNow().future,
  );
  const signingKeys: Gauge<'state'> = new Gauge({
    name: 'zonebook_dnssec_keys_total',
    help: 'Signing keys, by state.',
    labelNames: ['state'],
    registers,
    collect: () => {
      for (const state of signingKeyStates) {
        signingKeys.set(
          { state },
          readOrZero(() => signingNow().keys[state]),
        );
      }
    },
  });

  /** A gauge that is read when it is scraped. */
  function gauge(name: string, help: string, read: () => number): void {
    const made: Gauge = new Gauge({
      name,
      help,
      registers,
      collect: () => made.set(readOrZero(read)),
    });
  }

  const httpRequests = createTally(
    registers,
    'zonebook_http_requests_total',
    'HTTP requests answered.',
    ['method', 'route', 'status'],
  );
  const transfers = createTally(
    registers,
    'zonebook_xfr_total',
    'Zone transfers out, by type asked for, result and transport.',
    ['type', 'result', 'transport'],
    [transferTypes, transferResults, transports],
  );
  const soaQueries = createTally(
    registers,
    'zonebook_soa_queries_total',
    'SOA queries, by result.',
    ['result'],
    [soaQueryResults],
  );
  const dnsQueries = createTally(
    registers,
    'zonebook_dns_queries_total',
    'DNS messages answered, by RCODE.',
    ['rcode'],
    [knownRcodes],
  );
  const rateLimited = createTally(
    registers,
    'zonebook_dns_rate_limited_total',
    'DNS queries over UDP beyond the limit of answers to a prefix, dropped or answered in short.',
    ['result'],
    [rateLimitResults],
  );
  const updates = createTally(
    registers,
    'zonebook_nsupdate_requests_total',
    'Dynamic updates answered, by result.',
    ['result'],
    [updateResults],
  );
  const notifySent = createTally(
    registers,
    'zonebook_notify_sent_total',
    'NOTIFY exchanges that ended, by result.',
    ['result'],
    [notifyResults],
  );
  const schedulerRuns = createTally(
    registers,
    'zonebook_dnssec_scheduler_runs_total',
    'Runs of what re-signs zones and rolls keys by itself, by result.',
    ['result'],
    [schedulerResults],
  );
  const signatures = createTally(
    registers,
    'zonebook_signatures_total',
    'DNSSEC signatures made.',
    [],
    [],
  );
  const checksumFailures = createTally(
    registers,
    'zonebook_block_checksum_failures_total',
    'Reads of stored records that did not fit their checksum, and were refused.',
    [],
    [],
  );
  const storageFaults = createTally(
    registers,
    'zonebook_storage_faults_total',
    'Writes and reads that failed because of the disk or the database file, by kind.',
    ['kind'],
    [storageFaultKinds],
  );
  const zoneSerialBumps = createTally(
    registers,
    'zonebook_zone_serial_bumps_total',
    'Serial steps of all zones.',
    [],
    [],
  );
  const journalEvents = createTally(
    registers,
    'zonebook_journal_events_total',
    'Events appended to the journal.',
    [],
    [],
  );

  const httpRequestDuration = new Histogram({
    name: 'zonebook_http_request_duration_seconds',
    help: 'Seconds from the request line to the end of the answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const durationOfRoute = new Map<string, { observe(seconds: number): void }>();
  const journalCommitDuration = new Histogram({
    name: 'zonebook_journal_commit_duration_seconds',
    help: 'Seconds of one commit: all its commands and the write to disk.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const journalBatchSize = new Histogram({
    name: 'zonebook_journal_batch_size',
    help: 'Commands that share one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });

  return {
    httpRequests: {
      inc: (method, route, status) => httpRequests.inc(1, method, route, String(status)),
      announce(method, route, statuses) {
        for (const status of statuses) httpRequests.inc(0, method, route, String(status));
        httpRequestDuration.zero({ method, route });
      },
    },
    httpRequestDuration: {
      observe(method, route, seconds) {
        const key = `${method} ${route}`;
        let duration = durationOfRoute.get(key);
        if (duration === undefined) {
          duration = httpRequestDuration.labels(method, route);
          durationOfRoute.set(key, duration);
        }
        duration.observe(seconds);
      },
    },
    transfers: { inc: (type, result, transport) => transfers.inc(1, type, result, transport) },
    soaQueries: { inc: (result) => soaQueries.inc(1, result) },
    dnsQueries: { inc: (rcode) => dnsQueries.inc(1, rcode) },
    rateLimited: { inc: (result) => rateLimited.inc(1, result) },
    updates: { inc: (result) => updates.inc(1, result) },
    notifySent: { inc: (result) => notifySent.inc(1, result) },
    schedulerRuns: { inc: (result) => schedulerRuns.inc(1, result) },
    signatures: { inc: (by) => signatures.inc(by) },
    checksumFailures: { inc: () => checksumFailures.inc(1) },
    storageFaults: { inc: (kind) => storageFaults.inc(1, kind) },
    zoneSerialBumps: { inc: (by = 1) => zoneSerialBumps.inc(by) },
    journalEvents: { inc: (by = 1) => journalEvents.inc(by) },
    journalCommitDuration: { observe: (seconds) => journalCommitDuration.observe(seconds) },
    journalBatchSize: { observe: (commands) => journalBatchSize.observe(commands) },
    collectFrom(next) {
      sources = next;
    },
    collectVerifyFrom(read) {
      readVerified = read;
    },
    collectSigningFrom(read) {
      readSigning = read;
    },
    render() {
      signing = undefined;
      return registry.metrics();
    },
    contentType: registry.contentType,
    close() {
      loopDelay.disable();
    },
  };
}

/** A closed database answers nothing; database_up says so, and no other metric is spoilt. */
function readOrZero(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}
