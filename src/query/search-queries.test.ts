import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { fullRights } from '../domain/access/rights.ts';
import { type SearchPosition, searchPositionOf, SearchQueries } from './search-queries.ts';
import { VersionQueries } from './version-queries.ts';

let stored: StoredZones;
beforeEach(() => {
  stored = openStoredZones({ durable: false });
});
afterEach(() => stored.close());

async function addZone(name: string): Promise<void> {
  await stored.zone(name);
  await stored.add(name, record('www', 'A', '192.0.2.1'));
}

/** The zones that a page finds a record in, and where it ended. */
function pageAfter(after: SearchPosition | null) {
  const search = new SearchQueries(stored.connection, new VersionQueries(stored.connection));
  const { records, next } = search.page(fullRights, { text: 'www.exam' }, 1, after);
  return { zones: records.map(({ zone }) => zone.name), next };
}

it('leaves no zone out and lists none twice where others come and go between two pages', async () => {
  for (const end of ['com', 'net', 'org']) await addZone(`example.${end}`);
  const first = pageAfter(null);
  expect(first.zones).toEqual(['example.com']);
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  const second = pageAfter(first.next);
  expect(second.zones).toEqual(['example.net']);
  await addZone('example.biz');
  await stored.run({ kind: 'restore-zone', name: 'example.com' });
  expect(pageAfter(second.next)).toEqual({ zones: ['example.org'], next: null });
});

it('leaves no record out where the zone goes of which a page has one', async () => {
  for (const end of ['com', 'net']) {
    await addZone(`example.${end}`);
    await stored.add(`example.${end}`, record('www', 'A', '192.0.2.2'));
  }
  const first = pageAfter(null);
  expect(first).toEqual({ zones: ['example.com'], next: [-2, 'example.com', 1, 1] });
  const whole = pageAfter(first.next);
  expect(whole).toEqual({ zones: ['example.com'], next: [-2, 'example.com', 1, 0] });
  await stored.run({ kind: 'delete-zone', zoneName: 'example.com' });
  const second = pageAfter(first.next);
  expect(second).toEqual({ zones: ['example.net'], next: [-2, 'example.net', 1, 1] });
  expect(pageAfter(second.next)).toEqual({ zones: ['example.net'], next: null });
});

it('refuses a place that counts the names across zones', () => {
  expect(() => searchPositionOf([-2, '', 3, 0])).toThrow('must be the next_cursor of a page');
  expect(searchPositionOf([-2, 'example.com', 1, 0])).toEqual([-2, 'example.com', 1, 0]);
});
