/**
 * Writes what a zone will show, and the delta that leads there, as slices for a stage
 * (projection/stage-store.ts): owners come in canonical order and are cut into blocks and parts as they come.
 */

import { ByteWriter } from '../../base/byte-writer.ts';
import { keyToBytes, type NameKey } from '../../dns/name.ts';
import { packedBytes, packRecord } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { checksumOfBlock, checksumOfIds, type KeySpan, spanOfAll } from '../../journal/checksum.ts';
import { addedSet, type DeltaPart, removedSet } from '../../journal/delta.ts';
import { digestOfPart, digestOfParts } from '../../journal/event-row.ts';
import {
  type IdentifiedRecord,
  idAt,
  identityBytes,
  writeIdentity,
} from '../../journal/identity.ts';
import type { BlockCut } from '../../projection/block-cut.ts';
import {
  type BlockSlice,
  type Nsec3Slice,
  noLimit,
  type LocationSlice,
  type RestoredSlice,
  type StageSlice,
  spanOf,
} from '../../projection/stage-store.ts';
import { DeltaSet } from './delta-set.ts';
import { packedBytesOf, packPresented, type PresentedRecord } from './file-table.ts';

/** Bytes of blocks after which a slice is submitted: some 2,000 records, a few milliseconds of writing. */
const sliceBytes = 64 * 1024;

export class StageWriter {
  readonly #cut: BlockCut;
  readonly #hand: (slice: StageSlice) => Promise<void>;
  readonly #notesNsec3: boolean;
  // In the order of their parts, user records first; each has room for 1 GiB.
  readonly #removed = new DeltaSet(removedSet, 0);
  readonly #dnssecRemoved = new DeltaSet(removedSet, 16_384, 'dnssec');
  readonly #added = new DeltaSet(addedSet, 32_768);
  readonly #dnssecAdded = new DeltaSet(addedSet, 49_152, 'dnssec');
  readonly #records = new ByteWriter(2 * sliceBytes);
  readonly #ids = new ByteWriter(sliceBytes);
  readonly #keys = new ByteWriter(16_384);
  #index: number[] = [];
  #parts: DeltaPart[] = [];
  #partBytes = 0;
  readonly #owners = new ByteWriter(65_536);
  #spans: number[] = [];
  #firstId = 0;
  readonly #restoredOwners = new ByteWriter(4096);
  #restoredIds: number[] = [];
  #restoredSpans: number[] = [];
  readonly #nsec3Keys = new ByteWriter(4096);
  #nsec3KeyBytes = 0;
  #lastNsec3: NameKey | undefined;
  /** The key of the owner that begins the open block. */
  readonly #first = new ByteWriter(512);
  #isOpen = false;
  #blockBytes = 0;
  #blockCount = 0;
  #blockUsers = 0;

  /** `notesNsec3`: for who signs the zone, whose owners of NSEC3 are listed beside its blocks. */
  constructor(cut: BlockCut, hand: (slice: StageSlice) => Promise<void>, notesNsec3 = false) {
    this.#cut = cut;
    this.#hand = hand;
    this.#notesNsec3 = notesNsec3;
  }

  /** Begins an owner with the bytes of all its packed records; true when a slice should be submitted before them. */
  begin(owner: NameKey, bytes: number): boolean {
    return this.#cut.begins(owner, bytes) && this.open(owner);
  }

  /** Begins the block of an owner, whatever the cut says; true as above. */
  open(owner: NameKey): boolean {
    const key = keyToBytes(owner);
    this.#closeBlock(spanOfAll(key));
    this.#first.add(key);
    this.#isOpen = true;
    return this.#isFull();
  }

