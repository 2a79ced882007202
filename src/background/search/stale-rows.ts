/**
 * Rows of the index of searches that find nothing any more: what they name was removed, and retention has deleted the
 * part of the delta that took it. An owner may still have a record with the same key; then the row stays.
 */
import { pagesOf } from '../../base/lists.ts';
import { keyFromBytes, type NameKey } from '../../dns/name.ts';
import type { Connection, Statement } from '../../journal/database.ts';
import type { StaleRows } from '../../projection/search-index.ts';
import { keysOfValue } from '../../projection/search-terms.ts';
import type { BlockScan } from '../../query/block-scan.ts';
import { StoredOwners } from '../../query/stored-owners.ts';

/** Rows of one batch: some milliseconds of the one who writes. */
const rowsPerBatch = 1000;
/** Before all others. */
const noKey = Buffer.alloc(0);

interface StaleRow {
  readonly id: number;
  readonly zoneId: number;
  readonly owner: Buffer;
  readonly removed: number;
  /** Of a row of a key. */
  readonly key: Buffer;
}

export class StaleRowQuery {
  readonly #blocks: BlockScan;
  readonly #hasDropped: Statement;
  readonly #keys: Statement;
  readonly #owners: Statement;

  constructor(connection: Connection, blocks: BlockScan) {
    this.#blocks = blocks;
    this.#hasDropped = connection.prepare('SELECT 1 FROM event WHERE payload IS NULL LIMIT 1');
    const isStale = (table: string) => `${table}.removed <> 0
      AND NOT EXISTS (SELECT 1 FROM event_delta WHERE place = ${table}.removed)`;
    const columns = 'search_owner.id, zone_id AS zoneId, search_owner.owner';
    this.#keys = connection.prepare(
      `SELECT ${columns}, search_key.removed, key
       FROM search_key CROSS JOIN search_owner ON search_owner.id = search_key.owner
       WHERE (key, search_key.owner) > (?, ?) AND ${isStale('search_key')}
       ORDER BY key, search_key.owner LIMIT ${rowsPerBatch}`,
    );
    this.#owners = connection.prepare(
      `SELECT ${columns}, removed FROM search_owner WHERE id > ? AND ${isStale('search_owner')}
       ORDER BY id LIMIT ${rowsPerBatch}`,
    );
  }

  /** Looks through the whole index, unless retention never deleted anything. */
  *batches(): Generator<StaleRows> {
    if (this.#hasDropped.get() === undefined) return;
    const keysAfter = (last: StaleRow | undefined) =>
      this.#keys.all(last?.key ?? noKey, last?.id ?? 0) as StaleRow[];
    for (const rows of pagesOf(rowsPerBatch, keysAfter)) {
      const keys = rows.flatMap(({ id, zoneId, owner, removed, key }) => {
        const text = key.toString('latin1');
        const isThere = this.#hasKey(zoneId, keyFromBytes(owner), text);
        return isThere ? [] : [[text, id, removed] as const];
      });
      if (keys.length > 0) yield { keys, owners: [] };
    }
    const ownersAfter = (last: StaleRow | undefined) =>
      this.#owners.all(last?.id ?? 0) as StaleRow[];
    for (const rows of pagesOf(rowsPerBatch, ownersAfter)) {
      const owners = rows.flatMap(({ id, zoneId, owner, removed }) => {
        const isThere = new StoredOwners(this.#blocks, zoneId).at(keyFromBytes(owner)).length > 0;
        return isThere ? [] : [[id, removed] as const];
      });
      if (owners.length > 0) yield { keys: [], owners };
    }
  }

  #hasKey(zoneId: number, owner: NameKey, key: string): boolean {
    const records = new StoredOwners(this.#blocks, zoneId).at(owner);
    return records.flatMap(({ type, rdata }) => keysOfValue(type, rdata)).includes(key);
  }
}
