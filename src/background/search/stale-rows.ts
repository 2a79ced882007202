/**
 * Rows of the index of searches that find nothing any more: what they name was removed, and retention has deleted the
 * part of the delta that took it. An owner may still have a record with the same key; then the row stays.
 *
 * Where it was deleted before the index had followed it, the row says that the record is there. So those of the zone
 * are compared with what the zone has.
 */
import { pagesOf } from '../../base/lists.ts';
import { keyFromBytes, type NameKey } from '../../dns/name.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { Connection, Statement } from '../../journal/database.ts';
import type { StaleRows } from '../../projection/search-index.ts';
import { keysOfValue, type SearchKey } from '../../projection/search-terms.ts';
import type { BlockScan } from '../../query/block-scan.ts';
import { StoredOwners } from '../../query/stored-owners.ts';

/** Rows of one batch: some milliseconds of the one who writes. */
const rowsPerBatch = 1000;
/** Owners of one batch: most have a key or two. */
const ownersPerBatch = 500;
/** Before all others. */
const noKey = Buffer.alloc(0);
/** Before the apex, whose name is without bytes: numbers come before bytes. */
const beforeApex = 0;

/** An owner that is said to be there, or has keys that are. */
interface OwnerRow {
  readonly id: number;
  readonly owner: Buffer;
  readonly removed: number;
}

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
  readonly #ofZone: Statement;
  readonly #keysOf: Statement;

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
    this.#ofZone = connection.prepare(
      `SELECT id, owner, removed FROM search_owner WHERE zone_id = ? AND owner > ?
       ORDER BY owner LIMIT ${ownersPerBatch}`,
    );
    this.#keysOf = connection
      .prepare('SELECT key FROM search_key WHERE owner = ? AND removed = 0')
      .pluck();
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

  /** Rows of a zone that name, as there, what it does not have. */
  *ofZone(zoneId: number): Generator<StaleRows> {
    const stored = new StoredOwners(this.#blocks, zoneId);
    const ownersAfter = (last: OwnerRow | undefined) =>
      this.#ofZone.all(zoneId, last?.owner ?? beforeApex) as OwnerRow[];
    for (const rows of pagesOf(ownersPerBatch, ownersAfter)) {
      const read = rows.map((row) => ({ ...row, records: stored.at(keyFromBytes(row.owner)) }));
      const keys = read.flatMap(({ id, records }) => {
        const there = new Set(keysOfRecords(records));
        const said = (this.#keysOf.all(id) as Buffer[]).map((key) => key.toString('latin1'));
        return said.filter((key) => !there.has(key)).map((key) => [key, id, 0] as const);
      });
      const owners = read.flatMap(({ id, removed, records }) =>
        removed === 0 && records.length === 0 ? [[id, 0] as const] : [],
      );
      if (keys.length + owners.length > 0) yield { keys, owners };
    }
  }

  #hasKey(zoneId: number, owner: NameKey, key: string): boolean {
    return keysOfRecords(new StoredOwners(this.#blocks, zoneId).at(owner)).includes(key);
  }
}

function keysOfRecords(records: readonly ZoneRecord[]): readonly SearchKey[] {
  return records.flatMap(({ type, rdata }) => keysOfValue(type, rdata));
}