  #isFull(): boolean {
    return this.#records.length + this.#partBytes > sliceBytes;
  }

  /** A new user record or DNSSEC record. */
  add(record: IdentifiedRecord): void {
    const start = this.#records.length;
    const room = this.#records.room(packedBytes(record));
    this.#records.length = packRecord(record, room, start);
    writeIdentity(record, this.#ids.room(identityBytes), this.#ids.length);
    const isUser = isOfUser(record);
    this.#countAdded(start, isUser);
    if (!isUser && record.type === rrtype.NSEC3) this.noteNsec3(record.owner);
  }

  /** A new user record alone at a new owner. */
  putAlone(presented: PresentedRecord, id: number, createdAt: number): void {
    const start = this.#records.length;
    const room = this.#records.room(packedBytesOf(presented));
    this.#records.length = packPresented(presented, room, start);
    const ids = this.#ids.room(identityBytes);
    ids.writeUInt32BE(id, this.#ids.length);
    ids.writeDoubleBE(createdAt, this.#ids.length + 4);
    this.#countAdded(start, true);
  }

  /** Takes the record that was packed at `start`, and the identity behind the others, into account. */
  #countAdded(start: number, isUser: boolean): void {
    const { buffer, length } = this.#records;
    const ids = this.#ids;
    ids.length += identityBytes;
    this.#blockBytes += length - start;
    this.#blockCount++;
    if (isUser) this.#blockUsers++;
    const set = isUser ? this.#added : this.#dnssecAdded;
    this.#keep(set.copy(buffer, start, length, ids.buffer, ids.length - identityBytes));
  }

  /** Takes records of one owner as they are. */
  copy(records: Buffer, ids: Buffer): void {
    this.#records.add(records);
    this.#ids.add(ids);
    this.#blockBytes += records.length;
    const count = ids.length / identityBytes;
    this.#blockCount += count;
    for (let index = 0; index < count; index++) if (idAt(ids, index) !== 0) this.#blockUsers++;
  }

  /** A record that is there no more. */
  removed(record: IdentifiedRecord): void {
    this.#keep((isOfUser(record) ? this.#removed : this.#dnssecRemoved).add(record));
  }

  /**
   * Takes a part with user records that was made before, under a number of its own half; comes before all owners. True
   * when a slice should be submitted.
   */
  copyPart(part: DeltaPart): boolean {
    const set = part.change === removedSet ? this.#removed : this.#added;
    set.digests.push(digestOfPart(part));
    this.#keep(part);
    return this.#isFull();
  }

  #keep(part: DeltaPart | undefined): void {
    if (part === undefined) return;
    this.#parts.push(part);
    this.#partBytes += part.records.length;
  }

  /** Notes that the owner holds an NSEC3; what is added says so by itself. */
  noteNsec3(owner: NameKey): void {
    if (!this.#notesNsec3 || owner === this.#lastNsec3) return;
    this.#lastNsec3 = owner;
    const key = keyToBytes(owner);
    this.#nsec3KeyBytes = key.length;
    this.#nsec3Keys.add(key);
  }

  /** A new record: ids of those of one slice follow each other. */
  placed(record: ZoneRecord): void {
    if (this.#spans.length === 0) this.#firstId = record.id;
    const key = keyToBytes(record.owner);
    this.#spans.push(spanOf(this.#owners.length, key.length));
    this.#owners.add(key);
  }

  /** The same for one that stands in a table. */
  addLocation({ bytes, keyStart, keyEnd }: PresentedRecord, id: number): void {
    if (this.#spans.length === 0) this.#firstId = id;
    this.#spans.push(spanOf(this.#owners.length, keyEnd - keyStart));
    this.#owners.addShort(bytes, keyStart, keyEnd);
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
    const first = { bytes: buffer, start: 0, end: length };
    const [count, users] = [this.#blockCount, this.#blockUsers];
    const records = lastOf(this.#records, this.#blockBytes);
    const sum = checksumOfBlock(0, first, next, count, records);
    const ids = lastOf(this.#ids, count * identityBytes);
    this.#keys.addShort(buffer, 0, length);
    if (next !== undefined) this.#keys.addShort(next.bytes, next.start, next.end);
    const limit = next === undefined ? noLimit : next.end - next.start;
    const sums = [sum, checksumOfIds(ids, users)];
    this.#index.push(length, limit, count, users, this.#blockBytes, ...sums);
    this.#first.length = 0;
    this.#isOpen = false;
    this.#blockBytes = 0;
    this.#blockCount = 0;
    this.#blockUsers = 0;
  }

  /** Submits the blocks that are closed; comes between two blocks. */
  async handOver(): Promise<void> {
    const parts = this.#parts;
    const slice: StageSlice = {
      parts,
      blocks: this.#takeBlocks(),
      locations: this.#takeLocations(),
      restored: this.#takeRestored(),
      nsec3Owners: this.#takeNsec3Owners(),
    };
    this.#parts = [];
    this.#partBytes = 0;
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

  #takeLocations(): LocationSlice | undefined {
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

  #takeNsec3Owners(): Nsec3Slice | undefined {
    if (this.#nsec3Keys.length === 0) return undefined;
    return { keyBytes: this.#nsec3KeyBytes, keys: this.#nsec3Keys.take() };
  }

  /** The rest, and what the delta has come to. */
  async finish() {
    this.#closeBlock(undefined);
    const sets = [this.#removed, this.#dnssecRemoved, this.#added, this.#dnssecAdded];
    for (const set of sets) this.#keep(set.finish());
    await this.handOver();
    const digests = sets.flatMap((set) => set.digests);
    return {
      partCount: digests.length,
      partsDigest: digestOfParts(digests),
      removed: this.#removed.count,
      added: this.#added.count,
      dnssecRemoved: this.#dnssecRemoved.count,
      dnssecAdded: this.#dnssecAdded.count,
    };
  }
}

/** DNSSEC records have no ids. */
function isOfUser({ id = 0 }: IdentifiedRecord): boolean {
  return id !== 0;
}

/** The bytes that were written last. */
function lastOf({ buffer, length }: ByteWriter, bytes: number): Buffer {
  return buffer.subarray(length - bytes, length);
}
