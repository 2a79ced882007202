/**
 * Lists of records with an address in their value: the index of searches says where to look, and the list is the same
 * as of all records, also while the index is made or behind. The judge is the list of a database without an index.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SearchIndexer } from '../../src/background/search/search-indexer.ts';
import { fullRights } from '../../src/domain/access/rights.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { AddressOwners } from '../../src/query/address-owners.ts';
import { ReadingJob } from '../../src/query/reading-job.ts';
import { SearchQueries } from '../../src/query/search-queries.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { RecordQueries } from '../../src/query/record-queries.ts';
import { copyOf, pageBytes, pagesOf, zeroPage } from '../support/damaged-files.ts';
import { isLong } from '../support/long.ts';
import { openStoredZones, record, type StoredZones } from '../support/stored-zones.ts';

const zones = ['example.com', 'example.net', 'sub.example.com'];
const names = ['@', 'www', 'a.b', '*', 'b-192-0-2-1'];
const manyAddresses = Array.from({ length: 70 }, (_, at) => `198.51.${at}.1`).join(' ');
const values: readonly (readonly [type: string, value: RecordInput['value']])[] = [
  ...['192.0.2.1', '192.0.2.12', '192.0.2.123', '92.0.2.1', '110.0.0.1', '10.0.0.1'].map(
    (value) => ['A', value] as const,
  ),
  ...['::ffff:192.0.2.1', '2001:db8::1', '2001:db8:1::5', 'fe80:2001:db8::1'].map(
    (value) => ['AAAA', value] as const,
  ),
  ['TXT', 'v=spf1 ip4:192.0.2.0/24 ip6:2001:DB8::/32 -all'],
  ['TXT', 'x192.0.2.0/240 2001:db8::/32'],
  ['TXT', 'of 1.192.0.2.1.5'],
  ['TXT', ['192.0', '.2.1']],
  ['TXT', `${manyAddresses} 192.0.2.1`],
  ['TXT', 'a:b 192..0.2.1 1192.0.2.1'],
  ['PTR', 'host-192.0.2.12.example.'],
  ['MX', '192.0.2.1.example.'],
  ['APL', '1:192.0.2.0/24 !2:2001:db8::/32'],
  ['HTTPS', '1 . ipv4hint=192.0.2.1 ipv6hint=2001:db8::1'],
  ['CAA', '0 issue "192.0.2.1"'],
];
const questions = [
  ...['192.0.2.1', '2.0.2.1', '192.0.2.12', '10.0.0.1', '0.2.1.5', '198.51.69.1', '192.0.02.1'],
  ...['192.0.2.0/24', '192.0.2.77/25', '0.0.0.0/0', '10.0.0.0/8', '192.0.2.1/32', '192.0.2.0/33'],
  ...['2001:db8::/32', '2001:DB8::/32', '2001:db8::1/128', '::ffff:192.0.2.0/120', '::/0'],
  ...['2001:db8::1', 'fe80:2001:db8::1', '192.0.2', '192.0.2.1 ', ' 192.0.2.0/24', 'ip4:192.0.2.0'],
];

type Step =
  | { readonly kind: 'add'; readonly zone: number; readonly name: number; readonly value: number }
  | { readonly kind: 'delete' | 'move'; readonly zone: number; readonly name: number }
  | { readonly kind: 'delete-zone' | 'index' | 'ask'; readonly zone: number };
const zone = fc.nat(zones.length - 1);
const name = fc.nat(names.length - 1);
const value = fc.nat(values.length - 1);
const only = <Kind extends string>(kind: Kind) => fc.constant(kind);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: only('add'), zone, name, value }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('delete', 'move'), zone, name }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('delete-zone', 'index', 'ask'), zone }),
    },
  ),
  { minLength: 20, maxLength: isLong ? 150 : 50 },
);

const open: StoredZones[] = [];
afterEach(async () => {
  for (const stored of open.splice(0)) await stored.close();
});

function opened() {
  const stored = openStoredZones({ durable: false });
  open.push(stored);
  const { writer, workers } = stored;
  const log = { error: (_: string, { error }: { error: unknown }) => expect(error).toBe('none') };
  return { stored, indexer: new SearchIndexer({ writer, workers, log: log as never }, 60_000) };
}

const sorts = [
  { key: 'name', descending: false },
  { key: 'name', descending: true },
  { key: 'type', descending: false },
] as const;

/** What each question lists, in each order, by pages of a few. */
function listed(stored: StoredZones): unknown[] {
  const records = new RecordQueries(stored.connection);
  const zoneId = stored.zones.byName(zones[0]!)?.id;
  return questions.flatMap((asked) =>
    [
      { value: asked },
      { value: asked, type: 1 },
      ...(zoneId ? [{ value: asked, zoneId }] : []),
    ].map((filter) =>
      sorts.map((sort) =>
        [0, 3].map((offset) => {
          const { items, total } = records.list(fullRights, filter, sort, { limit: 3, offset });
          return [asked, filter, sort, total, items.map(({ record: { id } }) => id)];
        }),
      ),
    ),
  );
}

