import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { parseAbsoluteName, printRelativeName } from '../dns/name.ts';
import { parseType, printType } from '../dns/rrtype.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf } from '../domain/zone.ts';
import type { RecordFilter, RecordSort } from './record-queries.ts';
import { fullRights } from '../domain/access/rights.ts';

let stored: StoredZones;

/** Three zones with records of the ids 1 to 10, created at 2, 3, 4, ... seconds. */
async function filled(): Promise<StoredZones> {
  let now = 1_000;
  const stored = openStoredZones({ durable: false, clock: () => now });
  await stored.zone('example.com');
  await stored.zone('sub.example.com');
  await stored.zone('example.net');
  const add = async (zoneName: string, ...line: Parameters<typeof record>) => {
    now += 1_000;
    await stored.add(zoneName, record(...line));
  };
  await add('example.com', 'www', 'A', '192.0.2.1', { ttl: 300 }); // 1
  await add('example.com', 'www', 'TXT', '100% sure_ly', { ttl: 60 }); // 2
  await add('example.com', '@', 'MX', 'mx.example.com.', { priority: 20 }); // 3
  await add('example.com', '@', 'MX', 'mx2.example.com.'); // 4
  await add('example.com', 'b.sub', 'A', '192.0.2.2'); // 5: as b.sub in the parent
  await add('sub.example.com', 'b', 'A', '192.0.2.3', { ttl: 60 }); // 6: and as b in the child
  await add('sub.example.com', '@', 'AAAA', '2001:db8::1'); // 7
  await add('example.net', 'www', 'TXT', ['a', 'b"c'], { ttl: 900 }); // 8
  await add('example.net', '_s._tcp', 'SRV', '5 443 h.', { priority: 30 }); // 9
  await add('example.net', '*', 'TYPE65280', '\\# 1 AB'); // 10
  return stored;
}
beforeAll(async () => {
  stored = await filled();
});
afterAll(() => stored.close());

const byName: RecordSort = { key: 'name', descending: false };
const byAge: RecordSort = { key: 'created_at', descending: false };

function ids(filter: RecordFilter, sort = byAge, limit = 50, offset = 0, from = stored): string {
  const { items, total } = from.records.list(fullRights, filter, sort, { limit, offset });
  for (const { zone, record: one } of items) {
    expect(from.records.byId(one.id)).toEqual({ zone, record: one });
  }
  return `${items.map((item) => item.record.id).join(' ')} (${total})`;
}

function owner(text: string, zone: string) {
  return parseOwner(text, apexOf({ name: zone }));
}

