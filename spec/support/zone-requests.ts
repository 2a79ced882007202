/**
 * Requests that change one zone by every way in, valid and invalid alike: the generator does not know the
 * rules. `playRequest` turns one into what goes over the wire and says how it was answered.
 */
import fc from 'fast-check';
import { ownerText, type TypedValue, ttl, typedValue } from './record-values.ts';

export interface RawRecord extends TypedValue {
  readonly name: string;
  readonly ttl: number | undefined;
}

export type ImportMode = 'append' | 'upsert' | 'replace';

interface Soa {
  readonly serial: number;
  readonly refresh: number;
  readonly minimum: number;
}

export type ZoneRequest =
  | { readonly way: 'create'; readonly record: RawRecord }
  | { readonly way: 'update'; readonly pick: number; readonly to: Partial<RawRecord> }
  | { readonly way: 'delete'; readonly pick: number }
  | { readonly way: 'delete-by'; readonly name: string; readonly type: string | undefined }
  | { readonly way: 'bulk'; readonly records: readonly RawRecord[]; readonly isLarge: boolean }
  | {
      readonly way: 'import';
      readonly mode: ImportMode;
      readonly from: 'content' | 'server';
      readonly records: readonly RawRecord[];
      readonly isLarge: boolean;
    }
  | {
      readonly way: 'dynamic-update';
      readonly added: readonly RawRecord[];
      readonly deleted: readonly { name: string; type: string | undefined }[];
      readonly soa: Soa | undefined;
      readonly isSigned: boolean;
    }
  | {
      readonly way: 'external-dns';
      readonly creates: readonly RawRecord[];
      readonly deletes: readonly RawRecord[];
    }
  | { readonly way: 'rollback'; readonly pick: number }
  | { readonly way: 'delete-and-restore' }
  | { readonly way: 'delete-and-create' }
  | { readonly way: 'disable-and-enable' }
  | { readonly way: 'rename' }
  | { readonly way: 'settings'; readonly fields: Readonly<Record<string, number | string>> }
  | { readonly way: 'dnssec'; readonly policy: 'nsec' | 'nsec3' | undefined };

/** How a zone begins. */
export interface ZoneBeginning {
  readonly name: 'short' | 'one label' | 'three labels' | '253 characters' | 'odd';
  readonly fields: Readonly<Record<string, number | boolean>>;
}

export interface Story {
  readonly beginning: ZoneBeginning;
  /** `isLast` of a group that the secondaries take in one. */
  readonly requests: readonly { readonly request: ZoneRequest; readonly endsGroup: boolean }[];
}

const record: fc.Arbitrary<RawRecord> = fc
  .tuple(ownerText, ttl, typedValue)
  .map(([name, seconds, value]) => ({ name, ttl: seconds, ...value }));
const records = fc.array(record, { minLength: 1, maxLength: 4 });
const pick = fc.nat({ max: 1000 });
const optionalType = fc.constantFrom(undefined, undefined, 'NS', 'A', 'TXT', 'CNAME', 'DNAME');

const soa: fc.Arbitrary<Soa> = fc.record({
  serial: fc.constantFrom(5, 1000, 2_137_483_647, 2_147_000_000, 2_147_483_646, 2_147_483_647),
  refresh: fc.constantFrom(0, 300, 2_147_483_647, 2_147_483_648),
  minimum: fc.constantFrom(0, 60, 2_147_483_647),
});

const setting = fc.constantFrom<Readonly<Record<string, number | string>>>(
  { default_ttl: 60 },
  { default_ttl: 604_800 },
  { minimum_ttl: 1, refresh: 2_147_483_647, retry: 1, expire: 2_147_483_647 },
  { minimum_ttl: 2_147_483_647 },
  { mname: 'ns.other.test' },
  { rname: 'first.last@other.test' },
  { rname: '"odd one"@other.test' },
  { description: 'another' },
);

const importing = fc.record({
  way: fc.constant('import' as const),
  mode: fc.constantFrom<ImportMode>('append', 'upsert', 'replace'),
  from: fc.constantFrom('content', 'content', 'server'),
  records: fc.array(record, { maxLength: 5 }),
  isLarge: fc.constant(false),
});