function expectSame(stored: StoredZones): void {
  const { connection } = stored;
  const found = listed(stored);
  connection.exec('SAVEPOINT without; DELETE FROM search_progress');
  const expected = listed(stored);
  connection.exec('ROLLBACK TO without; RELEASE without');
  expect(found).toEqual(expected);
}

async function play({ stored, indexer }: ReturnType<typeof opened>, step: Step): Promise<void> {
  const zoneName = zones[step.zone]!;
  switch (step.kind) {
    case 'ask':
      return expectSame(stored);
    case 'index':
      return indexer.run();
    case 'delete-zone':
      await stored.run({ kind: 'delete-zone', zoneName });
      return;
    case 'delete':
      await stored.run({ kind: 'delete-records', zoneName, name: names[step.name]! });
      return;
    case 'move': {
      const to = `moved-${step.name}.example`;
      await stored.run({ kind: 'update-zone', zoneName, name: to });
      await stored.run({ kind: 'update-zone', zoneName: to, name: zoneName });
      return;
    }
    case 'add': {
      if (stored.zones.byName(zoneName) === undefined) await stored.zone(zoneName);
      const [type, text] = values[step.value]!;
      const more = type === 'MX' ? { priority: 10 } : {};
      await stored.add(zoneName, record(names[step.name]!, type, text, more));
    }
  }
}

describe('the first search of all', () => {
  it('waits for the index, so that it finds what is there', async () => {
    const { stored, indexer } = opened();
    await stored.zone('a.example');
    await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    const last = stored.connection.prepare('SELECT max(seq) FROM event').pluck().get() as number;
    await indexer.reach(last, 60_000);
    const search = new SearchQueries(stored.connection, new VersionQueries(stored.connection));
    const { records, completeTo } = search.page(fullRights, { text: 'www' }, 10, null);
    expect(records).toMatchObject([{ record: { owner: 'www\0' } }]);
    expect(completeTo).not.toBe(null);
    await indexer.stop();
  });
});

describe('records with an address', () => {
  it('are listed by the index as they are without', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const made = opened();
        for (const step of all) {
          await play(made, step).catch((error) => {
            if (error.name !== 'Problem') throw error;
          });
        }
        expectSame(made.stored);
        await made.indexer.run();
        expectSame(made.stored);
        await made.indexer.stop();
      }),
      { numRuns: isLong ? 100 : 3 },
    );
  });

  it('are looked up where the index has them, and after a change that it has not taken in', async () => {
    const { stored, indexer } = opened();
    const [zoneName] = zones;
    const { id } = await stored.zone(zoneName!);
    await stored.add(zoneName!, record('www', 'A', '192.0.2.1'), record('far', 'A', '10.0.0.1'));
    const owners = new AddressOwners(stored.connection);
    expect(owners.with('192.0.2.0/24')).toBeUndefined();
    await indexer.run();
    expect(owners.with('192.0.2.0/24')).toEqual(new Map([[id, new Set(['www\0'])]]));
    await stored.add(zoneName!, record('other', 'A', '10.0.0.2'));
    const both = new Map([[id, new Set(['www\0', 'other\0'])]]);
    expect(owners.with('192.0.2.1')).toEqual(both);
    expect(owners.with('2001:db8::/32')).toEqual(new Map([[id, new Set(['other\0'])]]));
    expect(owners.with('2001:db8::1')).toBeUndefined();
    expect(owners.with('192.0.2')).toBeUndefined();
    // Much that it has not taken in is not looked through.
    const many = Array.from({ length: 6000 }, (_, at) => record(`n${at}`, 'A', '192.0.2.7'));
    await stored.add(zoneName!, ...many);
    expect(owners.with('192.0.2.1')).toBeUndefined();
    await indexer.run();
    expect(owners.with('10.0.0.2')).toEqual(new Map([[id, new Set(['other\0'])]]));
    expect(owners.with('192.0.2.7')).toBeUndefined();
    await indexer.stop();
  });

  it('are looked up in the zones where the index is damaged, also by a read of its own state', async () => {
    const { stored, indexer } = opened();
    const zone = await stored.zone(zones[0]!);
    await stored.add(zone.name, record('www', 'A', '192.0.2.1'), record('far', 'A', '10.0.0.1'));
    await indexer.run();
    await indexer.stop();
    const file = join(stored.folder, 'damaged.db');
    copyOf(stored.file, file);
    for (const { start } of pagesOf(file, 'search_key')) zeroPage(file, start / pageBytes);
    using job = new ReadingJob(file);
    const args = [{ value: '192.0.2.0/24' }, sorts[0], { limit: 10, offset: 0 }];
    const asked = { name: 'listRecords', rights: fullRights.message(), args };
    const { items } = job.read(asked) as { items: { record: { owner: string } }[] };
    expect(items.map((each) => each.record.owner)).toEqual(['www\0']);
  });
});
