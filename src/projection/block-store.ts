/** The table of blocks: applies the steps of zones to it. Cost follows the step, not the zone. */
import type { Connection, Statement } from '../journal/database.ts';
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { cutBlocks, mergeRecords } from './block.ts';

interface BlockRow {
  readonly first: Buffer;
  readonly records: Buffer;
}

export class BlockStore {
  readonly #floor: Statement;
  readonly #before: Statement;
  readonly #next: Statement;
  readonly #put: Statement;
  readonly #delete: Statement;
  readonly #deleteZone: Statement;

  constructor(connection: Connection) {
    this.#floor = connection.prepare(
      `SELECT first, records FROM block WHERE zone_id = ? AND first <= ?
       ORDER BY first DESC LIMIT 1`,
    );
    this.#before = connection.prepare(
      `SELECT first, records FROM block WHERE zone_id = ? AND first < ?
       ORDER BY first DESC LIMIT 1`,
    );
    this.#next = connection.prepare(
      'SELECT first FROM block WHERE zone_id = ? AND first > ? ORDER BY first LIMIT 1',
    );
    this.#put = connection.prepare(
      `INSERT INTO block (zone_id, first, count, records) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = excluded.count, records = excluded.records`,
    );
    this.#delete = connection.prepare('DELETE FROM block WHERE zone_id = ? AND first = ?');
    this.#deleteZone = connection.prepare('DELETE FROM block WHERE zone_id = ?');
  }

  /** Every zone has its first block, from creation on, so each owner has a block before it. */
  createZone(zoneId: number): void {
    this.#put.run(zoneId, Buffer.alloc(0), 0, Buffer.alloc(0));
  }

  deleteZone(zoneId: number): void {
    this.#deleteZone.run(zoneId);
  }

  /** Applies one step. Both halves are in canonical order. */
  apply(
    zoneId: number,
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
  ): void {
    let removedAt = 0;
    let addedAt = 0;
    while (removedAt < removed.length || addedAt < added.length) {
      const owner = lesser(removed[removedAt]?.owner, added[addedAt]?.owner);
      const row = this.#floor.get(zoneId, keyToBytes(owner)) as BlockRow;
      const first = keyFromBytes(row.first);
      let removedEnd = endOfOwner(removed, removedAt, owner);
      let addedEnd = endOfOwner(added, addedAt, owner);
      if (removedEnd < removed.length || addedEnd < added.length) {
        const next = this.#next.get(zoneId, row.first) as { first: Buffer } | undefined;
        const limit = next === undefined ? undefined : keyFromBytes(next.first);
        removedEnd = endBefore(removed, removedEnd, limit);
        addedEnd = endBefore(added, addedEnd, limit);
      }
      this.#rewrite(
        zoneId,
        first,
        mergeRecords(
          unpackRecords(row.records),
          removed.slice(removedAt, removedEnd),
          added.slice(addedAt, addedEnd),
        ),
      );
      removedAt = removedEnd;
      addedAt = addedEnd;
    }
  }

  #rewrite(zoneId: number, first: NameKey, records: readonly ResourceRecord[]): void {
    let begin = first;
    let content = records;
    if (first !== '' && records[0]?.owner !== first) {
      // The owner that began this block is gone: what is left joins the block before it.
      this.#delete.run(zoneId, keyToBytes(first));
      if (records.length === 0) return;
      const previous = this.#before.get(zoneId, keyToBytes(first)) as BlockRow;
      begin = keyFromBytes(previous.first);
      content = [...unpackRecords(previous.records), ...records];
    }
    for (const block of cutBlocks(begin, content)) {
      this.#put.run(zoneId, keyToBytes(block.first), block.count, block.records);
    }
  }
}

function lesser(a: NameKey | undefined, b: NameKey | undefined): NameKey {
  if (a === undefined) return b!;
  if (b === undefined) return a;
  return a < b ? a : b;
}

function endOfOwner(records: readonly ResourceRecord[], start: number, owner: NameKey): number {
  let end = start;
  while (end < records.length && records[end]!.owner === owner) end++;
  return end;
}

/** The first record at or after `start` whose owner is not before `limit`. */
function endBefore(
  records: readonly ResourceRecord[],
  start: number,
  limit: NameKey | undefined,
): number {
  if (limit === undefined) return records.length;
  let end = start;
  while (end < records.length && records[end]!.owner < limit) end++;
  return end;
}
