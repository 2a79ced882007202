import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { keyFromBytes } from '../dns/name.ts';
import { noteErasures } from '../journal/erasure.ts';
import { SearchIndex } from './search-index.ts';

let stored: StoredZones;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com');
});
afterEach(() => stored.close());

it('notes that it erases what it took for being there, and nothing when that is replaced', () => {
  const erasures = new Int32Array(1);
  noteErasures(stored.connection, erasures);
  const index = new SearchIndex(stored.connection);
  index.begin(1);
  erasures[0] = 0;
  const apex = keyFromBytes(Buffer.alloc(0));
  for (const removed of [0, 0]) {
    const owners = [{ zoneId: 1, owner: apex, removed, keys: [['w', removed] as const] }];
    expect(index.put({ owners, isHistory: false, progress: {} })).toEqual([]);
  }
  const id = stored.connection.prepare('SELECT id FROM search_owner').pluck().get() as number;
  const keys = stored.connection.prepare('SELECT count(*) FROM search_key').pluck();
  expect([erasures[0], keys.get()]).toEqual([0, 1]);
  index.sweep({ keys: [['x', id, 0]], owners: [] });
  expect([erasures[0], keys.get()]).toEqual([0, 1]);
  index.sweep({ keys: [['w', id, 0]], owners: [] });
  expect([erasures[0], keys.get()]).toEqual([1, 0]);
});
