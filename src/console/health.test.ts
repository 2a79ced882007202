import { describe, expect, it } from 'vitest';
import type { DnssecStatus, Secondary, ZoneStatus } from './api.ts';
import {
  bytesText,
  chainOf,
  troublesOf,
  troublesOfSigning,
  troublesOfStatuses,
  labelled,
  metricsOf,
  versionOf,
} from './health.ts';

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
  return new Map(Object.entries({ ...well, ...others }));
}

const whats = (found: readonly { readonly what: string }[]) => found.map(({ what }) => what);

describe('metrics', () => {
  it('are read by name and label, and those of others are passed over', () => {
    const text = [
      '# HELP zonebook_zones_total Zones stored.',
      'zonebook_zones_total 12',
      'zonebook_build_info{version="1.2.3"} 1',
      'zonebook_dnssec_keys_total{state="active"} 2',
      'zonebook_dnssec_keys_total{state="retired"} 0',
      'zonebook_wal_bytes 1.5e+09',
      'process_cpu_seconds_total 5',
    ].join('\n');
    const read = metricsOf(text);
    expect(read.get('zones_total')).toBe(12);
    expect(read.get('wal_bytes')).toBe(1_500_000_000);
    expect(read.size).toBe(5);
    expect(versionOf(read)).toBe('1.2.3');
    expect(versionOf(new Map())).toBeUndefined();
    expect(labelled(read, 'dnssec_keys_total')).toEqual([['active', 2]]);
  });

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
    expect(found!.what).toMatch(what);
    expect(found!.whatToDo).not.toBe('');
    expect(others).toEqual([]);
  });

  it('want as much room as the database takes, and 256 MiB at least', () => {
    const small = { database_bytes: mebibyte };
    expect(troublesOf(metrics({ ...small, disk_free_bytes: 256 * mebibyte }))).toEqual([]);
    expect(troublesOf(metrics({ ...small, disk_free_bytes: 255 * mebibyte }))).toHaveLength(1);
  });
});

it('writes bytes by powers of 1024', () => {
  const written = [0, 1, 1023, 1024, 1536, 10 * 1024, 5 * 1024 ** 3, 3 * 1024 ** 5].map(bytesText);
  expect(written).toEqual(
    ['0 B', '1 B', '1,023 B', '1 KiB', '1.5 KiB', '10 KiB', '5 GiB', '3,072 TiB'], //
  );
});

describe('secondaries of a zone', () => {
  const status = (status: string, visible_serial: number | null, error: string | null = null) =>
    ({
      zone_name: 'example.com',
      serial: 7,
      secondaries: [{ address: '192.0.2.53:53', status, visible_serial, error }],
      warnings: [],
    }) as unknown as ZoneStatus;
  const ns2 = [{ name: 'ns2', address: '192.0.2.53:53' }] as unknown as readonly Secondary[];

  it('are named when they do not follow', () => {
    expect(troublesOfStatuses([status('in_sync', 7)], ns2)).toEqual([]);
    // It answered, with nothing to compare.
    expect(troublesOfStatuses([status('reachable', null)], ns2)).toEqual([]);
    expect(whats(troublesOfStatuses([status('lagging', 5)], ns2))).toEqual([
      'ns2 is behind, with serial 5 of 7.',
    ]);
    expect(whats(troublesOfStatuses([status('unreachable', null, 'refused')], ns2))).toEqual([
      'ns2 does not answer: refused.',
    ]);
    // Once, however many zones it has.
    const gone = status('unreachable', null);
    expect(whats(troublesOfStatuses([gone, gone], ns2))).toEqual(['ns2 does not answer.']);
    // One that the caller may not read.
    expect(whats(troublesOfStatuses([status('ahead', 9)], []))).toEqual([
      '192.0.2.53:53 is ahead: it serves a serial that never was here, with serial 9 of 7.',
    ]);
  });
});

it('says what the signing of a zone waits for', () => {
  const signing = (others: object, planned: readonly object[] = []) =>
    troublesOfSigning(
      {
        zone_name: 'example.com',
        enabled: true,
        expired_signatures: 0,
        foreign_ds_since: null,
        warnings: [],
        ...others,
      } as unknown as DnssecStatus,
      planned as DnssecStatus['next_steps'],
    );
  expect(signing({})).toEqual([]);
  expect(signing({ enabled: false, warnings: ['left over'] })).toEqual([]);
  const wrong = signing(
    {
      expired_signatures: 2,
      foreign_ds_since: '2026-01-01T00:00:00Z',
      warnings: ['the parent is not known'],
    },
    [{ blocked_by: null }, { blocked_by: 'no DS at 192.0.2.1' }],
  );
  expect(whats(wrong)).toEqual([
    '2 signatures expired.',
    'A parent server serves a DS set that names no key of the zone to validators.',
    'A key roll waits: no DS at 192.0.2.1',
    'the parent is not known',
  ]);
  expect(new Set(wrong.map(({ zone, tab }) => `${zone} ${tab}`))).toEqual(
    new Set(['example.com dnssec']),
  );
});

it('says up to which event the chain of hashes was verified', () => {
  const of = (text: string) => chainOf(metricsOf(text));
  expect(of('zonebook_database_verify_timestamp_seconds 0\n')).toBeUndefined();
  const verified =
    'zonebook_database_verify_timestamp_seconds 1700000000.5\nzonebook_database_verify_events 81204\n';
  const at = '2023-11-14T22:13:20.500Z';
  expect(of(verified)).toEqual({ at, events: 81_204, findings: 0 });
  expect(of(`${verified}zonebook_database_verify_findings 2\n`)?.findings).toBe(2);
});
