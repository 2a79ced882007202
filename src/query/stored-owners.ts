/** The user records of a stored zone, owner by owner: what targets are looked up in. */
import { isWithin, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { recordsAfter, UserRecordScan } from '../projection/block.ts';
import type { BlockScan } from './block-scan.ts';

export class StoredOwners {
  readonly #blocks: BlockScan;
  readonly #zoneId: number;

  constructor(blocks: BlockScan, zoneId: number) {
    this.#blocks = blocks;
    this.#zoneId = zoneId;
  }

  at(owner: NameKey): readonly ZoneRecord[] {
    const block = this.#blocks.blockOf(this.#zoneId, owner);
    return block === undefined ? [] : new UserRecordScan(block).at(owner);
  }

  /** The first owner below a name that comes after an owner, in canonical order. */
  below(name: NameKey, after: NameKey): NameKey | undefined {
    let block = this.#blocks.blockOf(this.#zoneId, after);
    while (block !== undefined) {
      for (const { owner, id } of recordsAfter(block, after)) {
        if (!isWithin(owner, name)) return undefined;
        if (id !== 0) return owner;
      }
      const limit = this.#blocks.limitOf(block);
      if (limit === undefined || !isWithin(limit, name)) return undefined;
      block = this.#blocks.blockOf(this.#zoneId, limit);
    }
    return undefined;
  }
}
