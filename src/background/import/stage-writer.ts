/**
 * Writes what a zone will show, and the delta that leads there, as slices for a stage
 * (projection/stage-store.ts): owners come in canonical order and are cut into blocks and parts as they come.
 */

import { OctetWriter } from '../../base/octet-writer.ts';
import { keyToBytes, type NameKey } from '../../dns/name.ts';
import { packedOctets, packRecord } from '../../dns/record.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { checksumOfBlock, checksumOfIds, type KeySpan, spanOfAll } from '../../journal/checksum.ts';
import { addedHalf, type DeltaPart, removedHalf } from '../../journal/delta.ts';
import { digestOfParts } from '../../journal/event-row.ts';
import {
  type IdentifiedRecord,
  idAt,
  identityOctets,
  writeIdentity,
} from '../../journal/identity.ts';
import { beginsBlock, beginsBlockAt } from '../../projection/block.ts';
import {
  type BlockSlice,
  noLimit,
  type PlaceSlice,
  type RestoredSlice,
  type StageSlice,
  spanOf,
} from '../../projection/stage-store.ts';
import { DeltaHalf } from './delta-half.ts';
import type { ShownRecord } from './file-table.ts';
import { packedRoom, packShown } from './packed.ts';

/** Octets of blocks after which a slice is handed over: some 2,000 records, a few milliseconds of writing. */
const sliceOctets = 64 * 1024;
/** Added parts come after all removed ones; each half has room for 2 GiB. */
const firstAddedPart = 32_768;

export class StageWriter {
  readonly #hand: (slice: StageSlice) => Promise<void>;
  readonly #removed = new DeltaHalf(removedHalf, 0);
  readonly #added = new DeltaHalf(addedHalf, firstAddedPart);
  readonly #records = new OctetWriter(2 * sliceOctets);
  readonly #ids = new OctetWriter(sliceOctets);
  readonly #keys = new OctetWriter(16_384);
  #index: number[] = [];
  #parts: DeltaPart[] = [];
  #partOctets = 0;
  readonly #owners = new OctetWriter(65_536);
  #spans: number[] = [];
  #firstId = 0;
  readonly #restoredOwners = new OctetWriter(4096);
  #restoredIds: number[] = [];
  #restoredSpans: number[] = [];
  /** The key of the owner that begins the open block. */
  readonly #first = new OctetWriter(512);
  #isOpen = false;
  #blockOctets = 0;
  #blockCount = 0;
  #blockUsers = 0;

  constructor(hand: (slice: StageSlice) => Promise<void>) {
    this.#hand = hand;
  }

  /**
   * Begins an owner, which has a record; the first is the apex, whose block is there even when it has none.
   * True when a slice should be handed over before the owner's records come.
   */
  owner(owner: NameKey): boolean {
    if (!beginsBlock(owner)) return false;
    const key = keyToBytes(owner);
    this.#closeBlock(spanOfAll(key));
    this.#first.add(key);
    this.#isOpen = true;
    return this.#isFull();
  }

  /** The same for the owner of a record that is shown. */
  ownerOf({ octets, keyStart, keyEnd }: ShownRecord): boolean {
    if (!beginsBlockAt(octets, keyStart, keyEnd)) return false;
    this.#closeBlock({ octets, start: keyStart, end: keyEnd });
    this.#first.addShort(octets, keyStart, keyEnd);
    this.#isOpen = true;
    return this.#isFull();
  }

