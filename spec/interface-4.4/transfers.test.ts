import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TransferEntry } from '../../src/projection/activity-log.ts';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  await service.call('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' }, 201);
  for (const name of ['a.example', 'b.example', 'c.example', 'd.example', 'e.example']) {
    await service.createZone(name);
  }
});
afterEach(() => service.close());

let at = Date.UTC(2026, 0, 31);

function record(zoneName: string, fields: Partial<TransferEntry> = {}): void {
  at += 1000;
  service.transferLog.record({
    zoneName,
    address: '192.0.2.53',
    at,
    kind: 'axfr',
    result: 'ok',
    incremental: false,
    serial: 1,
    error: null,
    bytes: 412,
    tookMs: 3,
    ...fields,
  });
}

/** What `ns2` fetched, and one that somebody else did. */
function recordSome(): void {
  record('a.example');
  record('b.example', { kind: 'ixfr', incremental: true, serial: 4 });
  record('c.example', { kind: 'ixfr' });
  record('d.example', { result: 'refused', serial: null, error: 'the zone is disabled' });
  record('e.example', { kind: 'ixfr', result: 'failed', serial: null, error: 'gone' });
  record('catalog.invalid', { serial: 6 });
  record('a.example', { kind: 'ixfr', incremental: true, serial: 2 });
  record('b.example', { address: '192.0.2.99' });
}

const none = { zones: 0, axfr: 0, ixfr_full: 0, ixfr_delta: 0, refused: 0, failed: 0 };
const zonesOf = (transfers: { zone_name: string }[]) => transfers.map((entry) => entry.zone_name);

it('is empty before the first transfer', async () => {
  expect(await service.call('GET', '/secondaries/ns2/transfers')).toEqual({
    secondary_name: 'ns2',
    address: '192.0.2.53:53',
    summary: none,
    transfers: [],
  });
});

it('shows the latest of each zone, newest first, with a summary', async () => {
  recordSome();
  const { transfers, summary } = await service.call('GET', '/secondaries/ns2/transfers');
  expect(zonesOf(transfers)).toEqual([
    'a.example',
    'catalog.invalid',
    'e.example',
    'd.example',
    'c.example',
    'b.example',
  ]);
  expect(transfers[0]).toEqual({
    zone_name: 'a.example',
    address: '192.0.2.53',
    at: new Date(at - 1000).toISOString(),
    kind: 'ixfr',
    result: 'ok',
    incremental: true,
    serial: 2,
    error: null,
    bytes: 412,
    took_ms: 3,
  });
  expect(transfers[3]).toMatchObject({ result: 'refused', error: 'the zone is disabled' });
  expect(summary).toEqual({
    zones: 6,
    axfr: 1,
    ixfr_full: 1,
    ixfr_delta: 2,
    refused: 1,
    failed: 1,
  });
});

it('has a limit, which the summary has not', async () => {
  recordSome();
  const { transfers, summary } = await service.call('GET', '/secondaries/ns2/transfers?limit=2');
  expect(zonesOf(transfers)).toEqual(['a.example', 'catalog.invalid']);
  expect(summary.zones).toBe(6);
  for (const limit of ['0', '1001', 'many']) {
    const path = `/secondaries/ns2/transfers?limit=${limit}`;
    await service.refused('GET', path, undefined, 'INVALID_INPUT');
  }
});

it('narrows to a zone or the catalog', async () => {
  recordSome();
  const of = (zone: string) => service.call('GET', `/secondaries/ns2/transfers?zone_name=${zone}`);
  expect(await of('A.example.')).toMatchObject({
    summary: { ...none, zones: 1, ixfr_delta: 1 },
    transfers: [{ zone_name: 'a.example' }],
  });
  expect(zonesOf((await of('catalog.invalid')).transfers)).toEqual(['catalog.invalid']);
  expect(zonesOf((await of('')).transfers)).toHaveLength(6);
  const unknown = '/secondaries/ns2/transfers?zone_name=nowhere.example';
  await service.refused('GET', unknown, undefined, 'ZONE_NOT_FOUND');
  const nobody = '/secondaries/nobody/transfers';
  await service.refused('GET', nobody, undefined, 'SECONDARY_NOT_FOUND');
});
