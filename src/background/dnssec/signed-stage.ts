/**
 * Writes the stage of a pass over a whole zone: the blocks that the zone will show, and the delta, user
 * records before derived ones in each half.
 */
import { OctetWriter } from '../../base/octet-writer.ts';
import { keyToBytes, type NameKey } from '../../dns/name.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { addedHalf, type DeltaPart, removedHalf } from '../../journal/delta.ts';
import { digestOfPart, digestOfParts } from '../../journal/event-row.ts';
import type { IdentifiedRecord } from '../../journal/identity.ts';
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

export class SignedStage {
  readonly #blocks: StageWriter;
  readonly #hand: (slice: StageSlice) => Promise<void>;
  readonly #removed = new DeltaHalf(removedHalf, firstPart.removed);
  readonly #derivedRemoved = new DeltaHalf(removedHalf, firstPart.derivedRemoved, 'derived');
  readonly #added = new DeltaHalf(addedHalf, firstPart.added);
  readonly #derivedAdded = new DeltaHalf(addedHalf, firstPart.derivedAdded, 'derived');
  /** Digests of the parts that were copied. */
  readonly #copied = { removed: [] as Buffer[], added: [] as Buffer[] };
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
    const digests = part.change === removedHalf ? this.#copied.removed : this.#copied.added;
    digests.push(digestOfPart(part));
    this.#parts.push(part);
  }

  /** User records of the step, each half in canonical order. */
  addUserRecords(removed: readonly ZoneRecord[], added: readonly ZoneRecord[]): void {
    for (const record of removed) this.#keep(this.#removed.add(record));
    for (const record of added) this.#keep(this.#added.add(record));
  }

  /** Begins an owner; see StageWriter. */
  owner(owner: NameKey): boolean {
    return this.#blocks.owner(owner);
  }

  handOver(): Promise<void> {
    return this.#blocks.handOver();
  }

  /** Takes records of the owner as they are. */
  copy(records: Buffer, ids: Buffer): void {
    this.#blocks.copy(records, ids);
  }

  /** A record of the owner, with its identity or a derived one. */
  put(record: IdentifiedRecord): void {
    this.#blocks.put(record, false);
    if (record.type === rrtype.NSEC3) this.noteNsec3(record.owner);
  }

  /** Notes that the owner holds an NSEC3; what is put says so by itself. */
  noteNsec3(owner: NameKey): void {
    if (owner === this.#lastNsec3) return;
    this.#lastNsec3 = owner;
    const key = keyToBytes(owner);
    this.#keyOctets = key.length;
    this.#nsec3Keys.add(key);
  }

  derived(removed: readonly ResourceRecord[], added: readonly ResourceRecord[]): void {
    for (const record of removed) this.#keep(this.#derivedRemoved.add(record));
    for (const record of added) this.#keep(this.#derivedAdded.add(record));
  }

  #keep(part: DeltaPart | undefined): void {
    if (part !== undefined) this.#parts.push(part);
  }

  async #handOver(slice: StageSlice): Promise<void> {
    const parts = [...slice.parts, ...this.#parts];
    this.#parts = [];
    const keys = this.#nsec3Keys.length === 0 ? undefined : this.#nsec3Keys.take();
    const nsec3Owners: Nsec3Slice | undefined = keys && { keyOctets: this.#keyOctets, keys };
    await this.#hand({ ...slice, parts, nsec3Owners });
  }

  async finish() {
    const removed = [this.#removed, this.#derivedRemoved];
    const added = [this.#added, this.#derivedAdded];
    for (const half of [...removed, ...added]) this.#keep(half.finish());
    await this.#blocks.finish();
    const digests = [
      ...this.#copied.removed,
      ...removed.flatMap((half) => half.digests),
      ...this.#copied.added,
      ...added.flatMap((half) => half.digests),
    ];
    return {
      partCount: digests.length,
      partsDigest: digestOfParts(digests),
      derivedRemoved: this.#derivedRemoved.count,
      derivedAdded: this.#derivedAdded.count,
    };
  }
}
