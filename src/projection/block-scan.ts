/** Reads the blocks of a zone that hold a range of owners, a few at a time, in either direction. */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { Connection, Statement } from '../journal/database.ts';
import {
  type BlockRow,
  blockColumns,
  contentOfZone,
  floorQuery,
  type NextRow,
  nextQuery,
} from './block-row.ts';
import type { KeyRange } from './key-range.ts';

/** Blocks read at a time: some hundred KB. */
const blocksPerRead = 128;
/** Greater than the key of any owner: a label's octets are at most 255, and no key is that long. */
const beyondAll = Buffer.alloc(256, 0xff);

export class BlockScan {
  readonly #floor: Statement;
  readonly #after: Statement;
  readonly #before: Statement;
  readonly #byId: Statement;
  readonly #next: Statement;

  constructor(connection: Connection) {
    this.#floor = connection.prepare(floorQuery(blockColumns));
    this.#after = connection.prepare(
      `SELECT ${blockColumns} FROM block WHERE content = ${contentOfZone} AND first > ?
       ORDER BY first LIMIT ${blocksPerRead}`,
    );
    this.#before = connection.prepare(
      `SELECT ${blockColumns} FROM block WHERE content = ${contentOfZone} AND first < ?
       ORDER BY first DESC LIMIT ${blocksPerRead}`,
    );
    this.#next = connection.prepare(nextQuery);
    this.#byId = connection.prepare(`SELECT ${blockColumns} FROM block WHERE id = ?`);
  }

  byId(id: number): BlockRow {
    return this.#byId.get(id) as BlockRow;
  }

  /** The block that an owner stands in, when it stands anywhere. */
  blockOf(zoneId: number, owner: NameKey): BlockRow | undefined {
    return this.#floor.get(zoneId, keyToBytes(owner)) as BlockRow | undefined;
  }

  /** The first owner that stands beyond a block; undefined when it is the last. */
  limitOf({ content, first }: BlockRow): NameKey | undefined {
    const next = this.#next.get(content, first) as NextRow | undefined;
    return next?.content === content ? keyFromBytes(next.first) : undefined;
  }

  /** From the first to the last; those at the ends may hold other owners too. */
  *ascending(zoneId: number, { from, to }: KeyRange): Generator<BlockRow> {
    const first = this.blockOf(zoneId, from);
    if (first === undefined) return;
    yield first;
    let last = first.first;
    while (true) {
      const rows = this.#after.all(zoneId, last) as BlockRow[];
      for (const row of rows) {
        if (to !== undefined && keyFromBytes(row.first) >= to) return;
        yield row;
      }
      if (rows.length < blocksPerRead) return;
      last = rows.at(-1)!.first;
    }
  }

  /** The same from the last to the first. */
  *descending(zoneId: number, { from, to }: KeyRange): Generator<BlockRow> {
    let limit = to === undefined ? beyondAll : keyToBytes(to);
    while (true) {
      const rows = this.#before.all(zoneId, limit) as BlockRow[];
      for (const row of rows) {
        yield row;
        if (keyFromBytes(row.first) <= from) return;
      }
      if (rows.length < blocksPerRead) return;
      limit = rows.at(-1)!.first;
    }
  }
}
