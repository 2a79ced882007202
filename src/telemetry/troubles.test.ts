import { expect, it } from 'vitest';
import { troublesOf } from './troubles.ts';
import { createMetrics } from './metrics.ts';

const mebibyte = 1024 ** 2;

/** What a service says that lacks nothing, with these values instead of its own. */
function metrics(others: Readonly<Record<string, number>> = {}) {
  const well = {
    storage_writable: 1,
    disk_free_bytes: 4096 * mebibyte,
    database_bytes: 300 * mebibyte,
    wal_bytes: 4096,
    database_verify_findings: 0,
    'dnssec_scheduler_runs_total{result="ok"}': 7,
  };
  const all = Object.entries({ ...well, ...others });
  return new Map(all.map(([name, value]) => [`zonebook_${name}`, value]));
}

it('say nothing of a service that lacks nothing', () => {
  expect(troublesOf(metrics())).toEqual([]);
  // Nor of what an older service does not tell.
  expect(troublesOf(new Map())).toEqual([]);
});

it.each([
  ['storage_writable', 0, /can not be written/],
  ['disk_free_bytes', 299 * mebibyte, /^Only 299 MiB are free beside a database of 300 MiB/],
  ['wal_bytes', 2 * 1024 * mebibyte, /^The WAL has 2 GiB/],
  ['database_verify_findings', 1, /found 1 fault\./],
  ['block_checksum_failures_total', 2, /^2 reads/],
  ['dnssec_rrsigs_expired_total', 3, /^3 signatures expired/],
  ['dnssec_rrsigs_future_total', 3, /not valid yet/],
  ['dnssec_foreign_ds_zones_total', 1, /no key of 1 zone to validators\./],
  ['dnssec_scheduler_runs_total{result="failed"}', 1, /^1 run of the DNSSEC scheduler/],
  ['secondary_zones_ahead_total', 4, /serve 4 zones/],
  ['secondary_content_differs', 1, /other records of 1 zone/],
  ['webhooks_suspended', 1, /^1 webhook suspended/],
])('say what is wrong, and what to do: %s', (name, value, what) => {
  const [found, ...others] = troublesOf(metrics({ [name]: value }));
  expect(found!.text).toMatch(what);
  expect(found!.whatToDo).not.toBe('');
  expect(others).toEqual([]);
});

it('want as much room as the database takes, and 256 MiB at least', () => {
  const small = { database_bytes: mebibyte };
  expect(troublesOf(metrics({ ...small, disk_free_bytes: 256 * mebibyte }))).toEqual([]);
  expect(troublesOf(metrics({ ...small, disk_free_bytes: 255 * mebibyte }))).toHaveLength(1);
});

it('go by metrics that there are', async () => {
  const made = createMetrics();
  made.schedulerRuns.inc('failed');
  made.collectFrom(() => ({ walBytes: 2 * 1024 * mebibyte, differingZones: 2 }));
  const found = troublesOf(await made.values());
  made.close();
  expect(found.map(({ metric }) => metric)).toEqual([
    'zonebook_wal_bytes',
    'zonebook_dnssec_scheduler_runs_total',
    'zonebook_secondary_content_differs',
  ]);
});
