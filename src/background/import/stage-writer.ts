/**
 * Writes what a zone will show, and the delta that leads there, as slices for a stage
 * (projection/stage-store.ts): owners come in canonical order and are cut into blocks and parts as they come.
 */
import { limits } from '../../base/limits.ts';
import { keyToBytes, type NameKey } from '../../dns/name.ts';
import { packedOctets, packRecord, packRecords } from '../../dns/record.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { addedHalf, type DeltaPart, removedHalf } from '../../journal/delta.ts';
import { digestOfPart, digestOfParts } from '../../journal/event-row.ts';
import { idAt, identityOctets, packIdentities, writeIdentity } from '../../journal/identity.ts';
import { beginsBlock } from '../../projection/block.ts';
import type { BlockSlice, PlaceSlice, StageSlice } from '../../projection/stage-store.ts';

/** Octets of blocks after which a slice is handed over: some 2,000 records, a few milliseconds of writing. */
const sliceOctets = 64 * 1024;
/** Added parts come after all removed ones; each half has room for 2 GiB. */
const firstAddedPart = 32_768;

/** Octets that grow as they are written. */
class Octets {
  #buffer: Buffer;
  length = 0;

  constructor(octets: number) {
    this.#buffer = Buffer.allocUnsafe(octets);
  }

  /** Makes room for `octets` more; returns what to write into, at `length`. */
  room(octets: number): Buffer {
    if (this.length + octets > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + octets));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }

  add(octets: Uint8Array): void {
    this.room(octets.length).set(octets, this.length);
    this.length += octets.length;
  }

  /** A copy of its own memory, to be handed over. */
  take(): Uint8Array {
    const taken = Uint8Array.prototype.slice.call(this.#buffer, 0, this.length);
    this.length = 0;
    return taken;
  }
}

/** One half of the delta: records gather into parts of at most 64 KiB. */
class Half {
  readonly #change: number;
  #part: number;
  #records: ZoneRecord[] = [];
  #octets = 0;
  readonly digests: Buffer[] = [];
  count = 0;

  constructor(change: number, firstPart: number) {
    this.#change = change;
    this.#part = firstPart;
  }

  /** A part that is full now. */
  add(record: ZoneRecord): DeltaPart | undefined {
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
    const part: DeltaPart = {
      part: this.#part++,
      change: this.#change,
      layer: 0,
      count: records.length,
      records: packRecords(records),
      ids: packIdentities(records),
    };
    this.digests.push(digestOfPart(part));
    this.#records = [];
    this.#octets = 0;
    return part;
  }
}

export class StageWriter {
  readonly #hand: (slice: StageSlice) => Promise<void>;
  readonly #removed = new Half(removedHalf, 0);
  readonly #added = new Half(addedHalf, firstAddedPart);
  readonly #records = new Octets(2 * sliceOctets);
  readonly #ids = new Octets(sliceOctets);
  readonly #firsts = new Octets(16_384);
  #index: number[] = [];
  #parts: DeltaPart[] = [];
  readonly #owners = new Octets(65_536);
  #lengths: number[] = [];
  #firstId = 0;
  /** Of the block that is open. */
  #first: NameKey | undefined;
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
    this.#closeBlock();
    this.#first = owner;
    return this.#records.length + this.#parts.length * limits.deltaPartOctets > sliceOctets;
  }

  put(record: ZoneRecord): void {
    const room = this.#records.room(packedOctets(record));
    const end = packRecord(record, room, this.#records.length);
    this.#blockOctets += end - this.#records.length;
    this.#records.length = end;
    writeIdentity(record, this.#ids.room(identityOctets), this.#ids.length);
    this.#ids.length += identityOctets;
    this.#blockCount++;
    if (record.id !== 0) this.#blockUsers++;
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
    if (full !== undefined) this.#parts.push(full);
  }

  added(record: ZoneRecord): void {
    const full = this.#added.add(record);
    if (full !== undefined) this.#parts.push(full);
  }

  /** A new record: ids of those of one slice follow each other. */
  placed(record: ZoneRecord): void {
    if (this.#lengths.length === 0) this.#firstId = record.id;
    const key = keyToBytes(record.owner);
    this.#lengths.push(key.length);
    this.#owners.add(key);
  }

  #closeBlock(): void {
    if (this.#first === undefined) return;
    const key = keyToBytes(this.#first);
    this.#firsts.add(key);
    this.#index.push(key.length, this.#blockCount, this.#blockUsers, this.#blockOctets);
    this.#first = undefined;
    this.#blockOctets = 0;
    this.#blockCount = 0;
    this.#blockUsers = 0;
  }

  /** Hands over the blocks that are closed; comes between two blocks. */
  async handOver(): Promise<void> {
    const parts = this.#parts.map(handed);
    const slice: StageSlice = { parts, blocks: this.#takeBlocks(), places: this.#takePlaces() };
    this.#parts = [];
    await this.#hand(slice);
  }

  #takeBlocks(): BlockSlice | undefined {
    if (this.#index.length === 0) return undefined;
    const index = Uint32Array.from(this.#index);
    this.#index = [];
    return {
      index,
      firsts: this.#firsts.take(),
      records: this.#records.take(),
      ids: this.#ids.take(),
    };
  }

  #takePlaces(): PlaceSlice | undefined {
    if (this.#lengths.length === 0) return undefined;
    const lengths = Uint16Array.from(this.#lengths);
    this.#lengths = [];
    return { firstId: this.#firstId, lengths, owners: this.#owners.take() };
  }

  /** The rest, and what the delta has come to. */
  async finish(): Promise<{
    partCount: number;
    partsDigest: Buffer;
    removed: number;
    added: number;
  }> {
    this.#closeBlock();
    for (const part of [this.#removed.finish(), this.#added.finish()]) {
      if (part !== undefined) this.#parts.push(part);
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

/** A part in memory of its own, to be handed over. */
function handed(part: DeltaPart): DeltaPart {
  return { ...part, records: Buffer.from(part.records), ids: Buffer.from(part.ids!) };
}
