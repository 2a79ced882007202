import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../../spec/support/stored-zones.ts';
import type { Parts } from '../../base/jobs.ts';
import { type IndexPart, SearchJob } from './search-job.ts';

const zoneName = 'large.example';
const records = 3000;

let stored: StoredZones;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone(zoneName);
  const all = Array.from({ length: records }, (_, index) => {
    return { name: `r${index}`, type: 'A', value: '192.0.2.1' };
  });
  await stored.add(zoneName, ...all);
});
afterEach(() => stored.close());

/** Owners that the job gives, part by part. Between any two parts whoever writes can begin the WAL anew. */
async function ownersOf(read: 'follow' | 'zone' | 'recall', from: number): Promise<Set<string>> {
  const job = new SearchJob(stored.file);
  const owners = new Set<string>();
  let count = 0;
  const send = async ({ batch }: IndexPart) => {
    for (const { owner } of batch.owners) owners.add(owner);
    stored.connection.pragma(`user_version = ${++count}`);
    expect(stored.connection.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
  };
  try {
    await job[read](from, { send } as unknown as Parts<IndexPart>);
  } finally {
    job[Symbol.dispose]();
  }
  expect(count).toBeGreaterThan(0);
  return owners;
}

it('keeps no snapshot while what it read is written', async () => {
  const followed = await ownersOf('follow', 0);
  expect(followed.size).toBe(records);
  expect(await ownersOf('zone', 0)).toEqual(followed);
  for (const name of ['r1', 'r2']) await stored.run({ kind: 'delete-records', zoneName, name });
  expect((await ownersOf('recall', 100)).size).toBe(2);
  expect((await ownersOf('zone', 0)).size).toBe(records - 2);
});
