import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from './metrics.ts';

let metrics: Metrics;

beforeEach(() => {
  metrics = createMetrics({ version: '1.2.3', startedAtMs: 1_500 });
});
afterEach(() => metrics.close());

/** The samples as a map from name with labels to value. */
async function samples(): Promise<Map<string, number>> {
  const lines = (await metrics.render()).split('\n');
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

describe('from the start', () => {
  it('shows every metric', async () => {
    const names = [...(await metrics.render()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    expect(names.map(([, name, type]) => `${name} ${type}`).sort()).toEqual([
      'zonebook_backup_event gauge',
      'zonebook_backup_timestamp_seconds gauge',
      'zonebook_block_checksum_failures_total counter',
      'zonebook_build_info gauge',
      'zonebook_database_bytes gauge',
      'zonebook_database_up gauge',
      'zonebook_database_verify_duration_seconds gauge',
      'zonebook_database_verify_events gauge',
      'zonebook_database_verify_findings gauge',
      'zonebook_database_verify_timestamp_seconds gauge',
      'zonebook_disk_free_bytes gauge',
      'zonebook_dns_queries_total counter',
      'zonebook_dns_rate_limited_total counter',
      'zonebook_dnssec_foreign_ds_zones_total gauge',
      'zonebook_dnssec_keys_total gauge',
      'zonebook_dnssec_rrsigs_expired_total gauge',
      'zonebook_dnssec_rrsigs_expiring_total gauge',
      'zonebook_dnssec_rrsigs_future_total gauge',
      'zonebook_dnssec_scheduler_runs_total counter',
      'zonebook_dnssec_zones_total gauge',
      'zonebook_event_loop_lag_seconds gauge',
      'zonebook_event_streams gauge',
      'zonebook_history_retention_days gauge',
      'zonebook_http_request_duration_seconds histogram',
      'zonebook_http_requests_total counter',
      'zonebook_journal_batch_size histogram',
      'zonebook_journal_commit_duration_seconds histogram',
      'zonebook_journal_events_total counter',
      'zonebook_notify_sent_total counter',
      'zonebook_nsupdate_requests_total counter',
      'zonebook_records_total gauge',
      'zonebook_secondary_content_differs gauge',
      'zonebook_secondary_zones_ahead_total gauge',
      'zonebook_signatures_total counter',
      'zonebook_soa_queries_total counter',
      'zonebook_started_at_seconds gauge',
      'zonebook_storage_faults_total counter',
      'zonebook_storage_writable gauge',
      'zonebook_wal_bytes gauge',
      'zonebook_wal_pending_bytes gauge',
      'zonebook_webhook_events_behind gauge',
      'zonebook_webhooks_suspended gauge',
      'zonebook_xfr_total counter',
      'zonebook_zone_lint_findings gauge',
      'zonebook_zone_serial_bumps_total counter',
      'zonebook_zones_total gauge',
    ]);
  });

  it('says version and start', async () => {
    const seen = await samples();
    expect(seen.get('zonebook_build_info{version="1.2.3"}')).toBe(1);
    expect(seen.get('zonebook_started_at_seconds')).toBe(1.5);
  });

  it('has the known label combinations at 0', async () => {
    const seen = await samples();
    for (const type of ['axfr', 'ixfr']) {
      for (const result of ['ok', 'refused', 'failed']) {
        for (const transport of ['tcp', 'udp']) {
          const labels = `type="${type}",result="${result}",transport="${transport}"`;
          expect(seen.get(`zonebook_xfr_total{${labels}}`)).toBe(0);
        }
      }
    }
    expect(seen.get('zonebook_notify_sent_total{result="failed"}')).toBe(0);
    expect(seen.get('zonebook_soa_queries_total{result="notauth"}')).toBe(0);
    expect(seen.get('zonebook_nsupdate_requests_total{result="refused"}')).toBe(0);
    expect(seen.get('zonebook_dns_queries_total{rcode="NOERROR"}')).toBe(0);
    expect(seen.get('zonebook_zone_serial_bumps_total')).toBe(0);
    expect(seen.get('zonebook_zone_lint_findings{kind="TTL_OUT_OF_STEP"}')).toBe(0);
    // Lint makes no dry runs, of which alone this warning is.
    expect(seen.has('zonebook_zone_lint_findings{kind="GUARDED"}')).toBe(false);
    expect(seen.get('zonebook_journal_commit_duration_seconds_count')).toBe(0);
  });
});

it('counts', async () => {
  metrics.httpRequests.inc('GET', '/zones/{name}', 200);
  metrics.httpRequests.inc('GET', '/zones/{name}', 200);
  metrics.httpRequests.inc('GET', '/zones/{name}', 404);
  metrics.httpRequestDuration.observe('GET', '/zones/{name}', 0.004);
  metrics.httpRequestDuration.observe('GET', '/zones/{name}', 0.2);
  metrics.transfers.inc('ixfr', 'refused', 'udp');
  metrics.soaQueries.inc('answered');
  metrics.dnsQueries.inc('NOERROR');
  metrics.dnsQueries.inc('SOMETHING');
  metrics.notifySent.inc('ok');
  metrics.zoneSerialBumps.inc();
  metrics.journalEvents.inc(5);
  metrics.journalEvents.inc();
  metrics.journalCommitDuration.observe(0.002);
  metrics.journalBatchSize.observe(3);
  await metrics.render();
  const seen = await samples();
  const requests = 'zonebook_http_requests_total{method="GET",route="/zones/{name}",status=';
  expect(seen.get(`${requests}"200"}`)).toBe(2);
  expect(seen.get(`${requests}"404"}`)).toBe(1);
  const duration = 'method="GET",route="/zones/{name}"';
  expect(seen.get(`zonebook_http_request_duration_seconds_count{${duration}}`)).toBe(2);
  expect(seen.get(`zonebook_http_request_duration_seconds_bucket{le="0.005",${duration}}`)).toBe(1);
  expect(seen.get('zonebook_xfr_total{type="ixfr",result="refused",transport="udp"}')).toBe(1);
  expect(seen.get('zonebook_soa_queries_total{result="answered"}')).toBe(1);
  expect(seen.get('zonebook_dns_queries_total{rcode="NOERROR"}')).toBe(1);
  expect(seen.get('zonebook_dns_queries_total{rcode="SOMETHING"}')).toBe(1);
  expect(seen.get('zonebook_notify_sent_total{result="ok"}')).toBe(1);
  expect(seen.get('zonebook_zone_serial_bumps_total')).toBe(1);
  expect(seen.get('zonebook_journal_events_total')).toBe(6);
  expect(seen.get('zonebook_journal_commit_duration_seconds_sum')).toBe(0.002);
  expect(seen.get('zonebook_journal_batch_size_bucket{le="4"}')).toBe(1);
  expect(seen.get('zonebook_journal_batch_size_bucket{le="2"}')).toBe(0);
});

it('asks for the gauges at every scrape', async () => {
  let zones = 1;
  let databaseUp = 1;
  metrics.collectFrom(() => ({ zones, records: 7, databaseUp }));
  metrics.collectFrom(() => ({ walBytes: 4152, walPendingBytes: 4120 }));
  expect((await samples()).get('zonebook_zones_total')).toBe(1);
  zones = 2;
  databaseUp = 0;
  const seen = await samples();
  expect(seen.get('zonebook_zones_total')).toBe(2);
  expect(seen.get('zonebook_records_total')).toBe(7);
  expect(seen.get('zonebook_database_up')).toBe(0);
});

it('asks each once a scrape, also for the numbers of several gauges', async () => {
  expect((await samples()).get('zonebook_dnssec_keys_total{state="retired"}')).toBe(0);
  let asked = 0;
  metrics.collectFrom(() => {
    asked++;
    return {
      signedZones: 3,
      signingKeys: { published: 1, active: 4, retired: 2 },
      expiringSignatures: 5,
      expiredSignatures: asked,
      futureSignatures: 6,
      foreignDsZones: 6,
    };
  });
  metrics.signatures.inc(12);
  metrics.schedulerRuns.inc('ok');
  const seen = await samples();
  expect(asked).toBe(1);
  expect(seen.get('zonebook_dnssec_zones_total')).toBe(3);
  expect(seen.get('zonebook_dnssec_keys_total{state="published"}')).toBe(1);
  expect(seen.get('zonebook_dnssec_keys_total{state="active"}')).toBe(4);
  expect(seen.get('zonebook_dnssec_rrsigs_expiring_total')).toBe(5);
  expect(seen.get('zonebook_dnssec_rrsigs_future_total')).toBe(6);
  expect(seen.get('zonebook_dnssec_foreign_ds_zones_total')).toBe(6);
  expect(seen.get('zonebook_signatures_total')).toBe(12);
  expect(seen.get('zonebook_dnssec_scheduler_runs_total{result="ok"}')).toBe(1);
  expect(seen.get('zonebook_dnssec_scheduler_runs_total{result="failed"}')).toBe(0);
  expect((await samples()).get('zonebook_dnssec_rrsigs_expired_total')).toBe(2);
});

it('shows a route with all its statuses before anybody asks for it', async () => {
  metrics.httpRequests.announce('GET', '/zones', [200, 400]);
  const seen = await samples();
  const requests = 'zonebook_http_requests_total{method="GET",route="/zones",status=';
  expect(seen.get(`${requests}"200"}`)).toBe(0);
  expect(seen.get(`${requests}"400"}`)).toBe(0);
  const count = 'zonebook_http_request_duration_seconds_count{method="GET",route="/zones"}';
  expect(seen.get(count)).toBe(0);
  metrics.httpRequests.inc('GET', '/zones', 200);
  metrics.httpRequestDuration.observe('GET', '/zones', 1);
  const later = await samples();
  expect(later.get(`${requests}"200"}`)).toBe(1);
  expect(later.get(count)).toBe(1);
});

it('shows the rest when the database fails', async () => {
  metrics.collectFrom(() => {
    throw new Error('database is closed');
  });
  metrics.collectFrom(() => ({ walBytes: 4152 }));
  const seen = await samples();
  expect(seen.get('zonebook_database_up')).toBe(0);
  expect(seen.get('zonebook_journal_events_total')).toBe(0);
  expect(seen.get('zonebook_wal_bytes')).toBe(4152);
  // Nobody says that it can not be written.
  expect(seen.get('zonebook_storage_writable')).toBe(1);
});

it('measures how long the event loop was held up', async () => {
  const waited = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await metrics.render();
  // Only what lies between two looks at the loop counts, and a busy host may be late with the first one.
  const measured = async () => {
    await waited(50);
    const end = performance.now() + 120;
    while (performance.now() < end);
    await waited(30);
    return (await samples()).get('zonebook_event_loop_lag_seconds');
  };
  await expect.poll(measured).toBeGreaterThan(0.08);
});

it('keeps registries apart', async () => {
  const other = createMetrics();
  other.journalEvents.inc();
  expect((await samples()).get('zonebook_journal_events_total')).toBe(0);
  expect(other.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  other.close();
});
