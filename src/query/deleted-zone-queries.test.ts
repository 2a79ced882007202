import { afterEach, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { DeletedZoneQueries } from './zone-queries.ts';

const page = { limit: 50, offset: 0 };

let stored: StoredZones;
afterEach(() => stored.close());

/** Three deleted zones, two of one name, and one that is there. */
async function someDeleted(): Promise<DeletedZoneQueries> {
  let now = 1000;
  stored = openStoredZones({ durable: false, clock: () => now });
  for (const name of ['a.example', 'a_b.example', 'a.example']) {
    await stored.zone(name);
    await stored.add(name, record('www', 'A', '192.0.2.1'));
    now += 1000;
    await stored.run({ kind: 'delete-zone', zoneName: name });
  }
  await stored.zone('there.example');
  return new DeletedZoneQueries(stored.connection);
}

describe('deleted zones', () => {
  it('are listed by when they were deleted, the last one first, as they were', async () => {
    const deleted = await someDeleted();
    const { items, total } = deleted.list(page);
    expect(items.map(({ id, name, deletedAt }) => [id, name, deletedAt])).toEqual([
      [3, 'a.example', 4000],
      [2, 'a_b.example', 3000],
      [1, 'a.example', 2000],
    ]);
    expect(total).toBe(3);
    expect(items[1]).toMatchObject({ serial: 2, recordCount: 1, enabled: true, createdAt: 2000 });
    expect(deleted.list({ limit: 1, offset: 2 })).toMatchObject({ items: [{ id: 1 }], total: 3 });
  });

  it('are searched by a part of their names', async () => {
    const deleted = await someDeleted();
    expect(deleted.list(page, 'a_b')).toMatchObject({ items: [{ id: 2 }], total: 1 });
    expect(deleted.list(page, 'there')).toEqual({ items: [], total: 0 });
  });

  it('are found by name, the last one of it, and by id, until they are restored', async () => {
    const deleted = await someDeleted();
    expect(deleted.newest('a.example')?.id).toBe(3);
    expect(deleted.byId(1)?.name).toBe('a.example');
    await stored.run({ kind: 'restore-zone', name: 'a.example' });
    expect(deleted.newest('a.example')?.id).toBe(1);
    expect(deleted.byId(3)).toBeUndefined();
    expect(deleted.newest('there.example')).toBeUndefined();
  });
});
