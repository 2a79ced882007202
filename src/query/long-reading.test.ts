import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { openWorkers } from '../background/workers.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import { fullRights } from '../domain/access/rights.ts';
import { LongReading } from './long-reading.ts';

let stored: StoredZones;
let workers: WorkerPool;
let reading: LongReading;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  workers = openWorkers(stored.file, stored.folder);
  reading = new LongReading(workers);
  await stored.zone('example.com');
  await stored.add('example.com', record('www', 'A', '192.0.2.1'));
});
afterEach(async () => {
  await workers.close();
  await stored.close();
});

it('reads what was committed before, by reads and streams at once', async () => {
  const zone = stored.zones.byName('example.com')!;
  const text = Array.fromAsync(reading.stream('exportText', zone, undefined, false));
  const ever = reading.read('recordEver', fullRights, 1);
  expect((await text).join('')).toContain('192.0.2.1');
  expect(await ever).toMatchObject({ zone: { name: 'example.com' } });
  const { records } = await stored.add('example.com', record('new', 'A', '192.0.2.2'));
  const found = await reading.read('recordEver', fullRights, records[0]!.id);
  expect(found).toMatchObject({ zone: { name: 'example.com' } });
});

it('goes on with another worker when one has ended', async () => {
  expect(await reading.read('recordEver', fullRights, 2)).toBeUndefined();
  await workers.close();
  expect(await reading.read('recordEver', fullRights, 2)).toBeUndefined();
});

it('lets go of a stream that nobody reads to its end', async () => {
  const zone = stored.zones.byName('example.com')!;
  for await (const part of reading.stream('exportText', zone, undefined, false)) {
    expect(part).toContain('example.com');
    break;
  }
  expect(await reading.read('recordEver', fullRights, 2)).toBeUndefined();
});
