/**
 * Metrics: everything the service counts, in the text form that Prometheus scrapes. One row each: counters, gauges,
 * and the histograms where they are made.
 *
 * A counter is one method with plain arguments, cheap enough for every DNS query. A gauge is asked for at scrape time,
 * of whoever knows it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, Registry } from '@prometheus-io/client';
import { systemClock } from '../base/clock.ts';
import { lintCodes } from '../base/warning.ts';
import { storageProblemKinds } from '../base/storage-problem.ts';
import type { MetricValues } from './troubles.ts';
import {
  type CountersOf,
  counter,
  createCounter,
  createCounters,
  createGauges,
  createHistogram,
  type GaugeValuesOf,
  gauge,
  labelledGauge,
} from './registry.ts';

const transferTypes = ['axfr', 'ixfr'] as const;
export type TransferType = (typeof transferTypes)[number];

const transferResults = ['ok', 'refused', 'failed'] as const;
export type TransferResult = (typeof transferResults)[number];

const transports = ['tcp', 'udp'] as const;
export type Transport = (typeof transports)[number];

/** `prerequisite`: one did not hold; `malformed` are messages outside the zone too. */
const updateResults = ['ok', 'prerequisite', 'refused', 'notauth', 'malformed', 'failed'] as const;
export type UpdateResult = (typeof updateResults)[number];

/** RCODEs that the nameserver answers with (RFC 1035 4.1.1, RFC 2136 2.2, RFC 6891 9); others would be counted too. */
const rcodes: readonly string[] = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
  'BADVERS',
  'BADCOOKIE',
];

const counterRows = {
  transfers: counter(
    'zonebook_xfr_total',
    'Zone transfers out, by type asked for, result and transport.',
    ['type', transferTypes],
    ['result', transferResults],
    ['transport', transports],
  ),
  soaQueries: counter('zonebook_soa_queries_total', 'SOA queries, by result.', [
    'result',
    ['answered', 'refused', 'notauth', 'failed'],
  ]),
  dnsQueries: counter('zonebook_dns_queries_total', 'DNS messages answered, by RCODE.', [
    'rcode',
    rcodes,
  ]),
  rateLimited: counter(
    'zonebook_dns_rate_limited_total',
    'DNS queries over UDP beyond the limit of answers to a prefix, dropped or answered in short.',
    ['result', ['dropped', 'slipped']],
  ),
  updates: counter('zonebook_nsupdate_requests_total', 'Dynamic updates answered, by result.', [
    'result',
    updateResults,
  ]),
  notifySent: counter('zonebook_notify_sent_total', 'NOTIFY exchanges that ended, by result.', [
    'result',
    ['ok', 'failed'],
  ]),
  schedulerRuns: counter(
    'zonebook_dnssec_scheduler_runs_total',
    'Runs of what re-signs zones and rolls keys by itself, by result.',
    ['result', ['ok', 'failed']],
  ),
  signatures: counter('zonebook_signatures_total', 'DNSSEC signatures made.'),
  checksumFailures: counter(
    'zonebook_block_checksum_failures_total',
    'Reads of stored records that did not fit their checksum, and were refused.',
  ),
  storageProblems: counter(
    'zonebook_storage_faults_total',
    'Writes and reads that failed because of the disk or the database file, by kind.',
    ['kind', storageProblemKinds],
  ),
  zoneSerialBumps: counter('zonebook_zone_serial_bumps_total', 'Serial steps of all zones.'),
  journalEvents: counter('zonebook_journal_events_total', 'Events appended to the journal.'),
};

/** `route` is the pattern of the route, never the path of a request: its values must stay few. */
const httpRequestsRow = counter(
  'zonebook_http_requests_total',
  'HTTP requests answered.',
  ['method', null],
  ['route', null],
  ['status', null],
);

