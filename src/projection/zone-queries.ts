/** Reads of zones for the API: one by name, lists by filter. */
import { keyToBytes, type NameKey, parseAbsoluteName } from '../dns/name.ts';
import type { ZoneSet } from '../domain/access/rights.ts';
import type { Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { amongZones, Conditions, containing, jsonOfIds } from './condition.ts';
import type { Listed, Page } from './page.ts';
import { type ZoneRow, zoneByApexQuery, zoneColumns, zoneOf } from './zone-row.ts';

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
  readonly signed?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  /** Part of the name. */
  readonly search?: string | undefined;
}

export interface ZoneSort {
  readonly key: 'name' | 'serial' | 'default_ttl' | 'created_at';
  readonly descending: boolean;
}

/** Zones read at a time when all are looked at. */
const zonesPerRead = 500;

export class ZoneQueries {
  readonly #connection: Connection;
  readonly #byName: Statement;
  readonly #byId: Statement;
  readonly #byApex: Statement;
  readonly #upwards: Statement;
  readonly #downwards: Statement;
  readonly #counts: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#byName = connection.prepare(`SELECT ${zoneColumns} FROM zone WHERE name = ?`);
    this.#byId = connection.prepare(`SELECT ${zoneColumns} FROM zone WHERE id = ?`);
    this.#byApex = connection.prepare(zoneByApexQuery);
    const columns = `SELECT ${zoneColumns} FROM zone WHERE apex`;
    this.#upwards = connection.prepare(`${columns} > ? ORDER BY apex LIMIT ${zonesPerRead}`);
    this.#downwards = connection.prepare(`${columns} < ? ORDER BY apex DESC LIMIT ${zonesPerRead}`);
    this.#counts = connection.prepare(
      'SELECT count(*) AS zones, coalesce(sum(record_count), 0) AS records FROM zone',
    );
  }

  /** By the normalised name: lower-case, no closing dot. */
  byName(name: string): Zone | undefined {
    const row = this.#byName.get(name) as ZoneRow | undefined;
    return row && zoneOf(row);
  }

  byId(id: number): Zone | undefined {
    const row = this.#byId.get(id) as ZoneRow | undefined;
    return row && zoneOf(row);
  }

  byApex(apex: NameKey): Zone | undefined {
    const row = this.#byApex.get(keyToBytes(apex)) as ZoneRow | undefined;
    return row && zoneOf(row);
  }

  /** Zones in the canonical order of their names or against it. */
  *inOrder(descending: boolean, only: ZoneSet): Generator<Zone> {
    const read = descending ? this.#downwards : this.#upwards;
    // No apex is as long as a key can not be, so this one comes after them all.
    let last: Buffer = descending ? Buffer.alloc(256, 0xff) : Buffer.alloc(0);
    while (true) {
      const rows = read.all(last) as ZoneRow[];
      for (const row of rows) if (only === 'all' || only.has(row.id)) yield zoneOf(row);
      if (rows.length < zonesPerRead) return;
      last = keyToBytes(parseAbsoluteName(rows.at(-1)!.name));
    }
  }

  counts(): { zones: number; records: number } {
    return this.#counts.get() as { zones: number; records: number };
  }

  /** Those of `visible` that pass the filter. */
  list(visible: ZoneSet, filter: ZoneFilter, sort: ZoneSort, page: Page): Listed<Zone> {
    const conditions = new Conditions()
      .add(amongZones, visible === 'all' ? undefined : jsonOfIds(visible))
      .add('zone.name = ?', filter.name)
      .add('zone.id = ?', filter.id)
      .add('zone.mname = ?', filter.mname)
      .add('zone.rname = ?', filter.rname)
      .addRange('zone.default_ttl', filter.defaultTtl, filter.minDefaultTtl, filter.maxDefaultTtl)
      .addRange('zone.serial', filter.serial, filter.minSerial, filter.maxSerial)
      .addRange('zone.created_at', undefined, filter.createdAfter, filter.createdBefore)
      .add('(zone.derived_count > 0) = ?', flag(filter.signed))
      .add('zone.enabled = ?', flag(filter.enabled))
      .add(
        "zone.name LIKE ? ESCAPE '\\'",
        filter.search === undefined ? undefined : containing(filter.search),
      );
    const { where, values } = conditions;
    const direction = sort.descending ? 'DESC' : 'ASC';
    const rows = this.#connection
      .prepare(
        `SELECT ${zoneColumns} FROM zone ${where}
         ORDER BY zone.${sort.key} ${direction}, zone.id LIMIT ? OFFSET ?`,
      )
      .all(...values, page.limit, page.offset) as ZoneRow[];
    const { count } = this.#connection
      .prepare(`SELECT count(*) AS count FROM zone ${where}`)
      .get(...values) as { count: number };
    return { items: rows.map(zoneOf), total: count };
  }
}

function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}
