/**
 * Random changes of two zones, for properties of what is stored.
 *
 * The names are those that make trouble: shared suffixes, empty non-terminals, wildcards, the bytes
 * 0, 1 and 255, capitals, and owners at which blocks begin, which come and go.
 */
import fc from 'fast-check';
import { keyFromLabels, parseAbsoluteName, printLabels } from '../../src/dns/name.ts';
import { parseRdata } from '../../src/dns/rdata/rdata.ts';
import { parseType } from '../../src/dns/rrtype.ts';
import type { Command, ImportMode } from '../../src/domain/command.ts';
import { noneSeen } from '../../src/domain/epoch.ts';
import { parseOwner, type RecordInput } from '../../src/domain/record.ts';
import type { StoredZones } from './stored-zones.ts';
import { testCut } from './test-database.ts';
import { fullRights } from '../../src/domain/access/rights.ts';

/** Owners at which a block begins, however little stands there, spread over the alphabet. */
export const blockOwners = Array.from({ length: 400 }, (_, index) =>
  keyFromLabels([`${String.fromCharCode(97 + (index % 26))}${index}`]),
)
  .filter((name) => testCut.begins(name, 0))
  .slice(0, 8)
  .map(printLabels);

const troublesome = [
  '@',
  '*',
  'a',
  'A',
  'b.a',
  'c.b.a',
  '*.a',
  'x.*.a',
  'aa',
  'a\\000',
  '\\000',
  '\\000.a',
  '\\001.a',
  '\\001\\000.a',
  '\\002',
  '\\255',
  '\\255.a',
  'deep.down.below.z',
  'a\\.b',
  'M',
];

const owner = fc.oneof(
  fc.constantFrom(...troublesome),
  fc.constantFrom(...blockOwners),
  fc
    .tuple(fc.constantFrom('x', 'y.x'), fc.constantFrom(...blockOwners))
    .map((two) => two.join('.')),
  fc.integer({ min: 0, max: 60 }).map((number) => `n${number}`),
);

const number = fc.integer({ min: 0, max: 5 });
const ttl = fc.constantFrom(undefined, undefined, 60);
const data: fc.Arbitrary<Omit<RecordInput, 'name'>> = fc.oneof(
  fc.record({ type: fc.constant('A'), value: number.map((last) => `192.0.2.${last}`), ttl }),
  fc.record({ type: fc.constant('TXT'), value: number.map((n) => 'é'.repeat(n * n * n)), ttl }),
  // Four of these make an owner so large that it begins a block.
  fc.record({ type: fc.constant('TXT'), value: number.map((n) => `${n}${'y'.repeat(4500)}`) }),
  // One of these does, and four pass 64 KiB at one owner.
  fc.record({ type: fc.constant('TXT'), value: number.map((n) => `${n}${'x'.repeat(20_000)}`) }),
  fc.record({ type: fc.constant('MX'), value: number.map((n) => `m${n}.`), priority: number }),
  fc.record({ type: fc.constant('CNAME'), value: number.map((n) => `c${n}.`) }),
  fc.record({ type: fc.constant('NS'), value: number.map((n) => `ns${n}.`) }),
  fc.record({ type: fc.constant('TYPE65280'), value: number.map((n) => `\\# 1 0${n}`) }),
);
const input = fc.tuple(owner, data).map(([name, rest]): RecordInput => ({ name, ...rest }));

/** A command that may need the id of a stored record, which `pick` draws from those there are. */
export type Mutation = (stored: StoredZones) => Command;

/** Names of the two zones; a third one is what the first is renamed to and back. */
const names = ['one.example', 'two.example', 'three.example'] as const;

function zoneNames(stored: StoredZones): string[] {
  return names.filter((name) => stored.zones.byName(name) !== undefined);
}

function anId(stored: StoredZones, pick: number): number {
  const page = { limit: 1000, offset: 0 };
  const { items } = stored.records.list(
    fullRights,
    {},
    { key: 'created_at', descending: false },
    page,
  );
  return items.length === 0 ? 1 : items[pick % items.length]!.record.id;
}

const pick = fc.nat({ max: 10_000 });

function fixed(command: Command): Mutation {
  return () => command;
}

function inSomeZone(make: (zoneName: string) => Command): (choice: number) => Mutation {
  return (choice) => (stored) => {
    const there = zoneNames(stored);
    return make(there[choice % Math.max(1, there.length)] ?? names[0]);
  };
}

function creation(name: string): Command {
  return { kind: 'create-zone', name, mname: 'ns1.example.net', rname: 'a.b@example.net' };
}

const create = fc
  .tuple(pick, fc.array(input, { minLength: 1, maxLength: 3 }))
  .map(([choice, records]) =>
    inSomeZone((zoneName) => ({ kind: 'create-records', zoneName, records }))(choice),
  );

/** Records at many owners at once, so that steps span blocks. */
const createMany = fc
  .tuple(pick, fc.uniqueArray(owner, { minLength: 5, maxLength: 40 }), number)
  .map(([choice, owners, last]) =>
    inSomeZone((zoneName) => ({
      kind: 'create-records',
      zoneName,
      records: owners.map((name) => ({ name, type: 'AAAA', value: `2001:db8::${last}` })),
    }))(choice),
  );

