/**
 * The blocks of stored zones on the writing connection: applies steps to them, and reads the user
 * records that decisions ask for. Cost follows the step, not the zone.
 *
 * Blocks that an open commit reads and changes are kept in memory and written once, by `flush`; whoever
 * rolls anything back calls `forget`, and whoever writes the table by other means `flush` before. Every
 * stored content has its first block, from creation on, so each owner has a block at or before it.
 */

import { isWithin, keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { lastOwnerBefore, longOwnersIn } from '../dns/packed.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { IdentifiedRecord } from '../journal/identity.ts';
import { RowWriter } from '../journal/row-writer.ts';
import {
  type Block,
  type BlockRecords,
  joinRecords,
  recordsAfter,
  recordsAtOwner,
  rewriteBlock,
  UserRecordScan,
  userRecordsOf,
} from './block.ts';
import { type BlockCut, blockCutOf } from './block-cut.ts';
import {
  BlockQuery,
  type BlockRow,
  GenerationFloorQuery,
  checksumsOf,
  generationOfZone,
  generationOfZoneEver,
} from './block-row.ts';
import { changesByOwner, type OwnerChange } from './owner-changes.ts';

/** A block as the open commit has it. */
interface HeldBlock extends Block {
  readonly content: number;
  /** Its row; undefined when it has none yet. */
  id: number | undefined;
  /** The first key of the block after it; undefined for the last of its content. */
  readonly limit: NameKey | undefined;
}

/** The blocks of one content that the open commit has read, by their first keys in order. */
interface HeldGeneration {
  readonly content: number;
  readonly blocks: HeldBlock[];
}

/** A run of owners, in canonical order, that stand in one block. */
interface Run {
  readonly block: HeldBlock;
  readonly start: number;
  readonly end: number;
}

/** A key after those of all names, whose labels are bytes and end in a 0. */
const afterAllOwners = '\xff'.repeat(256) as NameKey;

/** Stands for the content of a zone that is not stored. */
const noGeneration = 0;

/** Blocks held at most: some MB. Those of a larger bulk are written as it goes. */
const maxHeld = 16_384;

/** Blocks kept from one commit to the next at most. */
const maxKept = 2048;

export class BlockStore {
  readonly #cut: BlockCut;
  readonly #floor: GenerationFloorQuery;
  readonly #generationOf: Statement;
  readonly #inserts: RowWriter;
  readonly #greatestId: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #all: BlockQuery;
  readonly #held = new Map<number, HeldGeneration>();
  /** Those among them that are not written yet. */
  readonly #changed = new Set<HeldBlock>();
  /** Rows of blocks that are no more. */
  readonly #deleted: number[] = [];
  #heldBlocks = 0;
  /** The number of the next new block; undefined where somebody else may have given some. */
  #nextId: number | undefined;

  constructor(connection: Connection) {
    this.#cut = blockCutOf(connection);
    this.#floor = new GenerationFloorQuery(connection);
    this.#generationOf = connection.prepare(`SELECT ${generationOfZoneEver} AS content`).pluck();
    this.#inserts = new RowWriter(
      connection,
      'block (id, content, first, next, count, user_count, checksum, ids_checksum, records, ids)',
      10,
    );
    this.#greatestId = connection.prepare('SELECT max(id) FROM block').pluck();
    this.#update = connection.prepare(
      `UPDATE block SET next = ?, count = ?, user_count = ?, checksum = ?, ids_checksum = ?,
        records = ?, ids = ? WHERE id = ?`,
    );
    this.#delete = connection.prepare('DELETE FROM block WHERE id = ?');
    this.#all = new BlockQuery(connection, `WHERE content = ${generationOfZone} ORDER BY first`);
  }

  /** The first, empty block of a new zone, which shows the content of its own number. */
  createGeneration(zoneId: number): void {
    const nothing = Buffer.alloc(0);
    const empty = { count: 0, userCount: 0, records: nothing, ids: nothing };
    const first = { ...empty, first: '' as NameKey, id: undefined, limit: undefined };
    const block: HeldBlock = { ...first, content: zoneId };
    this.#held.set(zoneId, { content: zoneId, blocks: [block] });
    this.#heldBlocks++;
    this.#changed.add(block);
  }

  /** The user records at an owner. */
  recordsAt(zoneId: number, owner: NameKey): readonly ZoneRecord[] {
    const block = this.#find(zoneId, owner);
    return block === undefined ? [] : new UserRecordScan(block).at(owner);
  }

  /** The same for many owners. */
  recordsAtAll(zoneId: number, owners: readonly NameKey[]): Map<NameKey, readonly ZoneRecord[]> {
    const found = new Map<NameKey, readonly ZoneRecord[]>();
    for (const owner of owners) found.set(owner, []);
    const sorted = [...found.keys()].sort();
    for (const { block, start, end } of this.#runs(zoneId, sorted)) {
      if (block.count === 0) continue;
      const scan = new UserRecordScan(block);
      for (let index = start; index < end; index++) {
        found.set(sorted[index]!, scan.at(sorted[index]!));
      }
    }
    return found;
  }

  /** The first owner of user records below a name that comes after an owner, in canonical order. */
  ownerBelow(zoneId: number, name: NameKey, after: NameKey): NameKey | undefined {
    let start: NameKey | undefined = after;
    while (start !== undefined && isWithin(start, name)) {
      const block = this.#find(zoneId, start);
      if (block === undefined) return undefined;
      for (const { owner, id } of recordsAfter(block, after)) {
        if (!isWithin(owner, name)) return undefined;
        if (id !== 0) return owner;
      }
      start = block.limit;
    }
    return undefined;
  }

  /** The content that a zone shows, or showed when it was deleted. */
  generationOf(zoneId: number): number {
    return this.#generationHeld(zoneId).content;
  }

  /** All records at an owner, user and DNSSEC, in canonical order. Their RDATA are views. */
  allRecordsAt(zoneId: number, owner: NameKey): readonly ResourceRecord[] {
    const block = this.#find(zoneId, owner);
    return block === undefined ? [] : recordsAtOwner(block.records, owner);
  }

  /** The packed records of the blocks from an owner's on, in order. */
  *blocksFrom(zoneId: number, owner: NameKey): Generator<Buffer> {
    let next: NameKey | undefined = owner;
    while (next !== undefined) {
      const block = this.#find(zoneId, next);
      if (block === undefined) return;
      yield block.records;
      next = block.limit;
    }
  }

  /** The packed records of the blocks from an owner's (the last of all when undefined) back. */
  *blocksBack(zoneId: number, owner: NameKey | undefined): Generator<Buffer> {
    let block = this.#find(zoneId, owner ?? afterAllOwners);
    while (block !== undefined) {
      yield block.records;
      if (block.first === '') return;
      block = this.#blockBefore(zoneId, block.first);
    }
  }

  /** The last owner before a name. */
  ownerBefore(zoneId: number, name: NameKey): NameKey | undefined {
    for (const records of this.blocksBack(zoneId, name)) {
      const owner = lastOwnerBefore(records, name);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  /** All user records of a zone in canonical order, block by block. Comes after a flush. */
  *userRecords(zoneId: number): Generator<ZoneRecord> {
    for (const row of this.#all.iterate(zoneId)) yield* userRecordsOf(row);
  }

  /** All owners whose labels have more bytes than `maxBytes`, once for each record. Comes after a flush. */
  *longOwners(zoneId: number, maxBytes: number): Generator<NameKey> {
    for (const { records } of this.#all.iterate(zoneId)) yield* longOwnersIn(records, maxBytes);
  }

  /** Takes in one step. Both halves are in canonical order. */
  apply(
    zoneId: number,
    removed: readonly ResourceRecord[],
    added: readonly IdentifiedRecord[],
  ): void {
    const changes = [...changesByOwner(removed, added)];
    const owners = changes.map(({ owner }) => owner);
    for (const { block, start, end } of this.#runs(zoneId, owners)) {
      this.#rewrite(zoneId, block, changes.slice(start, end));
    }
  }

  /** Writes what has changed since the last time, and knows nothing from then on. */
  flush(): void {
    this.#write();
    this.#drop();
  }

  /** The same at the end of a commit. What is known is kept, for nobody else has written blocks. */
  flushAndKeep(): void {
    this.#write();
    if (this.#areMany) this.#drop();
  }

  /** Whether more blocks are held than are kept from one commit to the next. */
  get #areMany(): boolean {
    return this.#heldBlocks + this.#held.size > maxKept;
  }

  #write(): void {
    for (const id of this.#deleted.splice(0)) this.#delete.run([id]);
    for (const block of this.#changed) {
      const { content: generation, id, count, userCount, records, ids } = block;
      const first = keyToBytes(block.first);
      const next = block.limit === undefined ? null : keyToBytes(block.limit);
      const sums = checksumsOf({
        content: generation,
        first,
        next,
        count,
        userCount,
        records,
        ids,
      });
      const values = [next, count, userCount, ...sums, records, ids];
      if (id !== undefined) {
        this.#update.run([...values, id]);
        continue;
      }
      block.id = this.#giveId();
      this.#inserts.add(block.id, generation, first, ...values);
    }
    this.#changed.clear();
    this.#inserts.flush();
    // What this connection writes next may be a block of a stage.
    this.#nextId = undefined;
  }

  #giveId(): number {
    this.#nextId ??= ((this.#greatestId.get() as number | null) ?? 0) + 1;
    return this.#nextId++;
  }

  forget(): void {
    this.#deleted.length = 0;
    this.#inserts.forget();
    this.#nextId = undefined;
    this.#drop();
  }

  #drop(): void {
    this.#changed.clear();
    this.#held.clear();
    this.#heldBlocks = 0;
  }

  #find(zoneId: number, owner: NameKey): HeldBlock | undefined {
    if (this.#heldBlocks > maxHeld) this.flush();
    const held = this.#generationHeld(zoneId);
    const position = indexOfFloor(held.blocks, owner);
    const block = held.blocks[position];
    if (block !== undefined && (block.limit === undefined || owner < block.limit)) return block;
    if (held.content === noGeneration) return undefined;
    return this.#hold(held, position + 1, this.#floor.get(held.content, keyToBytes(owner)));
  }

  #generationHeld(zoneId: number): HeldGeneration {
    let held = this.#held.get(zoneId);
    if (held === undefined) {
      const generation = this.#generationOf.get(zoneId) as number | null;
      held = { content: generation ?? noGeneration, blocks: [] };
      this.#held.set(zoneId, held);
    }
    return held;
  }

  #hold({ content: generation, blocks }: HeldGeneration, at: number, row: BlockRow): HeldBlock {
    const { id, count, userCount, records, ids } = row;
    const limit = row.next === null ? undefined : keyFromBytes(row.next);
    const first = keyFromBytes(row.first);
    const block = { content: generation, id, first, limit, count, userCount, records, ids };
    blocks.splice(at, 0, block);
    this.#heldBlocks++;
    return block;
  }

  /** Sorted owners in runs by their blocks. A run is read only when the one before is done with. */
  *#runs(zoneId: number, owners: readonly NameKey[]): Generator<Run> {
    let end = 0;
    while (end < owners.length) {
      const start = end++;
      const block = this.#find(zoneId, owners[start]!);
      if (block === undefined) return;
      const { limit } = block;
      while (end < owners.length && (limit === undefined || owners[end]! < limit)) end++;
      yield { block, start, end };
    }
  }

  #rewrite(zoneId: number, block: HeldBlock, changes: readonly OwnerChange[]): void {
    const { content: generation, blocks } = this.#generationHeld(zoneId);
    const { first } = block;
    const position = indexOfFloor(blocks, first);
    const { leftovers, blocks: rewritten } = rewriteBlock(this.#cut, first, block, changes);
    const replacing = rewritten.map((one, index): HeldBlock => {
      const limit = rewritten[index + 1]?.first ?? block.limit;
      const id = one.first === first ? block.id : undefined;
      return { ...one, content: generation, id, limit };
    });
    this.#changed.delete(block);
    for (const one of replacing) this.#changed.add(one);
    replaceAt(blocks, position, replacing);
    this.#heldBlocks += replacing.length - 1;
    if (replacing[0]?.first === first) return;
    // The owner that began this block begins none now: what was left behind joins the block before it.
    if (block.id !== undefined) this.#deleted.push(block.id);
    this.#extendBefore(zoneId, block, replacing[0]?.first ?? block.limit, leftovers);
  }

  /** The block before the one that begins, or began, with `first`, which is not the apex. */
  #blockBefore(zoneId: number, first: NameKey): HeldBlock {
    const held = this.#generationHeld(zoneId);
    let position = indexOfFloor(held.blocks, first);
    if (held.blocks[position]?.first === first) position--;
    const before = held.blocks[position];
    if (before?.limit === first) return before;
    return this.#hold(held, position + 1, this.#floor.before(held.content, keyToBytes(first)));
  }

  /** The block before one that is deleted reaches up to `limit`, and takes what was left there. */
  #extendBefore(
    zoneId: number,
    deleted: HeldBlock,
    limit: NameKey | undefined,
    leftovers: BlockRecords | undefined,
  ): void {
    const held = this.#generationHeld(zoneId);
    const before = this.#blockBefore(zoneId, deleted.first);
    const position = indexOfFloor(held.blocks, before.first);
    const joined = leftovers === undefined ? before : joinRecords(before, leftovers);
    const { content: generation, first, id } = before;
    const extended: HeldBlock = { ...joined, content: generation, first, id, limit };
    held.blocks[position] = extended;
    this.#changed.delete(before);
    this.#changed.add(extended);
  }
}

/** The place of the last block that begins at or before a key; -1 when none does. */
function indexOfFloor(blocks: readonly HeldBlock[], key: NameKey): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (blocks[middle]!.first <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Puts any number of blocks in the place of one. */
function replaceAt(blocks: HeldBlock[], position: number, replacing: readonly HeldBlock[]): void {
  if (replacing.length === 1) {
    blocks[position] = replacing[0]!;
    return;
  }
  const later = blocks.splice(position + 1);
  blocks.length = position;
  for (const block of replacing) blocks.push(block);
  for (const block of later) blocks.push(block);
}