const dynamicUpdate = fc.record({
  way: fc.constant('dynamic-update' as const),
  added: fc.array(record, { maxLength: 3 }),
  deleted: fc.array(fc.record({ name: ownerText, type: optionalType }), { maxLength: 2 }),
  soa: fc.option(soa, { nil: undefined, freq: 4 }),
  isSigned: fc.boolean(),
});

const rare: fc.Arbitrary<ZoneRequest> = fc.oneof(
  fc.record({ way: fc.constant('settings' as const), fields: setting }),
  fc.constantFrom<ZoneRequest>(
    { way: 'delete-and-restore' },
    { way: 'delete-and-create' },
    { way: 'disable-and-enable' },
    { way: 'rename' },
    { way: 'dnssec', policy: 'nsec' },
    { way: 'dnssec', policy: 'nsec3' },
    { way: 'dnssec', policy: undefined },
  ),
);

/** More records than one command takes: they go the staged way. */
const staged: fc.Arbitrary<ZoneRequest> = fc.oneof(
  records.map((few): ZoneRequest => ({ way: 'bulk', records: few, isLarge: true })),
  importing.map((one): ZoneRequest => ({ ...one, isLarge: true })),
);

export const zoneRequest: fc.Arbitrary<ZoneRequest> = fc.oneof(
  { weight: 5, arbitrary: record.map((one): ZoneRequest => ({ way: 'create', record: one })) },
  {
    weight: 4,
    arbitrary: records.map((few): ZoneRequest => ({ way: 'bulk', records: few, isLarge: false })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(pick, ownerText, ttl, typedValue, fc.nat({ max: 6 }))
      .map(([which, name, seconds, value, fields]): ZoneRequest => {
        const to = fields === 0 ? { name } : fields === 1 ? { ttl: seconds } : { ...value };
        return { way: 'update', pick: which, to };
      }),
  },
  { weight: 3, arbitrary: pick.map((which): ZoneRequest => ({ way: 'delete', pick: which })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(ownerText, optionalType)
      .map(([name, type]): ZoneRequest => ({ way: 'delete-by', name, type })),
  },
  { weight: 5, arbitrary: importing as fc.Arbitrary<ZoneRequest> },
  { weight: 5, arbitrary: dynamicUpdate as fc.Arbitrary<ZoneRequest> },
  {
    weight: 2,
    arbitrary: fc
      .tuple(records, fc.array(record, { maxLength: 1 }))
      .map(([creates, deletes]): ZoneRequest => ({ way: 'external-dns', creates, deletes })),
  },
  { weight: 3, arbitrary: pick.map((which): ZoneRequest => ({ way: 'rollback', pick: which })) },
  { weight: 5, arbitrary: rare },
  { weight: 1, arbitrary: staged },
);

const beginning: fc.Arbitrary<ZoneBeginning> = fc.record({
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constant('short' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom('one label', 'three labels', '253 characters', 'odd'),
    },
  ) as fc.Arbitrary<ZoneBeginning['name']>,
  fields: fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<ZoneBeginning['fields']>(
        { apex_ns: false },
        { serial: 2_137_483_647 },
        { serial: 2_137_483_648 },
        { refresh: 1, retry: 1, expire: 3600, minimum_ttl: 1 },
        { refresh: 2_147_483_647, retry: 2_147_483_647, expire: 2_147_483_647 },
        { minimum_ttl: 2_147_483_647, default_ttl: 604_800 },
        { default_ttl: 60 },
        { minimum_ttl: 0 },
      ),
    },
  ),
});

/** A zone with up to `length` requests that change it. */
export function storyOf(length: number): fc.Arbitrary<Story> {
  return fc.record({
    beginning,
    requests: fc.array(
      fc.record({ request: zoneRequest, endsGroup: fc.integer({ min: 0, max: 3 }).map(Boolean) }),
      { minLength: 1, maxLength: length, size: 'max' },
    ),
  });
}
