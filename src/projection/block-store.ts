/**
 * The table of blocks on the writing connection: applies the steps of zones to it, and reads the user
 * records that decisions ask for. Cost follows the step, not the zone.
 *
 * Every stored content has its first block, from creation on, so each owner has a block at or before it.
 */

import { assert } from '../base/problem.ts';
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { IdentifiedRecord } from '../journal/identity.ts';
import {
  type BlockContent,
  joinContents,
  type OwnerChange,
  rewriteBlock,
  UserRecordScan,
  userRecordsOf,
} from './block.ts';

export interface BlockRow extends BlockContent {
  readonly id: number;
  readonly content: number;
  readonly first: Buffer;
}

export const blockColumns = 'id, content, first, count, user_count AS userCount, records, ids';

/** What a zone shows now. A content is replaced as a whole by pointing the zone at another. */
export const contentOfZone = '(SELECT content FROM zone WHERE id = ?)';

/**
 * The last block at or before a name in what a zone shows. Written with row values, because SQLite
 * (with STAT4, as it is built here) plans `content = ? ... ORDER BY first` anew at every run: 30 µs
 * instead of 8. The row is of that content when the zone exists, and there is none when it does not.
 */
export function floorQuery(columns: string, comparison: '<=' | '<' = '<='): string {
  return `SELECT ${columns} FROM block WHERE (content, first) ${comparison} (${contentOfZone}, ?)
    ORDER BY content DESC, first DESC LIMIT 1`;
}

/** The first block after a name: of another content when this one has none. */
export const nextQuery = `SELECT content, first FROM block
  WHERE (content, first) > (?, ?) ORDER BY content, first LIMIT 1`;

export interface NextRow {
  readonly content: number;
  readonly first: Buffer;
}

/** A run of owners, in canonical order, that stand in one block. */
interface Run {
  readonly row: BlockRow;
  readonly start: number;
  readonly end: number;
}

/** Rows kept from the reading of a decision for the writing of its event. */
const rememberedRows = 16_384;

export class BlockStore {
  readonly #floor: Statement;
  readonly #before: Statement;
  readonly #next: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #all: Statement;
  readonly #remembered = new Map<NameKey, BlockRow>();
  #rememberedZone = 0;

  constructor(connection: Connection) {
    this.#floor = connection.prepare(floorQuery(blockColumns));
    this.#before = connection.prepare(floorQuery(blockColumns, '<'));
    this.#next = connection.prepare(nextQuery);
    this.#insert = connection.prepare(
      `INSERT INTO block (content, first, count, user_count, records, ids)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#update = connection.prepare(
      'UPDATE block SET count = ?, user_count = ?, records = ?, ids = ? WHERE id = ?',
    );
    this.#delete = connection.prepare('DELETE FROM block WHERE id = ?');
    this.#all = connection.prepare(
      `SELECT ${blockColumns} FROM block WHERE content = ${contentOfZone} ORDER BY first`,
    );
  }

  createContent(content: number): void {
    const nothing = Buffer.alloc(0);
    this.#insert.run(content, nothing, 0, 0, nothing, nothing);
  }

  /** The user records at an owner. */
  recordsAt(zoneId: number, owner: NameKey): readonly ZoneRecord[] {
    const row = this.#find(zoneId, owner);
    return row === undefined ? [] : new UserRecordScan(row).at(owner);
  }

  /** The same for many owners. */
  recordsAtAll(zoneId: number, owners: readonly NameKey[]): Map<NameKey, readonly ZoneRecord[]> {
    const found = new Map<NameKey, readonly ZoneRecord[]>();
    for (const owner of owners) found.set(owner, []);
    const sorted = [...found.keys()].sort();
    for (const { row, start, end } of this.#runs(zoneId, sorted)) {
      const scan = new UserRecordScan(row);
      for (let index = start; index < end; index++) {
        found.set(sorted[index]!, scan.at(sorted[index]!));
      }
    }
    return found;
  }

  /** All user records of a zone in canonical order, block by block. */
  *userRecords(zoneId: number): Generator<ZoneRecord> {
    for (const row of this.#all.iterate(zoneId)) yield* userRecordsOf(row as BlockRow);
  }

  /** Applies one step. Both halves are in canonical order. */
  apply(
    zoneId: number,
    removed: readonly ResourceRecord[],
    added: readonly IdentifiedRecord[],
  ): void {
    const changes = changesByOwner(removed, added);
    if (changes.length === 0) return;
    const owners = changes.map(({ owner }) => owner);
    for (const { row, start, end } of this.#runs(zoneId, owners)) {
      this.#rewrite(zoneId, row, changes.slice(start, end));
    }
    this.forget();
  }

  /** Drops rows kept from reading: what was written under them is, or is undone. */
  forget(): void {
    if (this.#remembered.size > 0) this.#remembered.clear();
  }

  #find(zoneId: number, owner: NameKey): BlockRow | undefined {
    if (this.#rememberedZone !== zoneId || this.#remembered.size > rememberedRows) this.forget();
    this.#rememberedZone = zoneId;
    let row = this.#remembered.get(owner);
    if (row === undefined) {
      row = this.#floor.get(zoneId, keyToBytes(owner)) as BlockRow | undefined;
      if (row !== undefined) this.#remembered.set(owner, row);
    }
    return row;
  }

  /** Sorted owners in runs by their blocks. A run is read only when the one before is done with. */
  *#runs(zoneId: number, owners: readonly NameKey[]): Generator<Run> {
    let end = 0;
    while (end < owners.length) {
      const start = end++;
      const row = this.#find(zoneId, owners[start]!);
      if (row === undefined) return;
      if (end < owners.length) {
        const next = this.#next.get(row.content, row.first) as NextRow | undefined;
        const limit = next?.content === row.content ? keyFromBytes(next.first) : undefined;
        while (end < owners.length && (limit === undefined || owners[end]! < limit)) end++;
      }
      yield { row, start, end };
    }
  }

  #rewrite(zoneId: number, row: BlockRow, changes: readonly OwnerChange[]): void {
    const first = keyFromBytes(row.first);
    const { orphans, blocks } = rewriteBlock(first, row, changes);
    const [own, ...rest] = blocks;
    if (own?.first === first) {
      this.#put(row.id, own);
    } else {
      // The owner that began this block is gone: what was left behind joins the block before it.
      this.#delete.run(row.id);
      if (orphans !== undefined) {
        const previous = this.#before.get(zoneId, row.first) as BlockRow | undefined;
        assert(
          previous?.content === row.content,
          'a block that is not the first has one before it',
        );
        this.#put(previous.id, joinContents(previous, orphans));
      }
      if (own !== undefined) rest.unshift(own);
      // The block before may be one that was read for what comes next.
      this.forget();
    }
    for (const block of rest) {
      const { count, userCount, records, ids } = block;
      this.#insert.run(row.content, keyToBytes(block.first), count, userCount, records, ids);
    }
  }

  #put(id: number, { count, userCount, records, ids }: BlockContent): void {
    this.#update.run(count, userCount, records, ids, id);
  }
}

/** The halves of a step by owner, in canonical order. */
function changesByOwner(
  removed: readonly ResourceRecord[],
  added: readonly IdentifiedRecord[],
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