  #isFull(): boolean {
    return this.#records.length + this.#partOctets > sliceOctets;
  }

  /** A record that the zone will show; `isAdded` when the delta adds it. */
  put(record: IdentifiedRecord, isAdded: boolean): void {
    const start = this.#records.length;
    const room = this.#records.room(packedOctets(record));
    this.#records.length = packRecord(record, room, start);
    writeIdentity(record, this.#ids.room(identityOctets), this.#ids.length);
    this.#ids.length += identityOctets;
    this.#counted(start, (record.id ?? 0) !== 0, isAdded);
  }

  /** A new record alone at a new owner. */
  putNew(shown: ShownRecord, id: number, createdAt: number): void {
    this.putAlone(shown, id, createdAt);
    if (this.#spans.length === 0) this.#firstId = id;
    this.#spans.push(spanOf(this.#owners.length, shown.keyEnd - shown.keyStart));
    this.#owners.addShort(shown.octets, shown.keyStart, shown.keyEnd);
  }

  /** The same where its place is noted elsewhere. */
  putAlone(shown: ShownRecord, id: number, createdAt: number): void {
    const start = this.#records.length;
    const room = this.#records.room(packedRoom(shown));
    this.#records.length = packShown(shown, room, start);
    const ids = this.#ids.room(identityOctets);
    ids.writeUInt32BE(id, this.#ids.length);
    ids.writeDoubleBE(createdAt, this.#ids.length + 4);
    this.#ids.length += identityOctets;
    this.#counted(start, true, true);
  }

  /** Takes the record that was packed at `start` into account, and into the delta. */
  #counted(start: number, isUser: boolean, isAdded: boolean): void {
    const { buffer, length } = this.#records;
    this.#blockOctets += length - start;
    this.#blockCount++;
    if (isUser) this.#blockUsers++;
    if (!isAdded) return;
    const ids = this.#ids;
    const full = this.#added.copy(buffer, start, length, ids.buffer, ids.length - identityOctets);
    if (full !== undefined) this.#keep(full);
  }

  /** Takes records of one owner as they are. */
  copy(records: Buffer, ids: Buffer): void {
    this.#records.add(records);
    this.#ids.add(ids);
    this.#blockOctets += records.length;
    const count = ids.length / identityOctets;
    this.#blockCount += count;
    for (let index = 0; index < count; index++) if (idAt(ids, index) !== 0) this.#blockUsers++;
  }

  removed(record: ZoneRecord): void {
    const full = this.#removed.add(record);
    if (full !== undefined) this.#keep(full);
  }

  #keep(part: DeltaPart): void {
    this.#parts.push(part);
    this.#partOctets += part.records.length;
  }

  /** A new record: ids of those of one slice follow each other. */
  placed(record: ZoneRecord): void {
    if (this.#spans.length === 0) this.#firstId = record.id;
    const key = keyToBytes(record.owner);
    this.#spans.push(spanOf(this.#owners.length, key.length));
    this.#owners.add(key);
  }

  /** A record that comes back, or moves, under an id that was given out before. */
  restored(record: ZoneRecord): void {
    const key = keyToBytes(record.owner);
    this.#restoredIds.push(record.id);
    this.#restoredSpans.push(spanOf(this.#restoredOwners.length, key.length));
    this.#restoredOwners.add(key);
  }

  /** The owners of a range were written, and `limit` begins the block after it; undefined at the end. */
  endRange(limit: NameKey | undefined): void {
    this.#closeBlock(limit === undefined ? undefined : spanOfAll(keyToBytes(limit)));
  }

  #closeBlock(next: KeySpan | undefined): void {
    if (!this.#isOpen) return;
    const { buffer, length } = this.#first;
    const first = { octets: buffer, start: 0, end: length };
    const [count, users] = [this.#blockCount, this.#blockUsers];
    const records = lastOf(this.#records, this.#blockOctets);
    const sum = checksumOfBlock(0, first, next, count, records);
    const ids = lastOf(this.#ids, count * identityOctets);
    this.#keys.addShort(buffer, 0, length);
    if (next !== undefined) this.#keys.addShort(next.octets, next.start, next.end);
    const limit = next === undefined ? noLimit : next.end - next.start;
    const sums = [sum, checksumOfIds(ids, users)];
    this.#index.push(length, limit, count, users, this.#blockOctets, ...sums);
    this.#first.length = 0;
    this.#isOpen = false;
    this.#blockOctets = 0;
    this.#blockCount = 0;
    this.#blockUsers = 0;
  }

  /** Hands over the blocks that are closed; comes between two blocks. */
  async handOver(): Promise<void> {
    const parts = this.#parts;
    const slice: StageSlice = {
      parts,
      blocks: this.#takeBlocks(),
      places: this.#takePlaces(),
      restored: this.#takeRestored(),
    };
    this.#parts = [];
    this.#partOctets = 0;
    await this.#hand(slice);
  }

  #takeBlocks(): BlockSlice | undefined {
    if (this.#index.length === 0) return undefined;
    const index = Uint32Array.from(this.#index);
    this.#index = [];
    return {
      index,
      keys: this.#keys.take(),
      records: this.#records.take(),
      ids: this.#ids.take(),
    };
  }

  #takePlaces(): PlaceSlice | undefined {
    if (this.#spans.length === 0) return undefined;
    const spans = JSON.stringify(this.#spans);
    this.#spans = [];
    return { firstId: this.#firstId, spans, owners: this.#owners.take() };
  }

  #takeRestored(): RestoredSlice | undefined {
    if (this.#restoredIds.length === 0) return undefined;
    const ids = Uint32Array.from(this.#restoredIds);
    const spans = Uint32Array.from(this.#restoredSpans);
    this.#restoredIds = [];
    this.#restoredSpans = [];
    return { ids, spans, owners: this.#restoredOwners.take() };
  }

  /** The rest, and what the delta has come to. */
  async finish(): Promise<{
    partCount: number;
    partsDigest: Buffer;
    removed: number;
    added: number;
  }> {
    this.#closeBlock(undefined);
    for (const part of [this.#removed.finish(), this.#added.finish()]) {
      if (part !== undefined) this.#keep(part);
    }
    await this.handOver();
    const digests = [...this.#removed.digests, ...this.#added.digests];
    return {
      partCount: digests.length,
      partsDigest: digestOfParts(digests),
      removed: this.#removed.count,
      added: this.#added.count,
    };
  }
}

/** The octets that were written last. */
function lastOf({ buffer, length }: OctetWriter, octets: number): Buffer {
  return buffer.subarray(length - octets, length);
}
