/** Reads of a state that is later than the zone that they were asked for: another commit came in between. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { readSource } from '../background/import/read-file.ts';
import { fullRights } from '../domain/access/rights.ts';
import { apexOf } from '../domain/zone.ts';
import { longReads } from './long-reads.ts';

const noVersion = expect.objectContaining({ code: 'VERSION_NOT_FOUND' });

let stored: StoredZones;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com');
  await stored.add('example.com', record('www', 'A', '192.0.2.1'));
});
afterEach(() => stored.close());

const serialIn = (text: string) => Number(/SOA(?:\s+\S+){2}\s+(\d+)/.exec(text)?.[1]);
const exported = (zone: ReturnType<typeof found>, serial?: number) =>
  [...longReads(stored.connection).streams.exportText(zone, serial, false)].join('');
const found = () => stored.zones.byName('example.com')!;

it('exports the records of the serial that it says', async () => {
  const zone = found();
  await stored.add('example.com', record('late', 'A', '192.0.2.2'));
  const then = exported(zone, zone.serial);
  expect(serialIn(then)).toBe(zone.serial);
  expect(then).toContain('192.0.2.1');
  expect(then).not.toContain('192.0.2.2');
  const now = exported(zone);
  expect(serialIn(now)).toBe(zone.serial + 1);
  expect(now).toContain('192.0.2.2');
  expect(exported(zone, zone.serial + 1)).toBe(now);
});

it('exports a zone as it was when it was found, where it was deleted since', async () => {
  const zone = found();
  const before = exported(zone);
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  expect(exported(zone)).toBe(before);
});

it('refuses to export a version that is not there any more', () => {
  const zone = found();
  expect(() => exported(zone, zone.serial + 1)).toThrow(noVersion);
});

it('refuses all reads of versions of a zone that was purged since it was found', async () => {
  const earlier = found().serial;
  await stored.add('example.com', record('late', 'A', '192.0.2.2'));
  const zone = found();
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  await stored.run({ kind: 'purge-zone', name: 'example.com' });
  expect(() => exported(zone)).toThrow(noVersion);
  const { reads, streams } = longReads(stored.connection);
  // The events are there for a while.
  for (const serial of [earlier, zone.serial]) {
    expect(() => exported(zone, serial)).toThrow(noVersion);
    expect(() => reads.versionPage(zone, serial, {})).toThrow(noVersion);
    expect(() => streams.versionText(zone, serial)).toThrow(noVersion);
  }
});

const noZone = expect.objectContaining({ code: 'ZONE_NOT_FOUND' });

it('tells of which serial a drift is, and of none where the zone was deleted since', async () => {
  const options = { apex: apexOf(found()), defaultTtl: 60, skipUnsupported: false };
  const { records, withoutTtl } = readSource('www A 192.0.2.1\n', options);
  const desired = { team: 'shop', records: [...records.records()], withoutTtl };
  await stored.run({ kind: 'apply-desired', zoneName: 'example.com', ...desired });
  const drift = () => longReads(stored.connection).reads.drift(fullRights, zone, 'shop');
  const zone = found();
  expect(drift()).toMatchObject({ zone, owned: 1, diff: { entries: [] } });
  await stored.add('example.com', record('www', 'A', '192.0.2.2'));
  const later = { ...zone, serial: zone.serial + 1, recordCount: 2 };
  expect(drift()).toMatchObject({ zone: later, owned: 1, diff: { entries: [{ type: 1 }] } });
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  expect(drift).toThrow(noZone);
});

it('finds no mistakes in a zone that was deleted since', async () => {
  await stored.add('example.com', record('@', 'NS', 'ns1.example.net.'));
  const zone = found();
  const lint = () => longReads(stored.connection).reads.lint(fullRights, zone, null, 10);
  expect(lint().items).toEqual([]);
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  expect(lint).toThrow(noZone);
});
