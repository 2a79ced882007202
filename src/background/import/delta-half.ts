/** One half of a delta: records gather into parts of at most 64 KiB. */
import { limits } from '../../base/limits.ts';
import { OctetWriter } from '../../base/octet-writer.ts';
import { packedOctets, packRecord } from '../../dns/record.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { DeltaPart } from '../../journal/delta.ts';
import { digestOfPart } from '../../journal/event-row.ts';
import { identityOctets, writeIdentity } from '../../journal/identity.ts';

export class DeltaHalf {
  readonly #change: number;
  readonly #records = new OctetWriter(limits.deltaPartOctets);
  readonly #ids = new OctetWriter(limits.deltaPartOctets / 2);
  #part: number;
  #inPart = 0;
  readonly digests: Buffer[] = [];
  count = 0;

  /** `change`: which half it is; `firstPart`: the number of its first part. */
  constructor(change: number, firstPart: number) {
    this.#change = change;
    this.#part = firstPart;
  }

  /** Takes a record; returns a part that was full before. */
  add(record: ZoneRecord): DeltaPart | undefined {
    const full = this.#makeRoom(packedOctets(record));
    const records = this.#records;
    records.length = packRecord(record, records.room(packedOctets(record)), records.length);
    writeIdentity(record, this.#ids.room(identityOctets), this.#ids.length);
    this.#ids.length += identityOctets;
    return full;
  }

  /** The same for a record that is packed already, and its identity. */
  copy(
    octets: Buffer,
    start: number,
    end: number,
    ids: Buffer,
    idStart: number,
  ): DeltaPart | undefined {
    const full = this.#makeRoom(end - start);
    this.#records.addShort(octets, start, end);
    this.#ids.addShort(ids, idStart, idStart + identityOctets);
    return full;
  }

  /** Counts one record more, in a part that has room for it. */
  #makeRoom(octets: number): DeltaPart | undefined {
    const { length } = this.#records;
    const isFull = length > 0 && length + octets > limits.deltaPartOctets;
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
      layer: 0,
      count: this.#inPart,
      records: this.#records.take(),
      ids: this.#ids.take(),
    };
    this.digests.push(digestOfPart(part));
    this.#inPart = 0;
    return part;
  }
}
