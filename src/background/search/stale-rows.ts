/**
 * Rows of the index of searches that find nothing any more: what they name was removed, and retention has deleted the
 * part of the delta that took it. An owner may still have a record with the same key; then the row stays.
 */
import { inLists } from '../../base/lists.ts';
import { keyFromBytes, type NameKey } from '../../dns/name.ts';
import type { Connection, Statement } from '../../journal/database.ts';
import type { StaleRows } from '../../projection/search-index.ts';
import { keysOfValue } from '../../projection/search-terms.ts';
import type { BlockScan } from '../../query/block-scan.ts';
import { StoredOwners } from '../../query/stored-owners.ts';

/** Rows of one batch: some milliseconds of the one who writes. */
const rowsPerBatch = 1000;

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
       WHERE ${isStale('search_key')}`,
    );
    this.#owners = connection.prepare(
      `SELECT ${columns}, removed FROM search_owner WHERE ${isStale('search_owner')}`,
    );
  }

  /** Looks through the whole index, unless retention never deleted anything. */
  *batches(): Generator<StaleRows> {
    if (this.#hasDropped.get() === undefined) return;
    for (const keys of inLists(this.#staleKeys(), rowsPerBatch)) yield { keys, owners: [] };
    for (const owners of inLists(this.#staleOwners(), rowsPerBatch)) yield { keys: [], owners };
  }

  *#staleKeys(): Generator<StaleRows['keys'][number]> {
    for (const { id, zoneId, owner, removed, key } of this.#keys.iterate() as Iterable<StaleRow>) {
      const text = key.toString('latin1');
      if (!this.#hasKey(zoneId, keyFromBytes(owner), text)) yield [text, id, removed];
    }
  }

  *#staleOwners(): Generator<StaleRows['owners'][number]> {
    for (const { id, zoneId, owner, removed } of this.#owners.iterate() as Iterable<StaleRow>) {
      const records = new StoredOwners(this.#blocks, zoneId).at(keyFromBytes(owner));
      if (records.length === 0) yield [id, removed];
    }
  }

  #hasKey(zoneId: number, owner: NameKey, key: string): boolean {
    const records = new StoredOwners(this.#blocks, zoneId).at(owner);
    return records.flatMap(({ type, rdata }) => keysOfValue(type, rdata)).includes(key);
  }
}
