/**
 * Walks over the records of a block, those of users or the derived ones, without making anything of those
 * that nobody asks for.
 */
import { emptyName, keyFromWire, type NameKey } from '../dns/name.ts';
import { derivedTypes } from '../dns/rrtype.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { createdAt, idAt } from '../journal/identity.ts';
import type { Block } from './block.ts';
import type { LabelOrder } from './owner-scan.ts';

/** Octets of a packed record from the pointer that closes its owner to its RDATA (dns/record.ts). */
const fixedOctets = 12;
const pointerOctet = 0xc0;

/** What users wrote, or what signing made of it: no type is in both. */
export type Layer = 'user' | 'derived';

export class RecordCursor {
  readonly #isDerived: boolean;
  #records: Buffer = Buffer.alloc(0);
  #ids: Buffer = Buffer.alloc(0);
  #start = 0;
  #labelsEnd = 0;
  #next = 0;
  /** Of the labels that `owner` was made of last. */
  #ownerStart = 0;
  #ownerEnd = 0;
  #owner: NameKey = emptyName;
  /** Where the record stands among all of the block. */
  index = -1;
  /** 0 for derived records, which have none. */
  id = 0;

  constructor(layer: Layer = 'user') {
    this.#isDerived = layer === 'derived';
  }

  /** Begins before the first record. */
  open(block: Pick<Block, 'records' | 'ids'>): this {
    this.#records = block.records;
    this.#ids = block.ids;
    this.#next = 0;
    this.#ownerStart = 0;
    this.#ownerEnd = 0;
    this.#owner = emptyName;
    this.index = -1;
    return this;
  }

  /** Moves to the next record of the layer; false after the last. */
  next(): boolean {
    const records = this.#records;
    while (this.#next < records.length) {
      this.#start = this.#next;
      let end = this.#start;
      while (records[end]! < pointerOctet) end += records[end]! + 1;
      this.#labelsEnd = end;
      this.#next = end + fixedOctets + ((records[end + 10]! << 8) | records[end + 11]!);
      this.index++;
      if (this.#isDerived) {
        if (derivedTypes.has(this.type)) return true;
        continue;
      }
      this.id = idAt(this.#ids, this.index);
      if (this.id !== 0) return true;
    }
    return false;
  }

  /** The octets that the record stands in: its labels come first. */
  get packed(): Buffer {
    return this.#records;
  }

  get start(): number {
    return this.#start;
  }

  get labelsEnd(): number {
    return this.#labelsEnd;
  }

  get rdataStart(): number {
    return this.#labelsEnd + fixedOctets;
  }

  /** Negative when the owner comes before another one, 0 when it is that one. */
  compareOwner(order: LabelOrder): number {
    return order.compare(this.#records, this.#start);
  }

  get type(): number {
    return this.#records.readUInt16BE(this.#labelsEnd + 2);
  }

  get ttl(): number {
    return this.#records.readUInt32BE(this.#labelsEnd + 6);
  }

  get rdata(): Buffer {
    return this.#records.subarray(this.#labelsEnd + fixedOctets, this.#next);
  }

  get createdAt(): number {
    return this.#isDerived ? 0 : createdAt(this.#ids, this.index);
  }

  get owner(): NameKey {
    if (!this.#sameLabels()) {
      this.#owner = keyFromWire(this.#records.subarray(this.#start, this.#labelsEnd));
    }
    this.#ownerStart = this.#start;
    this.#ownerEnd = this.#labelsEnd;
    return this.#owner;
  }

  #sameLabels(): boolean {
    const octets = this.#labelsEnd - this.#start;
    if (octets !== this.#ownerEnd - this.#ownerStart) return false;
    for (let at = 0; at < octets; at++) {
      if (this.#records[this.#start + at] !== this.#records[this.#ownerStart + at]) return false;
    }
    return true;
  }

  record(): ZoneRecord {
    const { owner, type, ttl, rdata, id } = this;
    return { id, owner, type, ttl, rdata, createdAt: this.createdAt };
  }
}
