/** Reads of user records for the API: one by id, lists by filter. */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { printType } from '../dns/rrtype.ts';
import type { RecordScope } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { amongZones, Conditions, containing, jsonOfIds } from './condition.ts';
import type { Listed, Page } from './page.ts';
import { clausesOf, isWhole, ScopeTest, scopesWithin } from './record-scope.ts';
import { type RecordRow, RecordStore, recordColumns, recordOf } from './record-store.ts';
import { ZoneQueries } from './zone-queries.ts';

export interface RecordFilter {
  readonly zoneId?: number | undefined;
  /** Relative to the apex; with zoneId. */
  readonly owner?: NameKey | undefined;
  /** Without zoneId: the owner as an absolute name, in whichever zone. */
  readonly absoluteName?: NameKey | undefined;
  /** Without zoneId: absolute in the zones that enclose it, relative in all others. */
  readonly openName?: NameKey | undefined;
  readonly type?: number | undefined;
  /** Part of the shown value. */
  readonly value?: string | undefined;
  readonly ttl?: number | undefined;
  readonly minTtl?: number | undefined;
  readonly maxTtl?: number | undefined;
  readonly priority?: number | undefined;
  readonly minPriority?: number | undefined;
  readonly maxPriority?: number | undefined;
  /** Part of the absolute name or of the shown value. */
  readonly search?: string | undefined;
  /** Only records in one of these; undefined for all. */
  readonly scopes?: readonly RecordScope[] | undefined;
}

export interface RecordSort {
  readonly key: 'name' | 'type' | 'ttl' | 'priority' | 'created_at';
  readonly descending: boolean;
}

export interface FoundRecord {
  readonly zone: Zone;
  readonly record: ZoneRecord;
}

/** The absolute name as text, of the relative one and the zone's. */
const absoluteText = "(iif(record.owner = x'', '', record.name || '.') || zone.name || '.')";

export class RecordQueries {
  readonly #connection: Connection;
  readonly #records: RecordStore;
  readonly #zones: ZoneQueries;
  #scopes: ScopeTest | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.function('record_type_name', { deterministic: true }, (type) =>
      printType(Number(type)),
    );
    // Statements run to their end within one call, so the scopes are those of the running one.
    connection.function('record_in_scopes', (zoneId, owner, type) => {
      const name = keyFromBytes(owner as Buffer);
      return this.#scopes?.has(Number(zoneId), name, Number(type)) ? 1 : 0;
    });
    this.#records = new RecordStore(connection);
    this.#zones = new ZoneQueries(connection);
  }

  byId(id: number): FoundRecord | undefined {
    const found = this.#records.byId(id);
    const zone = found && this.#zones.byId(found.zoneId);
    return found && zone && { zone, record: found.record };
  }

  list(asked: RecordFilter, sort: RecordSort, page: Page): Listed<FoundRecord> {
    const filter = { ...asked, scopes: scopesWithin(asked.scopes, asked.zoneId) };
    const conditions = conditionsOf(filter);
    this.#scopes = filter.scopes && new ScopeTest(filter.scopes);
    const { where, values } = conditions;
    // The outer loop must go by zone: that way rows come in the order of names without sorting.
    const from = 'FROM zone CROSS JOIN record ON record.zone_id = zone.id';
    const rows = this.#connection
      .prepare(`SELECT ${recordColumns} ${from} ${where} ${orderOf(sort)} LIMIT ? OFFSET ?`)
      .all(...values, page.limit, page.offset) as RecordRow[];
    const zones = new Map<number, Zone>();
    const items: FoundRecord[] = [];
    for (const row of rows) {
      const zone = zones.get(row.zoneId) ?? this.#zones.byId(row.zoneId);
      if (zone === undefined) continue;
      zones.set(zone.id, zone);
      items.push({ zone, record: recordOf(row) });
    }
    return { items, total: this.#count(filter, conditions, from) };
  }

  /** Without a filter of its own columns the count stands in the zones already. */
  #count(filter: RecordFilter, conditions: Conditions, from: string): number {
    const { zoneId, scopes, ...rest } = filter;
    if (Object.values(rest).every((value) => value === undefined)) {
      if (scopes !== undefined) {
        if (scopes.every(isWhole)) return this.#countInZones(scopes);
      } else if (zoneId === undefined) {
        return this.#zones.counts().records;
      } else {
        return this.#zones.byId(zoneId)?.recordCount ?? 0;
      }
    }
    const { count } = this.#connection
      .prepare(`SELECT count(*) AS count ${from} ${conditions.where}`)
      .get(...conditions.values) as { count: number };
    return count;
  }

  /** Whole scopes that do not reach every zone name theirs. */
  #countInZones(scopes: readonly RecordScope[]): number {
    const ids = new Set(scopes.flatMap(({ zoneId }) => zoneId ?? []));
    const { count } = this.#connection
      .prepare(`SELECT coalesce(sum(record_count), 0) AS count FROM zone WHERE ${amongZones}`)
      .get(jsonOfIds(ids)) as { count: number };
    return count;
  }
}

const byRow = 'record_in_scopes(record.zone_id, record.owner, record.type)';

function conditionsOf(filter: RecordFilter): Conditions {
  const conditions = new Conditions()
    .add('zone.id = ?', filter.zoneId)
    .add('record.owner = ?', filter.owner === undefined ? undefined : keyToBytes(filter.owner))
    .add('record.type = ?', filter.type)
    .addRange('record.ttl', filter.ttl, filter.minTtl, filter.maxTtl)
    .addRange('record.priority', filter.priority, filter.minPriority, filter.maxPriority);
  if (filter.scopes !== undefined) {
    for (const clause of clausesOf(filter.scopes, byRow)) conditions.addBound(clause);
  }
  if (filter.absoluteName !== undefined) {
    const name = keyToBytes(filter.absoluteName);
    // In each zone that encloses the name, the owner is what follows the apex.
    conditions.add('substr(?, 1, length(zone.apex)) = zone.apex', name);
    conditions.add('record.owner = substr(?, length(zone.apex) + 1)', name);
  }
  if (filter.openName !== undefined) {
    conditions.add(
      `record.owner = iif(substr(?, 1, length(zone.apex)) = zone.apex,
        substr(?, length(zone.apex) + 1), ?)`,
      keyToBytes(filter.openName),
    );
  }
  if (filter.value !== undefined) {
    conditions.add("record.value LIKE ? ESCAPE '\\'", containing(filter.value));
  }
  if (filter.search !== undefined) {
    conditions.add(
      `(${absoluteText} LIKE ? ESCAPE '\\' OR record.value LIKE ? ESCAPE '\\')`,
      containing(filter.search),
    );
  }
  return conditions;
}

function orderOf(sort: RecordSort): string {
  const direction = sort.descending ? 'DESC' : 'ASC';
  if (sort.key === 'name') {
    return `ORDER BY zone.apex ${direction}, record.owner ${direction}, record.id`;
  }
  // Types have no column of their mnemonics; numbers would not be an order that people know.
  const column = sort.key === 'type' ? 'record_type_name(record.type)' : `record.${sort.key}`;
  return `ORDER BY ${column} ${direction}, record.id`;
}
