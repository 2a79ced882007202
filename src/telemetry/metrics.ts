/**
 * Metrics: everything the service counts, in the text form that Prometheus scrapes. One row each: counters, gauges,
 * and the histograms where they are made.
 *
 * A counter is one method with plain arguments, cheap enough for every DNS query. What others know better (zones,
 * records, the database) is asked for at scrape time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, Registry } from '@prometheus-io/client';
import { systemClock } from '../base/clock.ts';
import { storageFaultKinds } from '../base/storage-fault.ts';
import {
  type CountersOf,
  counter,
  createCounter,
  createCounters,
  createHistogram,
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
  storageFaults: counter(
    'zonebook_storage_faults_total',
    'Writes and reads that failed because of the disk or the database file, by kind.',
    ['kind', storageFaultKinds],
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

const signingKeyStates = ['published', 'active', 'retired'] as const;
type SigningKeyState = (typeof signingKeyStates)[number];

/** What a scrape asks of DNSSEC; one answer serves all its gauges. */
export interface SigningTotals {
  /** Zones that are signed. */
  readonly zones: number;
  /** By state; a removed key has none. */
  readonly keys: Readonly<Record<SigningKeyState, number>>;
  /** Signatures that lie in the refresh window of their policy, and those past their end. */
  readonly expiring: number;
  readonly expired: number;
  /** Signatures before their time. */
  readonly future: number;
  /** Zones of which a parent serves a DS set that names no key. */
  readonly foreignDs: number;
}

/** What the last verification of the database came to. */
export interface VerifyTotals {
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  readonly findings: number;
  readonly durationMs: number;
}

/** What a scrape asks of the rest of the service. */
export interface MetricSources {
  zones(): number;
  records(): number;
  databaseUp(): boolean;
  /** Whether changes can be written. */
  storageWritable(): boolean;
  /** Bytes. */
  wal(): { readonly bytes: number; readonly pendingBytes: number };
  /** Zones of secondaries that are ahead of ours. */
  zonesAhead(): number;
  /** Asked once a scrape. */
  signing(): SigningTotals;
  /** The last verification of the database; undefined before the first. */
  verified(): VerifyTotals | undefined;
}

/** What a gauge shows, of those who answer so far; undefined shows 0. */
type GaugeRead = (from: Partial<MetricSources>) => number | undefined;
type GaugeRow = readonly [name: string, help: string, read: GaugeRead];

const gaugeRows: readonly GaugeRow[] = [
  ['database_up', '1 while the database answers.', (from) => Number(from.databaseUp?.() ?? false)],
  [
    'storage_writable',
    '1 while changes can be written to the disk.',
    (from) => Number(from.storageWritable?.() ?? true),
  ],
  ['zones_total', 'Zones stored.', (from) => from.zones?.()],
  ['records_total', 'Records stored by users.', (from) => from.records?.()],
  ['wal_bytes', 'Bytes of the WAL in use.', (from) => from.wal?.().bytes],
  [
    'wal_pending_bytes',
    'Bytes of the WAL that no checkpoint has copied into the database file yet.',
    (from) => from.wal?.().pendingBytes,
  ],
  [
    'secondary_zones_ahead_total',
    'Zones that secondaries serve under serials we never had, as far as they were asked.',
    (from) => from.zonesAhead?.(),
  ],
  [
    'database_verify_timestamp_seconds',
    'When the database was last verified, in seconds since 1970; 0 before the first time.',
    (from) => (from.verified?.()?.atMs ?? 0) / 1000,
  ],
  [
    'database_verify_duration_seconds',
    'Seconds that the last verification of the database took.',
    (from) => (from.verified?.()?.durationMs ?? 0) / 1000,
  ],
  [
    'database_verify_findings',
    'What the last verification of the database found; 0 when all was intact.',
    (from) => from.verified?.()?.findings,
  ],
  ['dnssec_zones_total', 'Zones that are signed.', (from) => from.signing?.().zones],
  [
    'dnssec_rrsigs_expiring_total',
    'Signatures that are due for renewal: in the refresh window of their policy.',
    (from) => from.signing?.().expiring,
  ],
  [
    'dnssec_foreign_ds_zones_total',
    'Signed zones of which a parent serves a DS set that names none of their keys.',
    (from) => from.signing?.().foreignDs,
  ],
  ['dnssec_rrsigs_expired_total', 'Signatures past their end.', (from) => from.signing?.().expired],
  [
    'dnssec_rrsigs_future_total',
    'Signatures before their time: the clock was ahead when they were made.',
    (from) => from.signing?.().future,
  ],
];

