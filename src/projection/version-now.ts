/**
 * What a zone holds now, as versions are made of it: runs of blocks, joined by SQLite. As rows, each block
 * would cost more to hand over than to read.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type BlockContent, UserRecordScan } from './block.ts';
import { contentOfZone, floorQuery, type NextRow, nextQuery } from './block-row.ts';
import type { KeyRange } from './key-range.ts';

/** Consecutive records of now. */
export interface Run extends Pick<BlockContent, 'records' | 'ids'> {
  /** The first owner beyond it; undefined at the end of the zone. */
  readonly limit: NameKey | undefined;
}

interface RunRow extends Pick<BlockContent, 'records' | 'ids'> {
  readonly content: number | null;
  readonly last: Buffer;
}

/** Blocks of a long run: about 6,000 records, some hundred KB. */
const blocksPerRun = 64;
/** Owners of a block, about. */
const ownersPerBlock = 32;

export class ZoneNow {
  readonly #run: Statement;
  readonly #next: Statement;

  constructor(connection: Connection) {
    this.#run = connection.prepare(
      `SELECT CAST(group_concat(records, '') AS BLOB) AS records,
        CAST(group_concat(ids, '') AS BLOB) AS ids, max(content) AS content, max(first) AS last
       FROM (SELECT content, first, records, ids FROM block
        WHERE content = ${contentOfZone} AND first >= (${floorQuery('first')})
        ORDER BY first LIMIT ?)`,
    );
    this.#next = connection.prepare(nextQuery);
  }

  /** All records of a range of owners; the first and the last run may hold others too. */
  *runs(zoneId: number, { from, to }: KeyRange): Generator<Run> {
    let start: NameKey | undefined = from;
    while (start !== undefined && (to === undefined || start < to)) {
      const run = this.run(zoneId, start, blocksPerRun);
      if (run === undefined) return;
      yield run;
      start = run.limit;
    }
  }

  /** Some blocks, from the one on that an owner stands in. */
  run(zoneId: number, owner: NameKey, blocks: number): Run | undefined {
    const row = this.#run.get(zoneId, zoneId, keyToBytes(owner), blocks) as RunRow;
    const { records, ids, content, last } = row;
    if (content === null) return undefined;
    const next = this.#next.get(content, last) as NextRow | undefined;
    const limit = next?.content === content ? keyFromBytes(next.first) : undefined;
    return { records, ids, limit };
  }
}

/** Reads the user records at some owners of a zone, which are asked for in canonical order. */
export class NodesNow {
  readonly #zoneNow: ZoneNow;
  readonly #zoneId: number;
  readonly #blocksPerRun: number;
  #run: Run | undefined;
  #scan: UserRecordScan | undefined;

  /** `owners`: how many of the zone's `records` will be asked for. Where many are, all is read. */
  constructor(zoneNow: ZoneNow, zoneId: number, owners: number, records: number) {
    this.#zoneNow = zoneNow;
    this.#zoneId = zoneId;
    this.#blocksPerRun = owners * ownersPerBlock > records ? blocksPerRun : 1;
  }

  at(owner: NameKey): readonly ZoneRecord[] {
    const limit = this.#run?.limit;
    if (this.#run === undefined || (limit !== undefined && owner >= limit)) {
      this.#run = this.#zoneNow.run(this.#zoneId, owner, this.#blocksPerRun);
      this.#scan = this.#run && new UserRecordScan(this.#run);
    }
    return this.#scan?.at(owner) ?? [];
  }
}
