import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import type { ZoneFilter, ZoneSort } from './zone-queries.ts';

let now = 1_000;
let stored: StoredZones;

beforeAll(async () => {
  stored = openStoredZones({ durable: false, clock: () => now });
  const create = async (name: string, fields: object) => {
    now += 1_000;
    await stored.zone(name, fields);
  };
  await create('b.example', { serial: 10, defaultTtl: 300, mname: 'm1.x', rname: 'r1@x' });
  await create('a_b.example', { serial: 30, defaultTtl: 600, mname: 'm1.x', rname: 'r2@x' });
  await create('acb.example', { serial: 20, defaultTtl: 300, mname: 'm2.x', rname: 'r1@x' });
  await create('sub.b.example', { serial: 20, defaultTtl: 900, mname: 'm2.x', rname: 'r1@x' });
  await stored.run({ kind: 'update-zone', zoneName: 'acb.example', enabled: false });
  await stored.add('b.example', record('www', 'A', '192.0.2.1'), record('@', 'NS', 'ns.x.'));
  // Signing is a later step: a derived count is all that the filter looks at.
  stored.connection.exec("UPDATE zone SET derived_count = 3 WHERE name = 'sub.b.example'");
});
afterAll(() => stored.close());

const byName: ZoneSort = { key: 'name', descending: false };

function names(filter: ZoneFilter, sort = byName, limit = 50, offset = 0): string {
  const { items, total } = stored.zones.list('all', filter, sort, { limit, offset });
  const shown = items.map(({ name }) => name.replace('.example', '')).join(' ');
  return `${shown} (${total})`;
}

describe('zones', () => {
  it('are found by name and id, with their counts', () => {
    const zone = stored.zones.byName('b.example')!;
    expect(zone).toMatchObject({ serial: 11, recordCount: 2, createdAt: 2_000, enabled: true });
    expect(stored.zones.byId(zone.id)).toEqual(zone);
    expect(stored.zones.byName('no')).toBeUndefined();
    expect(stored.zones.byName('B.example')).toBeUndefined();
    expect(stored.zones.byId(99)).toBeUndefined();
    expect(stored.zones.counts()).toEqual({ zones: 4, records: 2 });
  });

  const filters: [ZoneFilter, string][] = [
    [{}, 'a_b acb b sub.b (4)'],
    [{ name: 'b.example' }, 'b (1)'],
    [{ name: 'example' }, ' (0)'],
    [{ id: 2 }, 'a_b (1)'],
    [{ mname: 'm2.x' }, 'acb sub.b (2)'],
    [{ rname: 'r2@x' }, 'a_b (1)'],
    [{ defaultTtl: 300 }, 'acb b (2)'],
    [{ minDefaultTtl: 600 }, 'a_b sub.b (2)'],
    [{ maxDefaultTtl: 600 }, 'a_b acb b (3)'],
    [{ minDefaultTtl: 301, maxDefaultTtl: 899 }, 'a_b (1)'],
    [{ serial: 30 }, 'a_b (1)'],
    [{ minSerial: 20, maxSerial: 21 }, 'acb sub.b (2)'],
    [{ createdAfter: 3_000 }, 'a_b acb sub.b (3)'],
    [{ createdBefore: 3_000 }, 'a_b b (2)'],
    [{ createdAfter: 3_000, createdBefore: 3_000 }, 'a_b (1)'],
    [{ signed: true }, 'sub.b (1)'],
    [{ signed: false }, 'a_b acb b (3)'],
    [{ enabled: false }, 'acb (1)'],
    [{ enabled: true, signed: false, defaultTtl: 300 }, 'b (1)'],
    [{ search: 'b.ex' }, 'a_b acb b sub.b (4)'],
    [{ search: 'sub' }, 'sub.b (1)'],
    // In a pattern of LIKE these would stand for anything.
    [{ search: 'a_b' }, 'a_b (1)'],
    [{ search: '%' }, ' (0)'],
    [{ search: '\\' }, ' (0)'],
    [{ search: '' }, 'a_b acb b sub.b (4)'],
  ];
  it.each(filters)('%j lists %j', (filter, expected) => {
    expect(names(filter)).toBe(expected);
  });

  const sorts: [ZoneSort['key'], string, string][] = [
    ['name', 'a_b acb b sub.b', 'sub.b b acb a_b'],
    ['serial', 'b sub.b acb a_b', 'a_b acb sub.b b'],
    // Ties go by id, whichever way the order is.
    ['default_ttl', 'b acb a_b sub.b', 'sub.b a_b b acb'],
    ['created_at', 'b a_b acb sub.b', 'sub.b acb a_b b'],
  ];
  it.each(sorts)('sort by %s', (key, ascending, descending) => {
    expect(names({}, { key, descending: false })).toBe(`${ascending} (4)`);
    expect(names({}, { key, descending: true })).toBe(`${descending} (4)`);
  });

  it('come in pages, with the total of all', () => {
    expect(names({}, byName, 2, 0)).toBe('a_b acb (4)');
    expect(names({}, byName, 2, 2)).toBe('b sub.b (4)');
    expect(names({}, byName, 2, 4)).toBe(' (4)');
    expect(names({ mname: 'm1.x' }, byName, 1, 1)).toBe('b (2)');
  });
});