/** A file of one TTL, so that it is wrong only where records can not stand together. */
const importing = fc
  .tuple(
    pick,
    fc.constantFrom<ImportMode>('append', 'append', 'upsert', 'upsert', 'replace'),
    fc.array(fc.tuple(owner, data), { maxLength: 12 }),
    fc.constantFrom(60, 3600),
  )
  .map(([choice, mode, rows, fileTtl]) =>
    inSomeZone((zoneName) => ({
      kind: 'import-zone',
      zoneName,
      mode,
      records: rows.map(([name, { type, value, priority }], index) => {
        const number = parseType(type)!;
        const rdata = parseRdata(number, value, priority);
        return {
          owner: parseOwner(name, parseAbsoluteName(zoneName)),
          type: number,
          ttl: fileTtl,
          rdata,
          line: index + 1,
        };
      }),
    }))(choice),
  );

const update = fc
  .tuple(pick, fc.option(owner, { nil: undefined }), fc.option(data, { nil: undefined }), ttl)
  .map(([choice, name, rest, newTtl]): Mutation => {
    return (stored) => ({
      kind: 'update-record',
      id: anId(stored, choice),
      name,
      ...(rest ?? {}),
      ttl: newTtl,
    });
  });

const remove = pick.map((choice): Mutation => {
  return (stored) => ({ kind: 'delete-record', id: anId(stored, choice) });
});

const removeAt = fc
  .tuple(pick, owner)
  .map(([choice, name]) =>
    inSomeZone((zoneName) => ({ kind: 'delete-records', zoneName, name }))(choice),
  );

const settings = fc
  .tuple(pick, fc.constantFrom({ defaultTtl: 60 }, { defaultTtl: 3600 }, { retry: 7 }, {}))
  .map(([choice, fields]) =>
    inSomeZone((zoneName) => ({ kind: 'update-zone', zoneName, ...fields }))(choice),
  );

const rename = fc
  .tuple(pick, fc.constantFrom(...names))
  .map(([choice, name]) =>
    inSomeZone((zoneName) => ({ kind: 'update-zone', zoneName, name }))(choice),
  );

const tag = fc.tuple(pick, number).map(([choice, n]) => {
  const serial = n % 4 === 0 ? null : n % 7;
  return (stored: StoredZones): Command => {
    const there = zoneNames(stored);
    const zoneName = there[choice % Math.max(1, there.length)] ?? names[0];
    const zoneId = stored.zones.byName(zoneName)?.id ?? 0;
    return { kind: 'tag-zone', zoneName, zoneId, name: `t${n % 3}`, serial };
  };
});

const rare: fc.Arbitrary<Mutation> = fc.oneof(
  tag,
  settings,
  settings,
  rename,
  rename,
  pick.map(inSomeZone((zoneName) => ({ kind: 'bump-serial', zoneName }))),
  pick.map(inSomeZone((zoneName) => ({ kind: 'delete-zone', zoneName }))),
  pick.map(inSomeZone((zoneName) => ({ kind: 'recover-zone', zoneName, jump: 65_536 }))),
  number.map((n) => {
    const serials = [{ name: names[n % names.length]!, serial: n * 1000 }];
    const seen = { ...noneSeen, serials, catalogSerial: n * 3, missedJumps: n };
    return fixed({ kind: 'begin-epoch', epoch: n + 2, reason: 'recover', seen });
  }),
  fc.constantFrom(...names).map((name) => fixed(creation(name))),
  fc.constantFrom(...names).map((name) => fixed({ kind: 'restore-zone', name })),
  fc.constantFrom(...names).map((name) => fixed(creation(name))),
  number.map((n) =>
    fixed({ kind: 'create-secondary', name: `ns${n}`, address: `192.0.2.${(n * 2) % 6}` }),
  ),
  number.map((n) => fixed({ kind: 'update-secondary', name: `ns${n}`, enabled: n % 2 === 0 })),
  number.map((n) => fixed({ kind: 'delete-secondary', name: `ns${n}` })),
);

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 3, arbitrary: createMany },
  { weight: 3, arbitrary: importing },
  { weight: 4, arbitrary: update },
  { weight: 4, arbitrary: remove },
  { weight: 4, arbitrary: removeAt },
  { weight: 4, arbitrary: rare },
);

/** Creates both zones. */
export async function createZones(stored: StoredZones): Promise<void> {
  await Promise.all([stored.run(creation(names[0])), stored.run(creation(names[1]))]);
}

/** The owners that generated records can stand at, and some between and below them. */
export const probes = [
  ...troublesome,
  ...blockOwners,
  ...blockOwners.flatMap((name) => [`x.${name}`, `y.x.${name}`]),
  ...Array.from({ length: 12 }, (_, index) => `n${index * 5}`),
  'below.z',
  'z',
  'down.below.z',
  'nothing',
  'a.nothing',
  '*.x',
  '\\000.b.a',
];
