/** Reads of the catalog zone: its serial, its members, and the steps that led to them. */
import { type CatalogState, emptyCatalog } from '../domain/catalog.ts';
import type { Connection, Statement } from '../journal/database.ts';

/** Members read at a time: some hundred KB. */
const membersPerChunk = 2000;

/** Packed records, one after the other. */
interface PackedMembers {
  readonly count: number;
  readonly records: Buffer;
}

type Chunk = PackedMembers & { readonly last: Buffer };

export interface CatalogChange {
  readonly serial: number;
  readonly change: 'removed' | 'added';
  /** Packed. */
  readonly record: Buffer;
}

export class CatalogQueries {
  readonly #latest: Statement;
  readonly #oldest: Statement;
  readonly #member: Statement;
  readonly #chunk: Statement;
  readonly #changes: Statement;

  constructor(connection: Connection) {
    this.#latest = connection.prepare(
      `SELECT serial, member_count AS memberCount FROM catalog_change
       ORDER BY serial DESC LIMIT 1`,
    );
    // A row that stands for all before it (catalog-fold.ts) is no step: those that can be sent come after it.
    this.#oldest = connection
      .prepare('SELECT min(serial + (change = 2)) FROM catalog_change')
      .pluck();
    this.#member = connection.prepare('SELECT record FROM catalog_member WHERE id = ?').pluck();
    this.#chunk = connection.prepare(
      `SELECT count(*) AS count, CAST(group_concat(record, '') AS BLOB) AS records, max(id) AS last
       FROM (SELECT id, record FROM catalog_member WHERE id > ? ORDER BY id
        LIMIT ${membersPerChunk})`,
    );
    this.#changes = connection.prepare(
      `SELECT serial, iif(change = 0, 'removed', 'added') AS change, record FROM catalog_change
       WHERE serial > ? AND catalog_change.change < 2 ORDER BY serial, catalog_change.change`,
    );
  }

  state(): CatalogState {
    return (this.#latest.get() as CatalogState | undefined) ?? emptyCatalog;
  }

  /** The packed record of a member; undefined when nobody has this id. */
  member(id: Buffer): Buffer | undefined {
    return this.#member.get(id) as Buffer | undefined;
  }

  /** All members in canonical order, many at a time. */
  *members(): Generator<PackedMembers> {
    let last: Buffer = Buffer.alloc(0);
    while (true) {
      const chunk = this.#chunk.get(last) as Chunk | { last: null };
      if (chunk.last === null) return;
      yield chunk;
      last = chunk.last;
    }
  }

  /** What came and went after a serial, oldest first; undefined when that is not known any more. */
  changes(fromSerial: number): readonly CatalogChange[] | undefined {
    const { serial } = this.state();
    const oldest = (this.#oldest.get() as number | null) ?? serial + 1;
    if (fromSerial < oldest - 1 || fromSerial > serial) return undefined;
    return this.#changes.all(fromSerial) as CatalogChange[];
  }
}
