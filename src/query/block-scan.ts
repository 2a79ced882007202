/** Reads the blocks of a zone that hold a range of owners, a few at a time, in either direction. */
import { emptyName, keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { Connection } from '../journal/database.ts';
import { damageIn } from '../journal/damage.ts';
import { BlockQuery, type BlockRow, FloorQuery, generationOf } from '../projection/block-row.ts';
import type { KeyRange } from './key-range.ts';

/** Blocks read at a time: some hundred KB. */
const blocksPerRead = 128;
/** Greater than the key of any owner: a label's bytes are at most 255, and no key is that long. */
const beyondAll = Buffer.alloc(256, 0xff);

export class BlockScan {
  readonly #connection: Connection;
  readonly #floor: FloorQuery;
  readonly #after: BlockQuery;
  readonly #before: BlockQuery;
  readonly #byId: BlockQuery;

  constructor(connection: Connection, whose: 'stored' | 'ever' = 'stored') {
    const generation = generationOf(whose);
    this.#connection = connection;
    this.#floor = new FloorQuery(connection, 'whole', generation);
    this.#after = new BlockQuery(
      connection,
      `WHERE content = ${generation} AND first > ? ORDER BY first LIMIT ${blocksPerRead}`,
    );
    this.#before = new BlockQuery(
      connection,
      `WHERE content = ${generation} AND first < ? ORDER BY first DESC LIMIT ${blocksPerRead}`,
    );
    this.#byId = new BlockQuery(connection, 'WHERE id = ?');
  }

  byId(id: number): BlockRow {
    return this.#byId.get(id)!;
  }

  /** The block that an owner stands in, when it stands anywhere. */
  blockOf(zoneId: number, owner: NameKey): BlockRow | undefined {
    return this.#floor.get(zoneId, keyToBytes(owner)) as BlockRow | undefined;
  }

  /** The first owner that stands beyond a block; undefined when it is the last. */
  limitOf({ next }: BlockRow): NameKey | undefined {
    return next === null ? undefined : keyFromBytes(next);
  }

  /** From the first to the last; those at the ends may hold other owners too. */
  *ascending(zoneId: number, { from, to }: KeyRange): Generator<BlockRow> {
    let last = this.blockOf(zoneId, from);
    if (last === undefined) return;
    yield last;
    while (last.next !== null && (to === undefined || keyFromBytes(last.next) < to)) {
      const rows = this.#after.all(zoneId, last.first);
      this.#requireChain([last, ...rows]);
      for (const row of rows) {
        if (to !== undefined && keyFromBytes(row.first) >= to) return;
        yield row;
        last = row;
      }
      if (rows.length < blocksPerRead) {
        this.#requireEnd(
          last,
          last.next === null || (to !== undefined && keyFromBytes(last.next) >= to),
        );
        return;
      }
    }
  }

  /** The same from the last to the first. */
  *descending(zoneId: number, { from, to }: KeyRange): Generator<BlockRow> {
    let limit = to === undefined ? beyondAll : keyToBytes(to);
    let later: BlockRow[] = [];
    while (true) {
      const rows = this.#before.all(zoneId, limit);
      const [latest] = rows;
      if (latest === undefined) {
        // A zone that is there has its first block, or this says so.
        this.blockOf(zoneId, emptyName);
        return;
      }
      const endsIn = latest.next === null || latest.next.compare(limit) >= 0;
      if (later.length === 0) this.#requireEnd(latest, endsIn);
      this.#requireChain([...later, ...rows].reverse());
      for (const row of rows) {
        yield row;
        if (keyFromBytes(row.first) <= from) return;
      }
      if (rows.length < blocksPerRead) {
        this.#requireEnd(latest, rows.at(-1)!.first.length === 0);
        return;
      }
      later = [rows.at(-1)!];
      limit = later[0]!.first;
    }
  }

  /**
   * That no block is missing between those that were read. Where a page is not read in the transaction of the one
   * before, the zone may have changed in between.
   */
  #requireChain(rows: readonly BlockRow[]): void {
    if (!this.#connection.inTransaction) return;
    for (const [index, { content, next }] of rows.entries()) {
      const later = rows[index + 1];
      if (later === undefined || next?.equals(later.first) === true) continue;
      throw damageIn(this.#connection, { table: 'block', content });
    }
  }

  #requireEnd({ content }: BlockRow, isEnd: boolean): void {
    if (isEnd || !this.#connection.inTransaction) return;
    throw damageIn(this.#connection, { table: 'block', content });
  }
}
