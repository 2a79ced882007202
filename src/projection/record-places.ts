/**
 * Where the records of ids stand: the zone and the owner. The records themselves are in blocks, so whoever
 * looks one up makes sure that it is there: rows of deleted zones stay until those are purged.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { RowWriter } from '../journal/row-writer.ts';

export interface RecordPlace {
  readonly zoneId: number;
  readonly owner: NameKey;
}

/** A place may still be there of a record that a large change has removed (stage-store.ts). */
export const recordColumns = 'record (id, zone_id, owner)';

export const recordPlaceQuery = 'SELECT zone_id AS zoneId, owner FROM record WHERE id = ?';

export function placeOf(row: unknown): RecordPlace | undefined {
  if (row === undefined) return undefined;
  const { zoneId, owner } = row as { zoneId: number; owner: Buffer };
  return { zoneId, owner: keyFromBytes(owner) };
}

/** A place that is not written yet: of a new record, of one that moved, or no more. */
interface Change {
  readonly isNew: boolean;
  readonly place: RecordPlace | undefined;
}

export class RecordPlaces {
  readonly #byId: Statement;
  readonly #inserts: RowWriter;
  readonly #update: Statement;
  readonly #delete: Statement;
  /** What the open commit has changed, besides new records. */
  readonly #changes = new Map<number, Change>();

  constructor(connection: Connection) {
    this.#byId = connection.prepare(recordPlaceQuery);
    this.#inserts = new RowWriter(connection, recordColumns, 3, 'INSERT OR REPLACE');
    this.#update = connection.prepare('UPDATE record SET owner = ? WHERE id = ?');
    this.#delete = connection.prepare('DELETE FROM record WHERE id = ?');
  }

  byId(id: number): RecordPlace | undefined {
    this.#inserts.flush();
    const change = this.#changes.get(id);
    return change === undefined ? placeOf(this.#byId.get(id)) : change.place;
  }

  /** Takes in one step: what stands in both halves keeps its row, and moves when its owner does. */
  apply(zoneId: number, removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    const changes = this.#changes;
    if (removed.length === 0) {
      if (changes.size === 0) {
        for (const { id, owner } of added) this.#inserts.add(id, zoneId, keyToBytes(owner));
        return;
      }
      for (const { id, owner } of added) {
        changes.set(id, { isNew: changes.get(id)?.isNew ?? true, place: { zoneId, owner } });
      }
      return;
    }
    const ownersBefore = new Map(removed.map(({ id, owner }) => [id, owner]));
    for (const { id, owner } of added) {
      const before = ownersBefore.get(id);
      ownersBefore.delete(id);
      if (before === owner) continue;
      const isNew = changes.get(id)?.isNew ?? before === undefined;
      changes.set(id, { isNew, place: { zoneId, owner } });
    }
    for (const id of ownersBefore.keys()) {
      changes.set(id, { isNew: changes.get(id)?.isNew ?? false, place: undefined });
    }
  }

  /** Writes what has changed since the last time. */
  flush(): void {
    this.#inserts.flush();
    for (const [id, { isNew, place }] of this.#changes) {
      if (isNew) {
        if (place !== undefined) this.#inserts.add(id, place.zoneId, keyToBytes(place.owner));
      } else if (place !== undefined) {
        this.#update.run([keyToBytes(place.owner), id]);
      } else {
        this.#delete.run([id]);
      }
    }
    this.#inserts.flush();
    this.#changes.clear();
  }

  forget(): void {
    this.#changes.clear();
    this.#inserts.forget();
  }
}
