/**
 * The index of records: the zone and the owner of each id. The records themselves are in blocks, so whoever
 * looks one up makes sure that it exists: rows of deleted zones stay until those are purged.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { RowWriter } from '../journal/row-writer.ts';

export interface RecordLocation {
  readonly zoneId: number;
  readonly owner: NameKey;
}

/** A row may still exist of a record that a large change has removed (stage-store.ts). */
export const recordColumns = 'record (id, zone_id, owner)';

export const recordLocationQuery = 'SELECT zone_id AS zoneId, owner FROM record WHERE id = ?';

export function locationOf(row: unknown): RecordLocation | undefined {
  if (row === undefined) return undefined;
  const { zoneId, owner } = row as { zoneId: number; owner: Buffer };
  return { zoneId, owner: keyFromBytes(owner) };
}

/** A location that is not written yet: of a new record, of one that moved, or no more. */
interface Change {
  readonly isNew: boolean;
  readonly location: RecordLocation | undefined;
}

export class RecordIndex {
  readonly #byId: Statement;
  readonly #inserts: RowWriter;
  readonly #update: Statement;
  readonly #delete: Statement;
  /** What the open commit has changed, besides new records. */
  readonly #changes = new Map<number, Change>();

  constructor(connection: Connection) {
    this.#byId = connection.prepare(recordLocationQuery);
    this.#inserts = new RowWriter(connection, recordColumns, 3, 'INSERT OR REPLACE');
    this.#update = connection.prepare('UPDATE record SET owner = ? WHERE id = ?');
    this.#delete = connection.prepare('DELETE FROM record WHERE id = ?');
  }

  byId(id: number): RecordLocation | undefined {
    this.#inserts.flush();
    const change = this.#changes.get(id);
    return change === undefined ? locationOf(this.#byId.get(id)) : change.location;
  }

  /** Takes in one step: what stands in both sets keeps its row, and moves when its owner does. */
  apply(zoneId: number, removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    const changes = this.#changes;
    if (removed.length === 0) {
      if (changes.size === 0) {
        for (const { id, owner } of added) this.#inserts.add(id, zoneId, keyToBytes(owner));
        return;
      }
      for (const { id, owner } of added) {
        changes.set(id, { isNew: changes.get(id)?.isNew ?? true, location: { zoneId, owner } });
      }
      return;
    }
    const ownersBefore = new Map(removed.map(({ id, owner }) => [id, owner]));
    for (const { id, owner } of added) {
      const before = ownersBefore.get(id);
      ownersBefore.delete(id);
      if (before === owner) continue;
      const isNew = changes.get(id)?.isNew ?? before === undefined;
      changes.set(id, { isNew, location: { zoneId, owner } });
    }
    for (const id of ownersBefore.keys()) {
      changes.set(id, { isNew: changes.get(id)?.isNew ?? false, location: undefined });
    }
  }

  /** Writes what has changed since the last time. */
  flush(): void {
    this.#inserts.flush();
    for (const [id, { isNew, location }] of this.#changes) {
      if (isNew) {
        if (location !== undefined)
          this.#inserts.add(id, location.zoneId, keyToBytes(location.owner));
      } else if (location !== undefined) {
        this.#update.run([keyToBytes(location.owner), id]);
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
