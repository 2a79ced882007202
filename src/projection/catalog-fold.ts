/**
 * What zone events do to the catalog: an enabled zone is a member. Each event that changes who is a
 * member is one step of the catalog's serial, and writes the step for incremental transfers.
 */
import { emptyCatalog, type MemberSettings, memberId, memberRecord } from '../domain/catalog.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { CatalogQueries } from './catalog-queries.ts';

/** Stands for all that came and went before: no step leads over it. */
const cut = 2;
const nothing = Buffer.alloc(0);

/** Steps kept: more are no smaller than the catalogs they would lead to, or nearly so. */
const keptSerials = 10_000;

const removedSet = 0;
const addedSet = 1;

export class CatalogFold {
  readonly #queries: CatalogQueries;
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #note: Statement;
  readonly #forget: Statement;

  constructor(connection: Connection) {
    this.#queries = new CatalogQueries(connection);
    this.#insert = connection.prepare('INSERT INTO catalog_member (id, record) VALUES (?, ?)');
    this.#delete = connection.prepare('DELETE FROM catalog_member WHERE id = ?');
    this.#note = connection.prepare(
      'INSERT INTO catalog_change (serial, change, record, member_count) VALUES (?, ?, ?, ?)',
    );
    this.#forget = connection.prepare('DELETE FROM catalog_change WHERE serial <= ?');
  }

  /** The catalog goes on at another serial, and the changes that led here can not be sent any more. */
  moveOn(serial: number): void {
    const state = this.#queries.state();
    if (serial <= state.serial) return;
    this.#forget.run(serial);
    this.#note.run(serial, cut, nothing, state.memberCount);
  }

  /** A zone's settings before and after an event; null while it does not exist. */
  apply(zoneId: number, before: MemberSettings | null, after: MemberSettings | null): void {
    const left = before?.enabled ? before.name : undefined;
    const came = after?.enabled ? after.name : undefined;
    if (left === came) return;
    const { serial, memberCount } = this.#queries.state();
    const next = serial + 1;
    const count = memberCount - (left === undefined ? 0 : 1) + (came === undefined ? 0 : 1);
    if (left !== undefined) {
      const id = memberId(left, zoneId);
      this.#delete.run(id);
      this.#note.run(next, removedSet, memberRecord(id, left), count);
    }
    if (came !== undefined) {
      const id = memberId(came, zoneId);
      const record = memberRecord(id, came);
      this.#insert.run(id, record);
      this.#note.run(next, addedSet, record, count);
    }
    if (next - keptSerials > emptyCatalog.serial) this.#forget.run(next - keptSerials);
  }
}
