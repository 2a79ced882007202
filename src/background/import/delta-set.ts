/**
 * Records of the removed or added set of a delta, in one layer: they are collected into parts of at most
 * 64 KiB. DNSSEC records have no identities.
 */
import { limits } from '../../base/limits.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { packedBytes, packRecord } from '../../dns/record.ts';
import type { DeltaPart } from '../../journal/delta.ts';
import { digestOfPart } from '../../journal/event-row.ts';
import { type IdentifiedRecord, identityBytes, writeIdentity } from '../../journal/identity.ts';

export type DeltaLayer = 'user' | 'dnssec';

export class DeltaSet {
  readonly #change: number;
  readonly #isDnssec: boolean;
  readonly #records = new ByteWriter(limits.deltaPartBytes);
  readonly #ids = new ByteWriter(limits.deltaPartBytes / 2);
  #part: number;
  #inPart = 0;
  readonly digests: Buffer[] = [];
  count = 0;

  /** `change`: which half it is; `firstPart`: the number of its first part. */
  constructor(change: number, firstPart: number, layer: DeltaLayer = 'user') {
    this.#change = change;
    this.#isDnssec = layer === 'dnssec';
    this.#part = firstPart;
  }

  /** Takes a record; returns a part that was full before. */
  add(record: IdentifiedRecord): DeltaPart | undefined {
    const bytes = packedBytes(record);
    const full = this.#makeRoom(bytes);
    const records = this.#records;
    records.length = packRecord(record, records.room(bytes), records.length);
    if (this.#isDnssec) return full;
    writeIdentity(record, this.#ids.room(identityBytes), this.#ids.length);
    this.#ids.length += identityBytes;
    return full;
  }

  /** The same for a record that is packed already, and its identity, which only user records need. */
  copy(
    bytes: Buffer,
    start: number,
    end: number,
    ids: Buffer,
    idStart: number,
  ): DeltaPart | undefined {
    const full = this.#makeRoom(end - start);
    this.#records.addShort(bytes, start, end);
    if (!this.#isDnssec) this.#ids.addShort(ids, idStart, idStart + identityBytes);
    return full;
  }

  /** Counts one record more, in a part that has room for it. */
  #makeRoom(bytes: number): DeltaPart | undefined {
    const { length } = this.#records;
    const isFull = length > 0 && length + bytes > limits.deltaPartBytes;
    const full = isFull ? this.finish() : undefined;
    this.#inPart++;
    this.count++;
    return full;
  }

  /** The part that has begun, if any. */
  finish(): DeltaPart | undefined {
    if (this.#inPart === 0) return undefined;
    const part: DeltaPart = {
      part: this.#part++,
      change: this.#change,
      layer: this.#isDnssec ? 1 : 0,
      count: this.#inPart,
      records: this.#records.take(),
      ids: this.#isDnssec ? null : this.#ids.take(),
    };
    this.digests.push(digestOfPart(part));
    this.#inPart = 0;
    return part;
  }
}
