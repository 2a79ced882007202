/** The table of blocks: applies the steps of zones to it. Cost follows the step, not the zone. */

import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type OwnerChange, rewriteBlock } from './block.ts';

interface BlockRow {
  readonly id: number;
  readonly first: Buffer;
  readonly count: number;
  readonly records: Buffer;
}

/**
 * The last block at or before a name. Written with row values, because SQLite (with STAT4, as it is
 * built here) plans `zone_id = ? ... ORDER BY first` anew at every run: 30 µs instead of 8.
 * A zone always has its first block, so the row is of that zone when the zone exists.
 */
export function floorQuery(comparison: '<=' | '<'): string {
  return `SELECT id, zone_id AS zoneId, first, count, records FROM block
    WHERE (zone_id, first) ${comparison} (?, ?) ORDER BY zone_id DESC, first DESC LIMIT 1`;
}

/** The first block after a name: of the next zone when this one has none. */
export const nextQuery = `SELECT zone_id AS zoneId, first FROM block
  WHERE (zone_id, first) > (?, ?) ORDER BY zone_id, first LIMIT 1`;

export interface NextRow {
  readonly zoneId: number;
  readonly first: Buffer;
}

export class BlockStore {
  readonly #floor: Statement;
  readonly #before: Statement;
  readonly #next: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #deleteZone: Statement;

  constructor(connection: Connection) {
    this.#floor = connection.prepare(floorQuery('<='));
    this.#before = connection.prepare(floorQuery('<'));
    this.#next = connection.prepare(nextQuery);
    this.#insert = connection.prepare(
      'INSERT INTO block (zone_id, first, count, records) VALUES (?, ?, ?, ?)',
    );
    this.#update = connection.prepare('UPDATE block SET count = ?, records = ? WHERE id = ?');
    this.#delete = connection.prepare('DELETE FROM block WHERE id = ?');
    this.#deleteZone = connection.prepare('DELETE FROM block WHERE zone_id = ?');
  }

  /** Every zone has its first block, from creation on, so each owner has a block before it. */
  createZone(zoneId: number): void {
    this.#insert.run(zoneId, Buffer.alloc(0), 0, Buffer.alloc(0));
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
    const changes = changesByOwner(removed, added);
    let next = 0;
    while (next < changes.length) {
      const start = next++;
      const row = this.#floor.get(zoneId, keyToBytes(changes[start]!.owner)) as BlockRow;
      if (next < changes.length) {
        const after = this.#next.get(zoneId, row.first) as NextRow | undefined;
        const limit = after?.zoneId === zoneId ? keyFromBytes(after.first) : undefined;
        while (next < changes.length && (limit === undefined || changes[next]!.owner < limit)) {
          next++;
        }
      }
      this.#rewrite(zoneId, row, changes.slice(start, next));
    }
  }

  #rewrite(zoneId: number, row: BlockRow, changes: readonly OwnerChange[]): void {
    const first = keyFromBytes(row.first);
    const { orphans, blocks } = rewriteBlock(first, row.records, changes);
    const [own, ...rest] = blocks;
    if (own?.first === first) {
      this.#update.run(own.count, own.records, row.id);
    } else {
      // The owner that began this block is gone: what was left behind joins the block before it.
      this.#delete.run(row.id);
      if (orphans !== undefined) {
        const previous = this.#before.get(zoneId, row.first) as BlockRow;
        const records = Buffer.concat([previous.records, orphans.records]);
        this.#update.run(previous.count + orphans.count, records, previous.id);
      }
      if (own !== undefined) rest.unshift(own);
    }
    for (const block of rest) {
      this.#insert.run(zoneId, keyToBytes(block.first), block.count, block.records);
    }
  }
}

/** The halves of a step by owner, in canonical order. */
function changesByOwner(
  removed: readonly ResourceRecord[],
  added: readonly ResourceRecord[],
): OwnerChange[] {
  const changes: OwnerChange[] = [];
  let removedAt = 0;
  let addedAt = 0;
  while (removedAt < removed.length || addedAt < added.length) {
    const owner = lesser(removed[removedAt]?.owner, added[addedAt]?.owner);
    const removedEnd = endOfOwner(removed, removedAt, owner);
    const addedEnd = endOfOwner(added, addedAt, owner);
    changes.push({
      owner,
      removed: removed.slice(removedAt, removedEnd),
      added: added.slice(addedAt, addedEnd),
    });
    removedAt = removedEnd;
    addedAt = addedEnd;
  }
  return changes;
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
