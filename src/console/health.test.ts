import { describe, expect, it } from 'vitest';
import type { DnssecStatus, Secondary, ZoneStatus } from './api.ts';
import {
  bytesText,
  chainOf,
  troublesOfSigning,
  troublesOfStatuses,
  labelled,
  metricsOf,
  versionOf,
} from './health.ts';

const texts = (found: readonly { readonly text: string }[]) => found.map(({ text }) => text);

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
    expect(texts(troublesOfStatuses([status('lagging', 5)], ns2))).toEqual([
      'ns2 is behind, with serial 5 of 7.',
    ]);
    expect(texts(troublesOfStatuses([status('unreachable', null, 'refused')], ns2))).toEqual([
      'ns2 does not answer: refused.',
    ]);
    // Once, however many zones it has.
    const gone = status('unreachable', null);
    expect(texts(troublesOfStatuses([gone, gone], ns2))).toEqual(['ns2 does not answer.']);
    // One that the caller may not read.
    expect(texts(troublesOfStatuses([status('ahead', 9)], []))).toEqual([
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
        warnings: [],
        ...others,
      } as unknown as DnssecStatus,
      planned as DnssecStatus['next_steps'],
    );
  expect(signing({})).toEqual([]);
  expect(signing({ enabled: false, warnings: ['left over'] })).toEqual([]);
  const wrong = signing({ warnings: ['2 signatures have expired'] }, [
    { blocked_by: null },
    { blocked_by: 'no DS at 192.0.2.1' },
  ]);
  expect(texts(wrong)).toEqual([
    '2 signatures have expired',
    'A key roll waits: no DS at 192.0.2.1',
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
