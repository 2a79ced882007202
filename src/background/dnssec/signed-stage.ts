/**
 * Writes the stage of a pass over a whole zone: the blocks that the zone will show, and the delta, user
 * records before derived ones in each half.
 */
import { limits } from '../../base/limits.ts';
import { OctetWriter } from '../../base/octet-writer.ts';
import { keyToBytes, type NameKey } from '../../dns/name.ts';
import { packedOctets, packRecords, type ResourceRecord } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { addedHalf, type DeltaPart, removedHalf } from '../../journal/delta.ts';
import { digestOfPart, digestOfParts } from '../../journal/event-row.ts';
import type { Nsec3Slice, StageSlice } from '../../projection/stage-store.ts';
import { DeltaHalf } from '../import/delta-half.ts';
import { StageWriter } from '../import/stage-writer.ts';

/** Numbers of first parts: each quarter of a delta has room for 1 GiB. */
const firstPart = {
  removed: 0,
  derivedRemoved: 16_384,
  added: 32_768,
  derivedAdded: 49_152,
} as const;

/** Derived records of one half: they gather into parts of at most 64 KiB. */
class DerivedHalf {
  readonly #change: number;
  #part: number;
  #records: ResourceRecord[] = [];
  #octets = 0;
  count = 0;

  constructor(change: number, first: number) {
    this.#change = change;
    this.#part = first;
  }

  /** Takes a record; returns a part that was full before. */
  add(record: ResourceRecord): DeltaPart | undefined {
    const octets = packedOctets(record);
    const isFull = this.#octets > 0 && this.#octets + octets > limits.deltaPartOctets;
    const full = isFull ? this.finish() : undefined;
    this.#records.push(record);
    this.#octets += octets;
    this.count++;
    return full;
  }

  finish(): DeltaPart | undefined {
    const records = this.#records;
    if (records.length === 0) return undefined;
    this.#records = [];
    this.#octets = 0;
    return {
      part: this.#part++,
      change: this.#change,
      layer: 1,
      count: records.length,
      records: packRecords(records),
      ids: null,
    };
  }
}

export class SignedStage {
  readonly #blocks: StageWriter;
  readonly #hand: (slice: StageSlice) => Promise<void>;
  readonly #derivedRemoved = new DerivedHalf(removedHalf, firstPart.derivedRemoved);
  readonly #derivedAdded = new DerivedHalf(addedHalf, firstPart.derivedAdded);
  readonly #digests: { readonly part: number; readonly digest: Buffer }[] = [];
  readonly #nsec3Keys = new OctetWriter(65_536);
  #parts: DeltaPart[] = [];
  #lastNsec3: NameKey | undefined;
  #keyOctets = 0;

  constructor(hand: (slice: StageSlice) => Promise<void>) {
    this.#hand = hand;
    this.#blocks = new StageWriter((slice) => this.#handOver(slice));
  }

  /** Parts of the delta that were made before, under numbers of their own half. */
  copyPart(part: DeltaPart): void {
    this.#keep(part);
  }

  /** User records of the step, each half in canonical order. */
  addUserRecords(removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    const gather = (half: DeltaHalf, records: readonly ZoneRecord[]) => {
      for (const record of records) this.#keep(half.add(record));
      this.#keep(half.finish());
    };
    gather(new DeltaHalf(removedHalf, firstPart.removed), removed);
    gather(new DeltaHalf(addedHalf, firstPart.added), added);
  }

  /** Begins an owner; see StageWriter. */
  async owner(owner: NameKey): Promise<void> {
    if (this.#blocks.owner(owner)) await this.#blocks.handOver();
  }

  /** Takes records of the owner as they are. */
  copy(records: Buffer, ids: Buffer, holdsNsec3: NameKey | undefined): void {
    this.#blocks.copy(records, ids);
    if (holdsNsec3 !== undefined) this.#noteNsec3(holdsNsec3);
  }

  put(record: ZoneRecord): void {
    this.#blocks.put(record, false);
    if (record.type === rrtype.NSEC3) this.#noteNsec3(record.owner);
  }

  derived(removed: readonly ResourceRecord[], added: readonly ResourceRecord[]): void {
    for (const record of removed) this.#keep(this.#derivedRemoved.add(record));
    for (const record of added) this.#keep(this.#derivedAdded.add(record));
  }

  #noteNsec3(owner: NameKey): void {
    if (owner === this.#lastNsec3) return;
    this.#lastNsec3 = owner;
    const key = keyToBytes(owner);
    this.#keyOctets = key.length;
    this.#nsec3Keys.add(key);
  }

  #keep(part: DeltaPart | undefined): void {
    if (part === undefined) return;
    this.#digests.push({ part: part.part, digest: digestOfPart(part) });
    this.#parts.push(part);
  }

  async #handOver(slice: StageSlice): Promise<void> {
    const parts = [...slice.parts, ...this.#parts];
    this.#parts = [];
    const keys = this.#nsec3Keys.length === 0 ? undefined : this.#nsec3Keys.take();
    const nsec3Owners: Nsec3Slice | undefined = keys && { keyOctets: this.#keyOctets, keys };
    await this.#hand({ ...slice, parts, nsec3Owners });
  }

  async finish() {
    this.#keep(this.#derivedRemoved.finish());
    this.#keep(this.#derivedAdded.finish());
    await this.#blocks.finish();
    const digests = this.#digests.toSorted((a, b) => a.part - b.part);
    return {
      partCount: digests.length,
      partsDigest: digestOfParts(digests.map(({ digest }) => digest)),
      derivedRemoved: this.#derivedRemoved.count,
      derivedAdded: this.#derivedAdded.count,
    };
  }
}