/** Numbers that others know, and give under the key of a row (collectFrom). */
const gaugeRows = {
  startedAt: gauge(
    'zonebook_started_at_seconds',
    'When the service started, in seconds since 1970.',
  ),
  eventLoopLag: gauge(
    'zonebook_event_loop_lag_seconds',
    'Longest event-loop delay since the previous scrape, in seconds.',
  ),
  databaseUp: gauge('zonebook_database_up', '1 while the database answers.'),
  storageWritable: gauge(
    'zonebook_storage_writable',
    '1 while changes can be written to the disk.',
    1,
  ),
  zones: gauge('zonebook_zones_total', 'Zones stored.'),
  records: gauge('zonebook_records_total', 'Records stored by users.'),
  eventStreams: gauge('zonebook_event_streams', 'Streams of events that are open.'),
  webhooksBehind: gauge(
    'zonebook_webhook_events_behind',
    'Events that the webhook furthest behind is still to look at.',
  ),
  webhooksSuspended: gauge('zonebook_webhooks_suspended', 'Webhooks that are suspended.'),
  walBytes: gauge('zonebook_wal_bytes', 'Bytes of the WAL in use.'),
  walPendingBytes: gauge(
    'zonebook_wal_pending_bytes',
    'Bytes of the WAL that no checkpoint has copied into the database file yet.',
  ),
  databaseBytes: gauge('zonebook_database_bytes', 'Bytes of the database file, without the WAL.'),
  diskFreeBytes: gauge(
    'zonebook_disk_free_bytes',
    'Bytes that the service can still write to the file system of its database.',
  ),
  backedUpAt: gauge(
    'zonebook_backup_timestamp_seconds',
    'When the last backup was made, in seconds since 1970; absent while none is known.',
    null,
  ),
  backupEvent: gauge(
    'zonebook_backup_event',
    'The last event that is in the last backup; absent while none is known.',
    null,
  ),
  historyDays: labelledGauge(
    'zonebook_history_retention_days',
    'Days that old versions are kept: those of changes, and those that only re-signed; 0 is for ever.',
    ['of', ['changes', 'signing']],
  ),
  zonesAhead: gauge(
    'zonebook_secondary_zones_ahead_total',
    'Zones that secondaries serve under serials we never had, as far as they were asked.',
  ),
  differingZones: gauge(
    'zonebook_secondary_content_differs',
    'Zones of which a secondary served other records than we have when they were compared last.',
  ),
  verifiedAt: gauge(
    'zonebook_database_verify_timestamp_seconds',
    'When the database was last verified, in seconds since 1970; 0 before the first time.',
  ),
  verifyDuration: gauge(
    'zonebook_database_verify_duration_seconds',
    'Seconds that the last verification of the database took.',
  ),
  verifyEvents: gauge(
    'zonebook_database_verify_events',
    'Events that the last verification of the database checked, from the first one on.',
  ),
  verifyResults: gauge(
    'zonebook_database_verify_findings',
    'What the last verification of the database found; 0 when all was intact.',
  ),
  lintResults: labelledGauge(
    'zonebook_zone_lint_findings',
    'What the last lint of all zones found, by kind.',
    ['kind', lintCodes],
  ),
  signedZones: gauge('zonebook_dnssec_zones_total', 'Zones that are signed.'),
  signingKeys: labelledGauge('zonebook_dnssec_keys_total', 'Signing keys, by state.', [
    'state',
    ['published', 'active', 'retired'],
  ]),
  expiringSignatures: gauge(
    'zonebook_dnssec_rrsigs_expiring_total',
    'Signatures that are due for renewal: in the refresh window of their policy.',
  ),
  expiredSignatures: gauge('zonebook_dnssec_rrsigs_expired_total', 'Signatures past their end.'),
  futureSignatures: gauge(
    'zonebook_dnssec_rrsigs_future_total',
    'Signatures before their time: the clock was ahead when they were made.',
  ),
  foreignDsZones: gauge(
    'zonebook_dnssec_foreign_ds_zones_total',
    'Signed zones of which a parent serves a DS set that names none of their keys to validators.',
  ),
};

