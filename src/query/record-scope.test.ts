import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyFromLabels } from '../dns/name.ts';
import { compareRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { parseNamePattern } from '../domain/access/pattern.ts';
import { type CompiledGrant, compileGrant, fullRights, Rights } from '../domain/access/rights.ts';
import { openDatabase } from '../journal/database.ts';
import { Fold } from '../projection/fold.ts';
import { Pending } from '../projection/pending.ts';
import { type FoundRecord, type RecordFilter, RecordQueries } from './record-queries.ts';
import { ReadableRecords } from './record-scope.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-test-'));
let database: ReturnType<typeof openDatabase>;
let queries: RecordQueries;
let all: readonly FoundRecord[];

const owners = [
  [],
  ['www'],
  ['sub'],
  ['a', 'sub'],
  ['b', 'a', 'sub'],
  ['suba'],
  ['x\x00', 'sub'],
  ['www', 'sub'],
  ['sub', 'www', 'a'],
  ['\x00', 'www'],
];
const page = { limit: 1000, offset: 0 };
const sort = { key: 'name', descending: false } as const;

beforeAll(() => {
  database = openDatabase(folder);
  const pending = new Pending(database.connection);
  const fold = new Fold(database.connection, pending);
  let id = 0;
  for (const zoneId of [1, 2, 3]) {
    const name = `zone${zoneId}.example`;
    const after = {
      name,
      mname: `ns.${name}`,
      rname: `host@${name}`,
      defaultTtl: 60,
      minimumTtl: 60,
      refresh: 1,
      retry: 1,
      expire: 1,
      serial: 1,
      description: null,
      enabled: true,
      guard: null,
    };
    const added = owners.flatMap((labels) =>
      [rrtype.A, rrtype.AAAA].map((type) => ({
        id: ++id,
        owner: keyFromLabels(labels),
        type,
        ttl: 60,
        rdata: Buffer.alloc(type === rrtype.A ? 4 : 16),
        createdAt: 0,
      })),
    );
    added.sort(compareRecords);
    const delta = { removed: [], added, dnssecRemoved: [], dnssecAdded: [] };
    fold.apply(
      { kind: 'zone.created', zoneId, before: null, after, delta },
      { at: 0, actorName: null },
    );
  }
  pending.flush();
  queries = new RecordQueries(database.connection);
  all = queries.list(fullRights, {}, sort, page).items;
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const grant = fc.record({
  id: fc.constant(1),
  roleId: fc.constant(1),
  zoneId: fc.option(fc.constantFrom(1, 2, 9)),
  actions: fc.constantFrom(['record:read'] as const, ['zone:read'] as const),
  recordNamePattern: fc.constantFrom(
    '*',
    '@',
    'www',
    '*.sub',
    '*.a.sub',
    'none',
    'www.**',
    'sub.**',
    'a.sub.**',
  ),
  recordTypes: fc.constantFrom('*', 'A', 'AAAA', 'A,TXT'),
  createdAt: fc.constant(0),
});

it('finds exactly the records that may be read, and counts them', () => {
  const filter: fc.Arbitrary<RecordFilter> = fc.constantFrom(
    {},
    { zoneId: 1 },
    { type: rrtype.A },
    { zoneId: 3, search: 'sub' },
    { zoneId: 2, owner: keyFromLabels(['www']) },
    { absoluteName: keyFromLabels(['www', 'zone2', 'example']) },
    { absoluteName: keyFromLabels(['www', 'zone3', 'example']), type: rrtype.A },
    { openName: keyFromLabels(['www']) },
  );
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 4 }), filter, (grants, asked) => {
      const rights = new Rights(grants.map(compileGrant));
      const found = queries.list(rights, asked, sort, page);
      const wanted = new Set(
        queries.list(fullRights, asked, sort, page).items.map(({ record }) => record.id),
      );
      const readable = all.filter(
        ({ zone, record }) =>
          wanted.has(record.id) &&
          rights.onRecord('record:read', zone.id, record.owner, record.type),
      );
      expect(found.items.map(({ record }) => record.id)).toEqual(
        readable.map(({ record }) => record.id),
      );
      expect(found.total).toBe(readable.length);
      const parts = new ReadableRecords(rights);
      for (const { zone, record } of all) {
        expect(parts.in(zone.id).has(record.owner, record.type)).toBe(
          rights.onRecord('record:read', zone.id, record.owner, record.type),
        );
      }
    }),
    { numRuns: 300 },
  );
});

it('takes thousands of different grants', () => {
  const reading = (zoneId: number, names: string): CompiledGrant => ({
    zoneId,
    actions: new Set(['record:read']),
    names: parseNamePattern(names).pattern,
    types: undefined,
  });
  const grants = Array.from({ length: 5000 }, (_, index) =>
    reading((index % 3) + 1, `host${index}`),
  );
  expect(queries.list(new Rights(grants), {}, sort, page).total).toBe(0);
  const more = new Rights([...grants, reading(1, 'www')]);
  expect(queries.list(more, {}, sort, page).total).toBe(2);
});
