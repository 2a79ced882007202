/**
 * Where the records of ids stand: the zone and the owner. The records themselves are in blocks, so whoever
 * looks one up makes sure that it is there: rows of deleted zones stay until those are purged.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';

export interface RecordPlace {
  readonly zoneId: number;
  readonly owner: NameKey;
}

/** Rows of one INSERT of a bulk. */
const rowsPerInsert = 64;

export const recordPlaceQuery = 'SELECT zone_id AS zoneId, owner FROM record WHERE id = ?';

export function placeOf(row: unknown): RecordPlace | undefined {
  if (row === undefined) return undefined;
  const { zoneId, owner } = row as { zoneId: number; owner: Buffer };
  return { zoneId, owner: keyFromBytes(owner) };
}

export class RecordPlaces {
  readonly #byId: Statement;
  readonly #insert: Statement;
  readonly #insertMany: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;

  constructor(connection: Connection) {
    this.#byId = connection.prepare(recordPlaceQuery);
    const into = 'INSERT INTO record (id, zone_id, owner) VALUES';
    this.#insert = connection.prepare(`${into} (?, ?, ?)`);
    this.#insertMany = connection.prepare(
      `${into} ${Array(rowsPerInsert).fill('(?, ?, ?)').join(', ')}`,
    );
    this.#update = connection.prepare('UPDATE record SET owner = ? WHERE id = ?');
    this.#delete = connection.prepare('DELETE FROM record WHERE id = ?');
  }

  byId(id: number): RecordPlace | undefined {
    return placeOf(this.#byId.get(id));
  }

  /** Applies one step: what stands in both halves keeps its row, and moves when its owner does. */
  apply(zoneId: number, removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    if (removed.length === 0) {
      this.#insertAll(zoneId, added);
      return;
    }
    const ownersBefore = new Map(removed.map(({ id, owner }) => [id, owner]));
    const inserted: ZoneRecord[] = [];
    for (const record of added) {
      const before = ownersBefore.get(record.id);
      if (before === undefined) inserted.push(record);
      else if (before !== record.owner) this.#update.run(keyToBytes(record.owner), record.id);
      ownersBefore.delete(record.id);
    }
    for (const id of ownersBefore.keys()) this.#delete.run(id);
    this.#insertAll(zoneId, inserted);
  }

  /** Many rows go in by statements of many rows: a call of a statement costs as much as a row. */
  #insertAll(zoneId: number, records: readonly ZoneRecord[]): void {
    let start = 0;
    while (records.length - start >= rowsPerInsert) {
      const values: unknown[] = [];
      for (let index = start; index < start + rowsPerInsert; index++) {
        const { id, owner } = records[index]!;
        values.push(id, zoneId, keyToBytes(owner));
      }
      this.#insertMany.run(values);
      start += rowsPerInsert;
    }
    for (; start < records.length; start++) {
      const { id, owner } = records[start]!;
      this.#insert.run(id, zoneId, keyToBytes(owner));
    }
  }
}
