/** What a zone holds now, as versions are made of it: runs of blocks in one piece. */
import { keyToBytes, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection } from '../journal/database.ts';
import { UserRecordScan } from './block.ts';
import { type JoinedBlocks, JoinedBlockQuery } from './block-row.ts';
import type { KeyRange } from './key-range.ts';

/** Blocks of a long run: about 6,000 records, some hundred KB. */
const blocksPerRun = 64;
/** Owners of a block, about. */
const ownersPerBlock = 32;

export class ZoneNow {
  readonly #blocks: JoinedBlockQuery;

  constructor(connection: Connection) {
    this.#blocks = new JoinedBlockQuery(connection, 'whole');
  }

  /** All records of a range of owners; the first and the last run may hold others too. */
  *runs(zoneId: number, { from, to }: KeyRange): Generator<JoinedBlocks> {
    let start: NameKey | undefined = from;
    while (start !== undefined && (to === undefined || start < to)) {
      const run = this.run(zoneId, start, blocksPerRun);
      if (run === undefined) return;
      yield run;
      start = run.limit;
    }
  }

  /** Some blocks, from the one on that an owner stands in. */
  run(zoneId: number, owner: NameKey, blocks: number): JoinedBlocks | undefined {
    return this.#blocks.get(zoneId, keyToBytes(owner), blocks);
  }
}

/** Reads the user records at some owners of a zone, which are asked for in canonical order. */
export class NodesNow {
  readonly #zoneNow: ZoneNow;
  readonly #zoneId: number;
  readonly #blocksPerRun: number;
  #run: JoinedBlocks | undefined;
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
