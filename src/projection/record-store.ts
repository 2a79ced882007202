/** The table of user records: applies the steps of zones to it, and reads the records at an owner. */
import {
  keyFromBytes,
  keyToBytes,
  type NameKey,
  nameOctets,
  printRelativeName,
} from '../dns/name.ts';
import { showRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';

export interface RecordRow {
  readonly id: number;
  readonly zoneId: number;
  readonly owner: Buffer;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Buffer;
  readonly createdAt: number;
}

export const recordColumns = `record.id, record.zone_id AS zoneId, record.owner, record.type,
  record.ttl, record.rdata, record.created_at AS createdAt`;

export function recordOf(row: RecordRow): ZoneRecord {
  return {
    id: row.id,
    owner: keyFromBytes(row.owner),
    type: row.type,
    ttl: row.ttl,
    rdata: row.rdata,
    createdAt: row.createdAt,
  };
}

/** Rows of one INSERT of a bulk. */
const rowsPerInsert = 32;
const rowOfValues = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

export class RecordStore {
  readonly #at: Statement;
  readonly #between: Statement;
  readonly #countBetween: Statement;
  readonly #byId: Statement;
  readonly #insert: Statement;
  readonly #insertMany: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #deleteZone: Statement;
  readonly #longestOwner: Statement;
  readonly #escapedOwners: Statement;

  constructor(connection: Connection) {
    this.#at = connection.prepare(
      `SELECT ${recordColumns} FROM record WHERE zone_id = ? AND owner = ?`,
    );
    this.#between = connection.prepare(
      `SELECT ${recordColumns} FROM record
       WHERE (zone_id, owner) >= (?, ?) AND (zone_id, owner) <= (?, ?)`,
    );
    this.#countBetween = connection.prepare(
      `SELECT count(*) AS count FROM (SELECT 1 FROM record
       WHERE (zone_id, owner) >= (?, ?) AND (zone_id, owner) <= (?, ?) LIMIT ?)`,
    );
    this.#byId = connection.prepare(`SELECT ${recordColumns} FROM record WHERE id = ?`);
    const into = `INSERT INTO record (id, zone_id, owner, type, ttl, priority, rdata, name, value,
      created_at) VALUES`;
    this.#insert = connection.prepare(`${into} ${rowOfValues}`);
    this.#insertMany = connection.prepare(
      `${into} ${Array(rowsPerInsert).fill(rowOfValues).join(', ')}`,
    );
    this.#update = connection.prepare(
      `UPDATE record SET owner = ?, type = ?, ttl = ?, priority = ?, rdata = ?, name = ?, value = ?
       WHERE id = ?`,
    );
    this.#delete = connection.prepare('DELETE FROM record WHERE id = ?');
    this.#deleteZone = connection.prepare('DELETE FROM record WHERE zone_id = ?');
    this.#longestOwner = connection.prepare(
      `SELECT max(length(owner)) AS octets FROM record
       WHERE zone_id = ? AND instr(owner, x'01') = 0`,
    );
    this.#escapedOwners = connection.prepare(
      `SELECT DISTINCT owner FROM record WHERE zone_id = ? AND instr(owner, x'01') > 0`,
    );
  }

  at(zoneId: number, owner: NameKey): ZoneRecord[] {
    return (this.#at.all(zoneId, keyToBytes(owner)) as RecordRow[]).map(recordOf);
  }

  /**
   * The records at many owners. Where the zone holds little between the first and the last of them,
   * one read of that range costs less than a look-up each: the case of names that are new.
   */
  atAll(zoneId: number, owners: readonly NameKey[]): Map<NameKey, ZoneRecord[]> {
    const found = new Map<NameKey, ZoneRecord[]>();
    for (const owner of owners) found.set(owner, []);
    const sorted = [...found.keys()].sort();
    const first = sorted[0];
    if (first === undefined) return found;
    const bounds = [zoneId, keyToBytes(first), zoneId, keyToBytes(sorted.at(-1)!)];
    const most = found.size * 2;
    const { count } = this.#countBetween.get(...bounds, most) as { count: number };
    if (count >= most) {
      for (const owner of sorted) found.set(owner, this.at(zoneId, owner));
      return found;
    }
    for (const row of this.#between.all(...bounds) as RecordRow[]) {
      found.get(keyFromBytes(row.owner))?.push(recordOf(row));
    }
    return found;
  }

  byId(id: number): { zoneId: number; record: ZoneRecord } | undefined {
    const row = this.#byId.get(id) as RecordRow | undefined;
    return row && { zoneId: row.zoneId, record: recordOf(row) };
  }

  /** Octets of the longest owner with its root label. Keys are as long, but for the octets 0 and 1. */
  longestOwnerOctets(zoneId: number): number {
    const { octets } = this.#longestOwner.get(zoneId) as { octets: number | null };
    const escaped = this.#escapedOwners.all(zoneId) as { owner: Buffer }[];
    return escaped.reduce(
      (longest, { owner }) => Math.max(longest, nameOctets(keyFromBytes(owner))),
      (octets ?? 0) + 1,
    );
  }

  /** Applies one step: what stands in both halves is updated in place and keeps its row. */
  apply(zoneId: number, removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    const updated = removed.length === 0 ? undefined : new Set(added.map((record) => record.id));
    const kept = new Set<number>();
    for (const record of removed) {
      if (updated!.has(record.id)) kept.add(record.id);
      else this.#delete.run(record.id);
    }
    const inserted = kept.size === 0 ? added : added.filter(({ id }) => !kept.has(id));
    this.#insertAll(zoneId, inserted);
    if (kept.size === 0) return;
    for (const record of added) if (kept.has(record.id)) this.#rewrite(record);
  }

  #rewrite(record: ZoneRecord): void {
    const { id, type, ttl, rdata } = record;
    const { value, priority } = shownText(type, rdata);
    const name = printRelativeName(record.owner);
    this.#update.run(keyToBytes(record.owner), type, ttl, priority, rdata, name, value, id);
  }

  /** Many rows go in by statements of many rows: a call of a statement costs as much as a row. */
  #insertAll(zoneId: number, records: readonly ZoneRecord[]): void {
    let start = 0;
    while (records.length - start >= rowsPerInsert) {
      const values: unknown[] = [];
      for (let index = start; index < start + rowsPerInsert; index++) {
        pushColumns(values, zoneId, records[index]!);
      }
      this.#insertMany.run(values);
      start += rowsPerInsert;
    }
    for (; start < records.length; start++) {
      const values: unknown[] = [];
      pushColumns(values, zoneId, records[start]!);
      this.#insert.run(values);
    }
  }

  deleteZone(zoneId: number): void {
    this.#deleteZone.run(zoneId);
  }
}

function pushColumns(values: unknown[], zoneId: number, record: ZoneRecord): void {
  const { id, owner, type, ttl, rdata, createdAt } = record;
  const { value, priority } = shownText(type, rdata);
  const name = printRelativeName(owner);
  values.push(id, zoneId, keyToBytes(owner), type, ttl, priority, rdata, name, value, createdAt);
}

/** The value as searches see it: several TXT segments stand in quotes. */
function shownText(type: number, rdata: Buffer): { value: string; priority: number | null } {
  const { value, priority } = showRdata(type, rdata);
  const text = typeof value === 'string' ? value : value.map((part) => `"${part}"`).join(' ');
  return { value: text, priority: type === rrtype.MX || type === rrtype.SRV ? priority : null };
}
