import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { Reader } from './reader.ts';
import type { RecordFilter, RecordSort } from './record-queries.ts';
import { fullRights } from '../domain/access/rights.ts';

let stored: StoredZones;
let reader: Reader;

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com');
  const names = Array.from({ length: 12_000 }, (_, index) => `host${index}`);
  await stored.add(
    'example.com',
    ...names.map((name, index) => record(name, 'A', `192.0.2.${index % 250}`)),
    record('www', 'MX', 'mail.example.net.', { priority: 5 }),
  );
  reader = new Reader(stored.workers, stored.connection);
});
afterAll(() => stored.close());

const sorts: RecordSort[] = [
  { key: 'name', descending: true },
  { key: 'priority', descending: true },
  { key: 'type', descending: true },
];

it('finds the same by a worker as here', async () => {
  const filters: RecordFilter[] = [
    {},
    { search: 'host119' },
    { value: '.77' },
    { zoneId: 1, type: 15 },
  ];
  for (const filter of filters) {
    for (const sort of sorts) {
      for (const offset of [0, 7, 11_990]) {
        const page = { limit: 20, offset };
        const here = stored.records.list(fullRights, filter, sort, page);
        expect(await reader.list(fullRights, filter, sort, page)).toEqual(here);
      }
    }
  }
});

it('sees what was committed before', async () => {
  const asked = [fullRights, { search: 'late' }, sorts[0]!, { limit: 5, offset: 0 }] as const;
  expect((await reader.list(...asked)).total).toBe(0);
  await stored.add('example.com', record('late', 'A', '192.0.2.1'));
  expect((await reader.list(...asked)).total).toBe(1);
});

it('begins again after its worker was given back', async () => {
  await stored.workers.close();
  expect(
    (await reader.list(fullRights, { value: '.78' }, sorts[0]!, { limit: 1, offset: 0 })).total,
  ).toBe(48);
});
