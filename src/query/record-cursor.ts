/**
 * Walks over the user records or the DNSSEC records of a block, without making anything of those
 * that nobody asks for.
 */
import { type OwnerOrder, PackedCursor } from '../dns/packed.ts';
import { dnssecTypes } from '../dns/rrtype.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { createdAt, idAt } from '../journal/identity.ts';
import type { Block } from '../projection/block.ts';

/** What users wrote, or what signing made of it: no type is in both. */
export type Layer = 'user' | 'dnssec';

export class RecordCursor extends PackedCursor {
  readonly #isDnssec: boolean;
  #ids: Buffer = Buffer.alloc(0);
  /** Where the record stands among all of the block. */
  index = -1;
  /** 0 for DNSSEC records, which have none. */
  id = 0;

  constructor(layer: Layer = 'user') {
    super(Buffer.alloc(0));
    this.#isDnssec = layer === 'dnssec';
  }

  /** Begins before the first record. */
  openBlock({ records, ids }: Pick<Block, 'records' | 'ids'>): this {
    this.#ids = ids;
    this.index = -1;
    return this.open(records);
  }

  /** Moves to the next record of the layer; false after the last. */
  override next(): boolean {
    while (super.next()) {
      this.index++;
      if (this.#isDnssec) {
        if (dnssecTypes.has(this.type)) return true;
        continue;
      }
      this.id = idAt(this.#ids, this.index);
      if (this.id !== 0) return true;
    }
    return false;
  }

  /** Negative when the owner comes before another one, 0 when it is that one. */
  compareOwner(order: OwnerOrder): number {
    return order.compare(this.packed, this.start);
  }

  get createdAt(): number {
    return this.#isDnssec ? 0 : createdAt(this.#ids, this.index);
  }

  /** Its RDATA are a view. */
  zoneRecord(): ZoneRecord {
    const { owner, type, ttl, rdata, id } = this;
    return { id, owner, type, ttl, rdata, createdAt: this.createdAt };
  }
}
