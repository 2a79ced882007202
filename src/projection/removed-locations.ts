/** The places of records that a staged change removed: they are cleared away a little at a time, part by part. */
import { keyToBytes, type NameKey } from '../dns/name.ts';
import { unpackRecords } from '../dns/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { partNumberOf, removedSet } from '../journal/delta.ts';
import { PartQuery } from '../journal/delta-row.ts';
import { idAt } from '../journal/identity.ts';

export interface LocationUses {
  /** The ids of the user records at an owner of a stored zone; none of one that is not stored. */
  idsAt(zoneId: number, owner: NameKey): ReadonlySet<number>;
}

export class RemovedLocations {
  readonly #part: PartQuery;
  readonly #delete: Statement;
  /** How far the clearing has come; begun anew after a restart and a rollback. */
  #cleared: { readonly number: number; readonly offset: number } | undefined;

  constructor(connection: Connection) {
    this.#part = new PartQuery(
      connection,
      'whole',
      `WHERE place > ? AND place <= ? AND change = ${removedSet} AND ids IS NOT NULL
       ORDER BY place LIMIT 1`,
    );
    this.#delete = connection.prepare('DELETE FROM record WHERE id = ? AND owner = ?');
  }

  /** Ids that the step removed have no place any more, unless they are there again, or elsewhere. */
  clear(
    { number, zoneId }: { readonly number: number; readonly zoneId: number },
    { idsAt }: LocationUses,
  ): boolean {
    const from = this.#cleared?.number === number ? this.#cleared.offset : partNumberOf(number, -1);
    const end = partNumberOf(number + 1, -1);
    const part = this.#part.get(from, end);
    if (part === undefined) {
      this.#cleared = undefined;
      return false;
    }
    let last: { readonly owner: NameKey; readonly ids: ReadonlySet<number> } | undefined;
    let index = 0;
    for (const { owner } of unpackRecords(part.records)) {
      // Records of one owner stand together: what is stored there is read once.
      if (last?.owner !== owner) last = { owner, ids: idsAt(zoneId, owner) };
      const id = idAt(part.ids!, index++);
      if (!last.ids.has(id)) this.#delete.run(id, keyToBytes(owner));
    }
    this.#cleared = { number, offset: part.place };
    return true;
  }

  /** After a rollback: what was cleared may be there again. */
  reset(): void {
    this.#cleared = undefined;
  }
}
