/**
 * The jobs of the service: what works by itself for as long as it runs. Each is one file, listed once, here. By this
 * list the service starts and stops a job, shows its gauges, and lets it work at once when a disk that failed can be
 * written again; handlers of the HTTP interface have it by its name, as `jobs.verifier`.
 */
import type { GaugeValues } from '../telemetry/metrics.ts';
import type { SigningScheduler } from './dnssec/scheduler.ts';
import { ServedChecks, type ServedServices } from './served/served-checks.ts';
import { Linter, type LinterServices } from './linter.ts';
import { NetChanges, type NetChangeServices } from './net-changes/net-changes.ts';
import { SearchIndexer, type SearchServices } from './search/search-indexer.ts';
import { createClearing } from './import/clearing.ts';
import { Retention, type RetentionServices } from './retention/retention.ts';
import { Webhooks, type WebhookServices } from './webhooks/webhooks.ts';
import { Verifier, type VerifierServices } from './verify/verifier.ts';
import type { ZoneQueries } from '../query/zone-queries.ts';

/** What every job can do, most of them as a Periodic (base/periodic.ts). */
export interface ServiceJob {
  /** Begins when everything is served. */
  start(): void;
  /** Ends when the run in progress is at a good end; no other begins. */
  stop(): Promise<void> | void;
  /** Works at once, for a job that writes: a disk that failed can be written again. */
  resume?(): void;
  /** What the metrics show of it. */
  gauges?(): GaugeValues;
}

/** What jobs are made with. */
export interface JobServices
  extends RetentionServices,
    VerifierServices,
    LinterServices,
    NetChangeServices,
    SearchServices,
    ServedServices,
    WebhookServices {
  readonly writer: RetentionServices['writer'] &
    WebhookServices['writer'] &
    NetChangeServices['writer'] &
    SearchServices['writer'];
  readonly log: VerifierServices['log'];
  readonly zones: ZoneQueries;
  readonly keystore: ServedServices['keystore'] & WebhookServices['keystore'];
  readonly outbound: ServedServices['outbound'] & WebhookServices['outbound'];
  readonly scheduler: SigningScheduler;
}

/** The keys of the configuration that jobs go by. */
export interface JobsConfig {
  readonly database: { readonly verifyIntervalHours: number };
  readonly dns: {
    readonly lintIntervalHours: number;
    readonly servedCheckIntervalHours: number;
    readonly schedulerIntervalSecs: number;
    readonly zoneHistoryRetentionDays: number;
    readonly signerHistoryRetentionDays: number;
  };
}

export type Jobs = ReturnType<typeof createJobs>;

/** They are started in this order, and stopped against it. */
export function createJobs(services: JobServices, { database, dns }: JobsConfig) {
  const retention = {
    days: dns.zoneHistoryRetentionDays,
    signerDays: dns.signerHistoryRetentionDays,
    intervalSecs: dns.schedulerIntervalSecs,
  };
  const searchIndex = new SearchIndexer(services);
  const deleted = () => searchIndex.sweepLater();
  return {
    verifier: new Verifier(services, database.verifyIntervalHours),
    retention: new Retention({ ...services, deleted }, retention),
    linter: new Linter(services, dns.lintIntervalHours),
    servedChecks: new ServedChecks(services, dns.servedCheckIntervalHours),
    webhooks: new Webhooks(services),
    netChanges: new NetChanges(services),
    searchIndex,
    scheduler: services.scheduler,
    clearing: createClearing(services.writer),
  } satisfies Record<string, ServiceJob>;
}