export interface Metrics extends CountersOf<typeof counterRows> {
  readonly httpRequests: {
    inc(method: string, route: string, status: number): void;
    /** Shows a route, with the statuses it can answer, before anybody asks for it. */
    announce(method: string, route: string, statuses: Iterable<number>): void;
  };
  readonly httpRequestDuration: { observe(method: string, route: string, seconds: number): void };
  readonly journalCommitDuration: { observe(seconds: number): void };
  readonly journalBatchSize: { observe(commands: number): void };
  /** Names who answers for gauges; those that nobody has named yet show 0. */
  collectFrom(sources: Partial<MetricSources>): void;
  render(): Promise<string>;
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
  let sources: Partial<MetricSources> = {};
  /** The sources of the scrape in progress. */
  let scraped = sources;
  addFixed(registry, options);
  for (const [name, help, read] of gaugeRows) addGauge(name, help, () => read(scraped));
  addGauge('event_loop_lag_seconds', loopDelayHelp, () => {
    const longestMs = loopDelay.max / 1e6 - loopSampleMs;
    loopDelay.reset();
    return Math.max(0, longestMs) / 1000;
  });
  addKeyGauge(registry, () => scraped.signing?.().keys);

  function addGauge(name: string, help: string, read: () => number | undefined): void {
    const made: Gauge = new Gauge({
      name: `zonebook_${name}`,
      help,
      registers: [registry],
      collect: () => made.set(readOrZero(read)),
    });
  }

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
    collectFrom(named) {
      sources = { ...sources, ...named };
    },
    render() {
      scraped = askedOnce(sources);
      return registry.metrics();
    },
    contentType: registry.contentType,
    close() {
      loopDelay.disable();
    },
  };
}

const loopDelayHelp = 'Longest event-loop delay since the previous scrape, in seconds.';

/** What stays the same as long as the service runs. */
function addFixed(registry: Registry, options: MetricsOptions): void {
  const registers = [registry];
  new Gauge({
    name: 'zonebook_build_info',
    help: 'Always 1; the label says which version runs.',
    labelNames: ['version'],
    registers,
  }).set({ version: options.version ?? 'unknown' }, 1);
  new Gauge({
    name: 'zonebook_started_at_seconds',
    help: 'When the service started, in seconds since 1970.',
    registers,
  }).set((options.startedAtMs ?? systemClock()) / 1000);
}

function addKeyGauge(registry: Registry, keys: () => SigningTotals['keys'] | undefined): void {
  const made: Gauge<'state'> = new Gauge({
    name: 'zonebook_dnssec_keys_total',
    help: 'Signing keys, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const state of signingKeyStates) {
        made.set(
          { state },
          readOrZero(() => keys()?.[state]),
        );
      }
    },
  });
}

/** The same sources, of which the dear one is asked when it is wanted, and not again. */
function askedOnce(sources: Partial<MetricSources>): Partial<MetricSources> {
  if (sources.signing === undefined) return sources;
  let signing: SigningTotals | undefined;
  return { ...sources, signing: () => (signing ??= sources.signing!()) };
}

/** A closed database answers nothing; database_up says so, and no other metric is spoilt. */
function readOrZero(read: () => number | undefined): number {
  try {
    return read() ?? 0;
  } catch {
    return 0;
  }
}