describe('records', () => {
  it('are found by id, with their zone', () => {
    const { zone, record: one } = stored.records.byId(6)!;
    expect(zone.name).toBe('sub.example.com');
    expect([printRelativeName(one.owner), printType(one.type), one.ttl]).toEqual(['b', 'A', 60]);
    expect(one.createdAt).toBe(7_000);
    expect(stored.records.byId(99)).toBeUndefined();
  });

  const type = (text: string) => parseType(text)!;
  const filters: [string, () => RecordFilter, string][] = [
    ['nothing', () => ({}), '1 2 3 4 5 6 7 8 9 10 (10)'],
    ['a zone', () => ({ zoneId: 2 }), '6 7 (2)'],
    ['an unknown zone', () => ({ zoneId: 99 }), ' (0)'],
    ['an owner', () => ({ zoneId: 1, owner: owner('www', 'example.com') }), '1 2 (2)'],
    ['the apex', () => ({ zoneId: 1, owner: owner('@', 'example.com') }), '3 4 (2)'],
    ['a type', () => ({ type: type('A') }), '1 5 6 (3)'],
    ['a type without mnemonic', () => ({ type: type('TYPE65280') }), '10 (1)'],
    ['a type in a zone', () => ({ zoneId: 2, type: type('A') }), '6 (1)'],
    ['a TTL', () => ({ ttl: 60 }), '2 6 (2)'],
    ['TTLs from', () => ({ minTtl: 900 }), '3 4 5 7 8 9 10 (7)'],
    ['TTLs to', () => ({ maxTtl: 300 }), '1 2 6 (3)'],
    ['TTLs between', () => ({ minTtl: 61, maxTtl: 900 }), '1 8 (2)'],
    ['a priority', () => ({ priority: 10 }), '4 (1)'],
    ['priorities from', () => ({ minPriority: 20 }), '3 9 (2)'],
    ['priorities to', () => ({ maxPriority: 20 }), '3 4 (2)'],
    ['priorities of all', () => ({ minPriority: 0 }), '3 4 9 (3)'],
    ['part of a value', () => ({ value: '192.0.2' }), '1 5 6 (3)'],
    ['a value in any case', () => ({ value: '2001:DB8' }), '7 (1)'],
    ['a value with %', () => ({ value: '0%' }), '2 (1)'],
    ['a value with _', () => ({ value: 'e_l' }), '2 (1)'],
    ['a _ that is no wildcard', () => ({ value: '2_0' }), ' (0)'],
    ['a % that is no wildcard', () => ({ value: '%' }), '2 (1)'],
    ['a backslash', () => ({ value: '\\# 1' }), '10 (1)'],
    ['the priority is not in the value', () => ({ value: '20 mx' }), ' (0)'],
    ['search in names', () => ({ search: 'www' }), '1 2 8 (3)'],
    ['search across the border of owner and zone', () => ({ search: 'www.example.n' }), '8 (1)'],
    ['search with the closing dot', () => ({ search: 'sub.example.com.' }), '5 6 7 (3)'],
    ['search in names and values', () => ({ search: 'mx' }), '3 4 (2)'],
    ['search with _', () => ({ search: '_t' }), '9 (1)'],
    ['search with *', () => ({ search: '*' }), '10 (1)'],
    ['search and type', () => ({ search: 'www', type: type('TXT') }), '2 8 (2)'],
    [
      'all at once',
      () => ({ zoneId: 1, type: 15, minPriority: 11, search: 'MX', ttl: 3600 }),
      '3 (1)',
    ],
  ];
  it.each(filters)('filtered by %s', (_, filter, expected) => {
    expect(ids(filter())).toBe(expected);
  });

  const absolute: [string, string][] = [
    ['b.sub.example.com', '5 6 (2)'],
    ['www.example.com', '1 2 (2)'],
    ['sub.example.com', '7 (1)'],
    ['example.com', '3 4 (2)'],
    ['com', ' (0)'],
    ['www.example.org', ' (0)'],
    ['x.www.example.com', ' (0)'],
    ['ww.example.com', ' (0)'],
    ['*.example.net', '10 (1)'],
  ];
  it.each(absolute)(
    'an absolute name, %s, is looked for in every zone it is in',
    (name, expected) => {
      expect(ids({ absoluteName: parseAbsoluteName(name) })).toBe(expected);
    },
  );

  const open: [string, string][] = [
    ['www', '1 2 8 (3)'],
    ['b.sub.example.com', '5 6 (2)'],
    ['example.com', '3 4 (2)'],
    ['com', ' (0)'],
    ['*', '10 (1)'],
  ];
  it.each(open)(
    'an open name, %s, is absolute in its zones, relative elsewhere',
    (name, expected) => {
      expect(ids({ openName: parseAbsoluteName(name) })).toBe(expected);
    },
  );

  const sorts: [RecordSort['key'], string, string][] = [
    ['name', '3 4 5 1 2 7 6 10 9 8', '8 9 10 6 7 1 2 5 3 4'],
    ['type', '1 5 6 7 3 4 9 2 8 10', '10 2 8 9 3 4 7 1 5 6'],
    ['ttl', '2 6 1 8 3 4 5 7 9 10', '3 4 5 7 9 10 8 1 2 6'],
    ['priority', '1 2 5 6 7 8 10 4 3 9', '9 3 4 1 2 5 6 7 8 10'],
    ['created_at', '1 2 3 4 5 6 7 8 9 10', '10 9 8 7 6 5 4 3 2 1'],
  ];
  it.each(sorts)('sort by %s, ties by id', (key, ascending, descending) => {
    expect(ids({}, { key, descending: false })).toBe(`${ascending} (10)`);
    expect(ids({}, { key, descending: true })).toBe(`${descending} (10)`);
  });

  it('come in pages, with the total of all', () => {
    expect(ids({}, byName, 4, 0)).toBe('3 4 5 1 (10)');
    expect(ids({}, byName, 4, 8)).toBe('9 8 (10)');
    expect(ids({}, byName, 4, 12)).toBe(' (10)');
    expect(ids({ type: 1 }, byName, 1, 1)).toBe('1 (3)');
    expect(ids({ zoneId: 1 }, byName, 2, 3)).toBe('1 2 (5)');
  });

  it('keep what searches see in step with updates and renames', async () => {
    const changed = await filled();
    const found = (filter: RecordFilter) => ids(filter, byAge, 50, 0, changed);
    await changed.run({ kind: 'update-record', id: 8, value: 'new text', name: 'moved' });
    expect(found({ search: 'new te' })).toBe('8 (1)');
    expect(found({ search: 'b"c' })).toBe(' (0)');
    await changed.run({ kind: 'update-zone', zoneName: 'example.net', name: 'renamed.test' });
    expect(found({ search: 'moved.renamed.test.' })).toBe('8 (1)');
    expect(found({ absoluteName: parseAbsoluteName('moved.renamed.test') })).toBe('8 (1)');
    await changed.run({ kind: 'delete-zone', zoneName: 'renamed.test' });
    expect(found({})).toBe('1 2 3 4 5 6 7 (7)');
    await changed.close();
  });
});
