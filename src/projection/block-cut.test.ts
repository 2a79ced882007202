import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import {
  openStoredZones,
  record,
  type StoredZones,
  temporaryFolder,
} from '../../spec/support/stored-zones.ts';
import { openTestDatabase, testCut } from '../../spec/support/test-database.ts';
import { keyFromLabels, type NameKey } from '../dns/name.ts';
import { packRecords, unpackRecords } from '../dns/record.ts';
import { Journal } from '../journal/journal.ts';
import { applyMigrations, knownMigrations } from '../journal/migrations.ts';
import { openSqlite } from '../journal/sqlite.ts';
import { type BlockCut, blockCutOf, formerCut } from './block-cut.ts';
import { rebuildProjections, rebuildZone, verifyProjections } from './rebuild.ts';

const names = Array.from({ length: 40_000 }, (_, index) => keyFromLabels([`host${index}`]));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = temporaryFolder();
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A data folder as an older version has left it: its blocks have no key. */
function olderFolder(): string {
  const folder = newFolder();
  const database = openTestDatabase(folder);
  database.connection.exec('DELETE FROM block_cut');
  database.close();
  return folder;
}

function shareOf(cut: BlockCut, bytes: number): number {
  return names.filter((name) => cut.begins(name, bytes)).length / names.length;
}

it('has one small owner in 32 begin a block, larger ones more often, and one of 16 KiB always', () => {
  const expected = [
    [0, 1 / 32],
    [512, 1 / 32],
    [1024, 1 / 16],
    [8192, 1 / 2],
    [16_383, 1],
    [16_384, 1],
    [125_000, 1],
  ] as const;
  for (const [bytes, share] of expected) {
    expect(shareOf(testCut, bytes)).toBeGreaterThan(share * 0.93);
    expect(shareOf(testCut, bytes)).toBeLessThan(share * 1.07);
  }
  expect(shareOf(testCut, 16_384)).toBe(1);
  expect(testCut.begins('' as NameKey, 0)).toBe(true);
});

it('cuts names that were chosen to begin no block without the key', () => {
  expect(shareOf(formerCut, 125_000)).toBeLessThan(1 / 26);
  const chosen = names.filter((name) => !formerCut.begins(name, 50)).sort();
  const lengths = chosen.reduce(
    (all, name) =>
      testCut.begins(name, 50) ? [...all, 1] : [...all.slice(0, -1), all.at(-1)! + 1],
    [1],
  );
  expect(chosen.length / lengths.length).toBeLessThan(40);
  expect(Math.max(...lengths)).toBeLessThan(600);
});

it('draws a key of its own for a new database, and none where there are events', () => {
  const keys = [0, 1, 2].map((events) => {
    using stack = new DisposableStack();
    const connection = openSqlite(':memory:');
    stack.defer(() => connection.close());
    const migrations = knownMigrations();
    applyMigrations(connection, migrations.slice(0, 17));
    if (events === 2) {
      connection.exec(`INSERT INTO event (stream, kind, at, change_source, delta, content_digest, prev_hash, hash)
        VALUES (0, 'role.created', 0, 'api', 1, x'', x'', x'')`);
    }
    applyMigrations(connection, migrations);
    return connection.prepare('SELECT hex(key) FROM block_cut').pluck().all();
  });
  expect(keys[0]).toEqual([expect.stringMatching(/^[0-9A-F]{16}$/)]);
  expect(keys[1]).toHaveLength(1);
  expect(keys[1]).not.toEqual(keys[0]);
  expect(keys[2]).toEqual([]);
});

/** Whether each owner begins a block where a cut says, and nowhere else. */
function expectCutBy(cut: BlockCut, { connection }: Pick<StoredZones, 'connection'>): void {
  const rows = connection.prepare('SELECT first, records FROM block').all();
  for (const { first, records } of rows as { first: Buffer; records: Buffer }[]) {
    const owners = Map.groupBy(unpackRecords(records), ({ owner }) => owner);
    for (const [owner, there] of owners) {
      const begins = cut.begins(owner, packRecords(there).length);
      expect([owner, begins]).toEqual([owner, owner === first.latin1Slice()]);
    }
  }
}

async function change(stored: StoredZones, round: number): Promise<void> {
  const many = Array.from({ length: 200 }, (_, index) =>
    record(`host${index}.${round}`, 'A', '192.0.2.1'),
  );
  await stored.add('older.example', ...many, record(`large${round}`, 'TXT', 'x'.repeat(40_000)));
  await stored.run({ kind: 'delete-records', zoneName: 'older.example', name: 'host1' });
}

it('leaves an older database as it is until it is rebuilt, which gives it a key', async () => {
  const folder = olderFolder();
  const older = openStoredZones({ folder, durable: false });
  cleanups.push(() => older.close());
  const { id } = await older.zone('older.example');
  await older.add('older.example', record('host1', 'A', '192.0.2.1'));
  await change(older, 1);
  expect(blockCutOf(older.connection)).toBe(formerCut);
  expectCutBy(formerCut, older);
  expect(verifyProjections(older.connection, older.journal)).toEqual([]);
  // To prove it gives it none.
  expect(blockCutOf(older.connection)).toBe(formerCut);
  const copy = rebuildZone(older.connection, older.journal, id);
  cleanups.push(() => copy.close());
  expectCutBy(formerCut, { connection: copy });

  await cleanups.pop()!();
  await cleanups.pop()!();
  const database = openTestDatabase(folder);
  rebuildProjections(database.connection, new Journal(database.connection));
  const keyOf = () => database.connection.prepare('SELECT hex(key) FROM block_cut').pluck().all();
  const key = keyOf();
  expect(key).toHaveLength(1);
  // Another one keeps it.
  rebuildProjections(database.connection, new Journal(database.connection));
  expect(keyOf()).toEqual(key);
  database.close();

  const newer = openStoredZones({ folder, durable: false });
  cleanups.push(() => newer.close());
  const cut = blockCutOf(newer.connection);
  expect(cut).not.toBe(formerCut);
  expectCutBy(cut, newer);
  await newer.add('older.example', record('host1', 'A', '192.0.2.1'));
  await change(newer, 2);
  expectCutBy(cut, newer);
  expect(verifyProjections(newer.connection, newer.journal)).toEqual([]);
  const again = rebuildZone(newer.connection, newer.journal, id);
  cleanups.push(() => again.close());
  expectCutBy(cut, { connection: again });
});

it('gives each full owner a block, however its name was chosen', async () => {
  const stored = openStoredZones({ durable: false });
  cleanups.push(() => stored.close());
  await stored.zone('full.example');
  const chosen = Array.from({ length: 80 }, (_, index) => `n${index}`)
    .filter((name) => !formerCut.begins(keyFromLabels([name]), 125_000))
    .slice(0, 60);
  for (const name of chosen) {
    const texts = record(name, 'TXT', 'x'.repeat(61_000));
    const others = record(name, 'TYPE65280', `\\# 62000 ${'ab'.repeat(62_000)}`);
    await stored.add('full.example', texts, others);
  }
  const sizes = "SELECT length(records) FROM block WHERE first <> x''";
  const bytes = stored.connection.prepare(sizes).pluck().all() as number[];
  expect(bytes).toHaveLength(60);
  expect(Math.max(...bytes)).toBeLessThan(130_000);
  for (const name of chosen) {
    await stored.run({ kind: 'delete-records', zoneName: 'full.example', name });
  }
  expect(stored.connection.prepare(sizes).all()).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
});
