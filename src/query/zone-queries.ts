/** Reads of zones for the API: one by name, lists by filter; and of deleted ones, those that can be brought back. */
import { and, asc, count, desc, eq, gt, lt, not, type SQL, sum } from 'drizzle-orm';
import {
  keyToBytes,
  type NameKey,
  parentOf,
  parseAbsoluteName,
  printAbsoluteName,
} from '../dns/name.ts';
import type { ZoneSet } from '../domain/access/rights.ts';
import type { DeletedZone, Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { deletedZone, deletedZoneFields, zone, zoneFields } from '../projection/schema.ts';
import { type Listed, type Page, pageOf, type SortKey } from '../projection/page.ts';
import {
  among,
  contains,
  countOf,
  given,
  preparedOnce,
  rowBy,
  type Tables,
  tablesOf,
  within,
} from '../projection/tables.ts';

/** Texts are normalised already; times are milliseconds since 1970, inclusive. */
export interface ZoneFilter {
  readonly name?: string | undefined;
  readonly id?: number | undefined;
  readonly mname?: string | undefined;
  readonly rname?: string | undefined;
  readonly defaultTtl?: number | undefined;
  readonly minDefaultTtl?: number | undefined;
  readonly maxDefaultTtl?: number | undefined;
  readonly serial?: number | undefined;
  readonly minSerial?: number | undefined;
  readonly maxSerial?: number | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Of the last change that was not of signing alone. */
  readonly changedAfter?: number | undefined;
  /** Who made it; exactly. */
  readonly changedBy?: string | undefined;
  readonly signed?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  /** Whether they are among `behind`, the names of those that a secondary is behind with. */
  readonly lagging?: boolean | undefined;
  readonly behind?: Iterable<string> | undefined;
  /** Ids of zones that others are left out beside. */
  readonly among?: Iterable<number> | undefined;
  /** Part of the name. */
  readonly search?: string | undefined;
  /** An absolute name that they are to enclose. */
  readonly encloses?: NameKey | undefined;
}

export interface ZoneSort {
  readonly key: 'name' | 'serial' | 'default_ttl' | 'created_at' | 'changed_at' | 'records';
  readonly descending: boolean;
}

/** Zones read at a time when all are looked at. */
const zonesPerRead = 500;

/**
 * By hand, as every DNS question asks it for each label of its name: 2.0 µs, prepared by drizzle 3.5. Its rows are
 * zones but for the flag.
 */
const byApexText = `SELECT ${Object.entries(zoneFields)
  .map(([field, { name }]) => `${name} AS ${field}`)
  .join(', ')} FROM zone WHERE apex = ?`;

type ByApexRow = Omit<Zone, 'enabled'> & { readonly enabled: number };

const sortKeys = {
  name: { column: zone.name, field: 'name' },
  serial: { column: zone.serial, field: 'serial' },
  default_ttl: { column: zone.defaultTtl, field: 'defaultTtl' },
  created_at: { column: zone.createdAt, field: 'createdAt' },
  changed_at: { column: zone.changedAt, field: 'changedAt' },
  records: { column: zone.recordCount, field: 'recordCount' },
} as const satisfies Record<ZoneSort['key'], SortKey<Zone & { readonly changedAt: number }>>;

const preparedIn = preparedOnce((tables) => {
  const zones = () => tables.select(zoneFields).from(zone);
  const { apex, recordCount } = zone;
  const last = given('last');
  return {
    byName: rowBy(tables, zone, zone.name, zoneFields),
    byId: rowBy(tables, zone, zone.id, zoneFields),
    upwards: zones().where(gt(apex, last)).orderBy(asc(apex)).limit(zonesPerRead).prepare(),
    downwards: zones().where(lt(apex, last)).orderBy(desc(apex)).limit(zonesPerRead).prepare(),
    counts: tables
      .select({ zones: count(), records: sum(recordCount).mapWith(Number) })
      .from(zone)
      .prepare(),
  };
});

export class ZoneQueries {
  readonly #tables: Tables;
  readonly #prepared: ReturnType<typeof preparedIn>;
  readonly #byApex: Statement;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#prepared = preparedIn(connection);
    this.#byApex = connection.prepare(byApexText);
  }

  /** By the normalised name: lower-case, no closing dot. */
  byName(name: string): Zone | undefined {
    return this.#prepared.byName(name);
  }

  byId(id: number): Zone | undefined {
    return this.#prepared.byId(id);
  }

  byApex(apex: NameKey): Zone | undefined {
    const row = this.#byApex.get(keyToBytes(apex)) as ByApexRow | undefined;
    return row && { ...row, enabled: row.enabled === 1 };
  }

  /** The deepest stored zone that encloses an absolute name, enabled or not. */
  enclosing(name: NameKey): Zone | undefined {
    for (let apex: NameKey | undefined = name; apex !== undefined; apex = parentOf(apex)) {
      const found = this.byApex(apex);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Zones in the canonical order of their names or against it; upwards also from behind a name on. */
  *inOrder(descending: boolean, only: ZoneSet, after?: string): Generator<Zone> {
    const read = descending ? this.#prepared.downwards : this.#prepared.upwards;
    // No apex is as long as a key can not be, so this one comes after them all.
    let last: Buffer = descending ? Buffer.alloc(256, 0xff) : Buffer.alloc(0);
    if (after !== undefined) last = keyToBytes(parseAbsoluteName(after));
    while (true) {
      const zones = read.all({ last });
      for (const one of zones) if (only === 'all' || only.has(one.id)) yield one;
      if (zones.length < zonesPerRead) return;
      last = keyToBytes(parseAbsoluteName(zones.at(-1)!.name));
    }
  }

  /** Stored zones, and records of users in them. */
  counts(): { zones: number; records: number } {
    const { zones, records } = this.#prepared.counts.get()!;
    return { zones, records: records ?? 0 };
  }

  /** Those of `visible` that pass the filter. */
  list(visible: ZoneSet, filter: ZoneFilter, sort: ZoneSort, page: Page): Listed<Zone> {
    const where = and(
      visible === 'all' ? undefined : among(zone.id, visible),
      within(zone.name, filter.name),
      within(zone.id, filter.id),
      within(zone.mname, filter.mname),
      within(zone.rname, filter.rname),
      within(zone.defaultTtl, filter.defaultTtl, filter.minDefaultTtl, filter.maxDefaultTtl),
      within(zone.serial, filter.serial, filter.minSerial, filter.maxSerial),
      within(zone.createdAt, undefined, filter.createdAfter, filter.createdBefore),
      within(zone.changedAt, undefined, filter.changedAfter),
      within(zone.changedBy, filter.changedBy),
      filter.signed === undefined ? undefined : isSigned(filter.signed),
      filter.enabled === undefined ? undefined : eq(zone.enabled, filter.enabled),
      filter.lagging === undefined ? undefined : isLagging(filter.lagging, filter.behind),
      filter.among === undefined ? undefined : among(zone.id, filter.among),
      filter.search === undefined ? undefined : contains(zone.name, filter.search),
      filter.encloses === undefined ? undefined : among(zone.name, namesAbove(filter.encloses)),
    );
    const rows = { ...zoneFields, changedAt: zone.changedAt };
    const zones = (behind: SQL | undefined) =>
      this.#tables.select(rows).from(zone).where(and(where, behind));
    const order = [
      { ...sortKeys[sort.key], descending: sort.descending },
      { column: zone.id, field: 'id' },
    ] as const;
    const listed = pageOf(zones, order, page, countOf(this.#tables, zone, where));
    return { ...listed, items: listed.items.map(({ changedAt, ...found }) => found) };
  }
}

/** The name and all above it, as zones have them. */
function* namesAbove(name: NameKey): Generator<string> {
  for (let apex: NameKey | undefined = name; apex; apex = parentOf(apex)) {
    yield printAbsoluteName(apex).slice(0, -1);
  }
}

function isSigned(signed: boolean): SQL {
  return signed ? gt(zone.dnssecCount, 0) : eq(zone.dnssecCount, 0);
}

function isLagging(lagging: boolean, behind: Iterable<string> = []): SQL {
  const isBehind = among(zone.name, behind);
  return lagging ? isBehind : not(isBehind);
}

const lastDeletedFirst = [
  { column: deletedZone.deletedAt, field: 'deletedAt', descending: true },
  { column: deletedZone.id, field: 'id', descending: true },
] as const satisfies readonly SortKey<DeletedZone>[];

export class DeletedZoneQueries {
  readonly #tables: Tables;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
  }

  /** The one deleted last comes first. `search`: part of the name. */
  list(page: Page, search?: string): Listed<DeletedZone> {
    const where = search === undefined ? undefined : contains(deletedZone.name, search);
    const rows = (behind: SQL | undefined) => this.#those(and(where, behind));
    return pageOf(rows, lastDeletedFirst, page, countOf(this.#tables, deletedZone, where));
  }

  /** Of several deleted zones of one name, the one deleted last. The name is normalised. */
  newest(name: string): DeletedZone | undefined {
    return this.#newestFirst(eq(deletedZone.name, name)).limit(1).get();
  }

  byId(id: number): DeletedZone | undefined {
    return this.#newestFirst(eq(deletedZone.id, id)).get();
  }

  #newestFirst(where: SQL | undefined) {
    return this.#those(where).orderBy(desc(deletedZone.deletedAt), desc(deletedZone.id));
  }

  #those(where: SQL | undefined) {
    return this.#tables.select(deletedZoneFields).from(deletedZone).where(where);
  }
}