/** Gauges by the keys of their rows; those that are left out have their first value. */
export type GaugeValues = GaugeValuesOf<typeof gaugeRows>;

export interface Metrics extends CountersOf<typeof counterRows> {
  readonly httpRequests: {
    inc(method: string, route: string, status: number): void;
    /** Shows a route, with the statuses it can answer, before anybody asks for it. */
    announce(method: string, route: string, statuses: Iterable<number>): void;
  };
  readonly httpRequestDuration: { observe(method: string, route: string, seconds: number): void };
  readonly journalCommitDuration: { observe(seconds: number): void };
  readonly journalBatchSize: { observe(commands: number): void };
  /** Adds who knows gauges; asked once a scrape. One that throws spoils no other metric. */
  collectFrom(read: () => GaugeValues): void;
  render(): Promise<string>;
  /** All values by name and labels. */
  values(): Promise<MetricValues>;
  readonly contentType: string;
  /** Stops measuring the event loop. */
  close(): void;
}

export interface MetricsOptions {
  readonly version?: string;
  readonly startedAtMs?: number;
}

/** Milliseconds between two looks at the event loop; what a look measures includes them. */
const loopSampleMs = 10;

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const loopDelay = monitorEventLoopDelay({ resolution: loopSampleMs });
  loopDelay.enable();
  const startedAt = (options.startedAtMs ?? systemClock()) / 1000;
  const sources: (() => GaugeValues)[] = [
    () => ({ startedAt }),
    () => {
      const longestMs = loopDelay.max / 1e6 - loopSampleMs;
      loopDelay.reset();
      return { eventLoopLag: Math.max(0, longestMs) / 1000 };
    },
  ];
  /** The gauges of the scrape in progress. */
  let scraped: GaugeValues = {};
  const scrape = () => {
    scraped = Object.assign({}, ...sources.map(valuesOf));
  };
  createGauges(registry, gaugeRows, () => scraped);
  addBuildInfo(registry, options.version ?? 'unknown');
  const httpRequests = createCounter(registry, httpRequestsRow);
  const httpRequestDuration = createHistogram(
    registry,
    'zonebook_http_request_duration_seconds',
    'Seconds from the request line to the end of the answer.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ['method', 'route'],
  );
  return {
    ...createCounters(registry, counterRows),
    httpRequests: {
      inc: (method, route, status) => httpRequests.inc(method, route, String(status)),
      announce(method, route, statuses) {
        for (const status of statuses) httpRequests.announce(method, route, String(status));
        httpRequestDuration.announce(method, route);
      },
    },
    httpRequestDuration: {
      observe: (method, route, seconds) => httpRequestDuration.observe(seconds, method, route),
    },
    journalCommitDuration: createHistogram(
      registry,
      'zonebook_journal_commit_duration_seconds',
      'Seconds of one commit: all its commands and the write to disk.',
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ),
    journalBatchSize: createHistogram(
      registry,
      'zonebook_journal_batch_size',
      'Commands that share one commit.',
      [1, 2, 4, 8, 16, 32, 64, 128, 256],
    ),
    collectFrom: (read) => void sources.push(read),
    render() {
      scrape();
      return registry.metrics();
    },
    async values() {
      scrape();
      const metrics = await registry.getMetricsAsJSON();
      const found = metrics.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => [name + labelsText(labels), value] as const),
      );
      return new Map(found);
    },
    contentType: registry.contentType,
    close: () => void loopDelay.disable(),
  };
}

/** It stays the same as long as the service runs. */
function addBuildInfo(registry: Registry, version: string): void {
  new Gauge({
    name: 'zonebook_build_info',
    help: 'Always 1; the label says which version runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}

/** As they stand in the text form; '' without any. */
function labelsText(labels: Readonly<Partial<Record<string, string | number>>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

/** A closed database answers nothing: database_up says so. */
function valuesOf(read: () => GaugeValues): GaugeValues {
  try {
    return read();
  } catch {
    return {};
  }
}
