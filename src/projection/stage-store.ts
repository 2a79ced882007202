/**
 * Large changes in two steps: their parts of a delta, blocks and places of records are written in small
 * commits, which no reader sees, and then published by one event that makes the zone show them. A row of
 * the table `stage` stands for what is to be cleared away:
 *
 *   prepared    all of it, if it is never published
 *   published   what it replaced
 *   dropped     the parts of an event whose payload retention has deleted
 *   purged      everything of a zone that was purged
 *   forgetting  what the events of a zone hold, up to one of them
 *   merged      the parts and blocks of a stage that went into another, which has its places
 */
import { and, eq, sql } from 'drizzle-orm';
import type { Connection, Statement } from '../journal/database.ts';
import { type DeltaPart, firstStage, partNumberOf } from '../journal/delta.ts';
import { storedPart, valuesOfStored } from '../journal/delta-row.ts';
import { HistoryDrop, stageStates } from '../journal/history-drop.ts';
import { idAt, identityBytes } from '../journal/identity.ts';
import { RowWriter } from '../journal/row-writer.ts';
import { stage } from '../journal/schema.ts';
import { BlockQuery } from './block-row.ts';
import { recordColumns } from './record-index.ts';
import { type LocationUses, RemovedLocations } from './removed-locations.ts';
import { deletedZone } from './schema.ts';
import { deleting, given, inserting, preparedOnce, rowBy } from './tables.ts';

/** Blocks of one slice, their bytes one after the other. */
export interface BlockSlice {
  /**
   * For each block: bytes of the keys of its first owner and of the first one after it (`noLimit` at the end of the
   * zone), records, user records, bytes of its records, and its checksums, the first one without the content
   * (journal/checksum.ts).
   */
  readonly index: Uint32Array;
  readonly keys: Uint8Array;
  readonly records: Uint8Array;
  readonly ids: Uint8Array;
}

/** Numbers of a block in the index of a slice. */
const blockNumbers = 7;
/** Stands for the bytes of a key that does not exist. */
export const noLimit = 0xffff_ffff;

/** Where new records of one slice stand; their ids follow each other. */
export interface LocationSlice {
  readonly firstId: number;
  /** Where each owner's key stands: a JSON array of `spanOf`, which SQLite walks over by itself. */
  readonly spans: string;
  readonly owners: Uint8Array;
}

/** A key of `bytes` at `start` as one number: it has at most 508 bytes. */
export function spanOf(start: number, bytes: number): number {
  return start * 1024 + bytes;
}

/** Where records stand that come back under their old ids, in any order. */
export interface RestoredSlice {
  readonly ids: Uint32Array;
  /** Where each owner's key stands: `spanOf`. */
  readonly spans: Uint32Array;
  readonly owners: Uint8Array;
}

export interface StageSlice {
  readonly parts: readonly DeltaPart[];
  readonly blocks: BlockSlice | undefined;
  readonly locations: LocationSlice | undefined;
  readonly restored?: RestoredSlice | undefined;
  /** Keys of owners of NSEC3, which have one length. */
  readonly nsec3Owners?: Nsec3Slice | undefined;
}

export interface Nsec3Slice {
  readonly keyBytes: number;
  readonly keys: Uint8Array;
}

/** `formerContent` is what the zone showed before, or the event to forget up to. */
type StageRow = typeof stage.$inferSelect;

const { merged, forgetting, prepared, published, purged } = stageStates;

/** What decides whether something may be cleared away. */
export interface StageUses extends LocationUses {
  /** Whether an unpublished stage is still being prepared. */
  isPrepared(number: number): boolean;
}

/** Rows cleared away in one go: a few milliseconds, as what is deleted is overwritten. */
const locationsPerClearing = 500;
const blocksPerClearing = 100;
const partsPerClearing = 16;
/** Blocks of a purged zone cleared away in one go, with the places of some 100 records each. */
const blocksPerPurging = 8;

const noIds = { firstId: 0, endId: 0 };

const stageRowsOf = preparedOnce((tables) => {
  const ofNumber = eq(stage.number, given('number'));
  const formerGeneration = sql`${given('formerContent')}`;
  return {
    insert: inserting(tables, stage),
    publish: tables
      .update(stage)
      .set({ state: published, formerContent: formerGeneration })
      .where(ofNumber)
      .prepare(),
    absorb: tables.update(stage).set({ state: merged }).where(ofNumber).prepare(),
    oldest: tables.select().from(stage).orderBy(stage.number).prepare(),
    delete: deleting(tables, stage, stage.number),
    deleteForgetting: tables
      .delete(stage)
      .where(and(ofNumber, eq(stage.zoneId, given('zoneId')), eq(stage.state, forgetting)))
      .prepare(),
    deletedZone: rowBy(tables, deletedZone, deletedZone.id, { id: deletedZone.id }),
  };
});

/** What is written and deleted by the thousand has statements by hand: a row takes half the time (tables.ts). */
export class StageStore {
  readonly #next: Statement;
  readonly #rows: ReturnType<typeof stageRowsOf>;
  readonly #patch: Statement;
  readonly #parts: RowWriter;
  readonly #blocks: RowWriter;
  readonly #locations: Statement;
  readonly #restored: RowWriter;
  readonly #showRestored: Statement;
  readonly #deleteRestored: Statement;
  readonly #nsec3Owners: RowWriter;
  readonly #deleteNsec3Owners: Statement;
  readonly #deleteParts: Statement;
  readonly #deleteBlocks: Statement;
  readonly #deleteLocations: Statement;
  readonly #removedLocations: RemovedLocations;
  readonly #deleteLocation: Statement;
  readonly #firstBlocks: BlockQuery;
  readonly #deleteBlock: Statement;
  readonly #history: HistoryDrop;
  /** The number that was opened last. */
  #opened = 0;

  constructor(connection: Connection) {
    this.#next = connection
      .prepare(
        `SELECT max(coalesce((SELECT max(number) FROM stage), 0),
          coalesce((SELECT max(delta) FROM event WHERE delta <> seq), 0), ${firstStage}) + 1`,
      )
      .pluck();
    this.#rows = stageRowsOf(connection);
    // The number of the content is part of the checksum (journal/checksum.ts).
    this.#patch = connection.prepare(
      `UPDATE OR REPLACE block SET checksum = checksum - content + CAST(? AS INTEGER), content = ?
       WHERE content = ?`,
    );
    this.#parts = new RowWriter(connection, storedPart.into, storedPart.columns);
    this.#blocks = new RowWriter(
      connection,
      'block (content, first, next, count, user_count, checksum, ids_checksum, records, ids)',
      9,
    );
    // One statement for all of a slice: binding each row would take as long as inserting it.
    this.#locations = connection.prepare(
      `INSERT OR REPLACE INTO ${recordColumns}
       SELECT CAST(? AS INTEGER) + key, ?, coalesce(substr(?, (value >> 10) + 1, value & 1023), x'')
       FROM json_each(?)`,
    );
    this.#restored = new RowWriter(connection, 'stage_place (number, id, owner)', 3);
    this.#showRestored = connection.prepare(
      `INSERT OR REPLACE INTO ${recordColumns}
       SELECT id, ?, owner FROM stage_place WHERE number = ? ORDER BY id`,
    );
    this.#deleteRestored = connection.prepare(
      `DELETE FROM stage_place WHERE (number, id) IN
        (SELECT number, id FROM stage_place WHERE number = ? LIMIT ${locationsPerClearing})`,
    );
    this.#nsec3Owners = new RowWriter(connection, 'nsec3_owner (content, owner)', 2);
    this.#deleteNsec3Owners = connection.prepare(
      `DELETE FROM nsec3_owner WHERE (content, owner) IN
        (SELECT content, owner FROM nsec3_owner WHERE content = ? LIMIT ${locationsPerClearing})`,
    );
    this.#deleteParts = connection.prepare(
      `DELETE FROM event_delta WHERE place IN
        (SELECT place FROM event_delta WHERE place BETWEEN ? AND ? LIMIT ${partsPerClearing})`,
    );
    this.#deleteBlocks = connection.prepare(
      `DELETE FROM block WHERE id IN
        (SELECT id FROM block WHERE content = ? LIMIT ${blocksPerClearing})`,
    );
    this.#deleteLocations = connection.prepare(
      `DELETE FROM record WHERE id IN
        (SELECT id FROM record WHERE id >= ? AND id < ? LIMIT ${locationsPerClearing})`,
    );
    this.#removedLocations = new RemovedLocations(connection);
    this.#deleteLocation = connection.prepare('DELETE FROM record WHERE id = ?');
    this.#firstBlocks = new BlockQuery(connection, `WHERE content = ? LIMIT ${blocksPerPurging}`);
    this.#deleteBlock = connection.prepare('DELETE FROM block WHERE id = ?');
    this.#history = new HistoryDrop(connection);
  }

  /** Opens a stage for new records of some ids; returns its number, which no other gets until the next start. */
  open(zoneId: number, firstId: number, endId: number): number {
    const row = { zoneId, firstId, endId, state: prepared, formerContent: null };
    this.#opened = this.#insert(row, this.#opened + 1);
    return this.#opened;
  }

  /** Under the next number, at least `from`, which it returns. */
  #insert(row: Omit<StageRow, 'number'>, from = 0): number {
    const number = Math.max(this.#next.get() as number, from);
    this.#rows.insert({ ...row, number });
    return number;
  }

  put(number: number, zoneId: number, slice: StageSlice): void {
    const { parts, blocks, locations, restored, nsec3Owners } = slice;
    for (const part of parts) {
      this.#parts.add(...valuesOfStored(zoneId, partNumberOf(number, part.part), part));
    }
    if (blocks !== undefined) this.#addBlocks(number, blocks);
    if (locations !== undefined) {
      this.#locations.run(locations.firstId, zoneId, locations.owners, locations.spans);
    }
    if (restored !== undefined) this.#addRestored(number, restored);
    if (nsec3Owners !== undefined) this.#addNsec3Owners(number, nsec3Owners);
    this.#parts.flush();
    this.#blocks.flush();
    this.#restored.flush();
    this.#nsec3Owners.flush();
  }

  #addRestored(number: number, { ids, spans, owners }: RestoredSlice): void {
    for (const [index, id] of ids.entries()) {
      const start = spans[index]! >>> 10;
      this.#restored.add(number, id, owners.subarray(start, start + (spans[index]! & 1023)));
    }
  }

  #addNsec3Owners(generation: number, { keyBytes, keys }: Nsec3Slice): void {
    for (let at = 0; at < keys.length; at += keyBytes) {
      this.#nsec3Owners.add(generation, keys.subarray(at, at + keyBytes));
    }
  }

  #addBlocks(generation: number, { index, keys, records, ids }: BlockSlice): void {
    let key = 0;
    let record = 0;
    let id = 0;
    for (let at = 0; at < index.length; at += blockNumbers) {
      const numbers = index.subarray(at, at + blockNumbers);
      const [firstBytes, nextBytes, count, userCount, bytes, checksum, idsChecksum] = numbers;
      const next = key + firstBytes!;
      const nextKey = nextBytes === noLimit ? next : next + nextBytes!;
      const nextId = id + count! * identityBytes;
      this.#blocks.add(
        generation,
        keys.subarray(key, next),
        nextBytes === noLimit ? null : keys.subarray(next, nextKey),
        count,
        userCount,
        generation + checksum!,
        idsChecksum,
        records.subarray(record, record + bytes!),
        ids.subarray(id, nextId),
      );
      key = nextKey;
      record += bytes!;
      id = nextId;
    }
  }

  /** The stage was published; `formerContent` is what the zone showed before, if it was there. */
  publish(number: number, formerGeneration: number | null): void {
    this.#rows.publish.run({ number, formerContent: formerGeneration });
  }

  /** Blocks of the stage take the places of those of a content that begin as they do. */
  patch(number: number, generation: number): void {
    this.#patch.run(generation, generation, number);
  }

  /** Records that a stage brought back have their places from now on. */
  showRestored(number: number, zoneId: number): void {
    this.#showRestored.run(zoneId, number);
  }

  /** What was prepared under a number went into another stage. */
  absorb(number: number): void {
    this.#rows.absorb.run({ number });
  }

  /** A zone was purged: its content, and all that its events hold, is to be cleared away. */
  purge(zoneId: number, generation: number): void {
    this.#insert({ zoneId, ...noIds, state: purged, formerContent: generation });
  }

  /**
   * Deletes what the events of a zone hold, up to one of them, however long that takes and whatever comes
   * between. Returns a number, to pass to `forgotten` when somebody else has done it.
   */
  forget(zoneId: number, upToSeq: number): number {
    return this.#insert({ zoneId, ...noIds, state: forgetting, formerContent: upToSeq });
  }

  /** The clearing may have been first, and the number another's by now. */
  forgotten(number: number, zoneId: number): void {
    this.#rows.deleteForgetting.run({ number, zoneId });
  }

  /** True when no stage is open and none has left anything. */
  isEmpty(): boolean {
    return this.#rows.oldest.get() === undefined;
  }

  /** Clears away a little of what stages have left. False when nothing is left to do. */
  clear(uses: StageUses): boolean {
    for (const row of this.#rows.oldest.all()) {
      if (this.#waits(row, uses)) continue;
      const left = this.#clearOf(row, uses);
      if (left === 'waits') continue;
      if (left === 'none') this.#rows.delete(row.number);
      return true;
    }
    return false;
  }

  #waits({ number, zoneId, state }: StageRow, uses: StageUses): boolean {
    if (state === prepared) return uses.isPrepared(number);
    // A deleted zone may come back, and then it has to be known which places are its own.
    return state === published && this.#rows.deletedZone(zoneId) !== undefined;
  }

  /** Whether something is left to be cleared away. */
  #clearOf(row: StageRow, uses: StageUses): 'some' | 'none' | 'waits' {
    const { number, zoneId, firstId, endId, state, formerContent: formerGeneration } = row;
    if (state === purged) return this.#clearPurged(zoneId, formerGeneration);
    if (state === forgetting) return this.#clearForgotten(zoneId, formerGeneration!);
    const runs: { readonly changes: number }[] = [this.#deleteRestored.run(number)];
    if (state === published) {
      if (formerGeneration !== null) runs.push(...this.#deleteGeneration(formerGeneration));
      if (runs.every(({ changes }) => changes === 0)) {
        return this.#removedLocations.clear(row, uses) ? 'some' : 'none';
      }
    } else {
      runs.push(this.#deleteParts.run(partNumberOf(number, 0), partNumberOf(number + 1, -1)));
    }
    if (state === merged) runs.push(...this.#deleteGeneration(number));
    if (state === prepared) {
      runs.push(...this.#deleteGeneration(number), this.#deleteLocations.run(firstId, endId));
    }
    return runs.some(({ changes }) => changes > 0) ? 'some' : 'none';
  }

  #deleteGeneration(generation: number): { readonly changes: number }[] {
    return [this.#deleteBlocks.run(generation), this.#deleteNsec3Owners.run(generation)];
  }

  #clearForgotten(zoneId: number, upToSeq: number): 'some' | 'none' | 'waits' {
    const left = this.#history.drop(zoneId, upToSeq, 'steps');
    return left === 'none' ? this.#history.drop(zoneId, upToSeq, 'signer-steps') : left;
  }

  #clearPurged(zoneId: number, generation: number | null): 'some' | 'none' | 'waits' {
    const blocks = generation === null ? [] : this.#firstBlocks.all(generation);
    for (const { id: block, ids } of blocks) {
      for (let index = 0; index * identityBytes < ids.length; index++) {
        const id = idAt(ids, index);
        if (id !== 0) this.#deleteLocation.run(id);
      }
      this.#deleteBlock.run(block);
    }
    const { changes } = this.#deleteNsec3Owners.run(generation);
    if (changes > 0) return 'some';
    if (blocks.length > 0) return 'some';
    return this.#history.drop(zoneId, Number.MAX_SAFE_INTEGER, 'everything');
  }

  /** After a rollback: what a slice that failed half-way has added is not written with the next. */
  reset(): void {
    for (const rows of [this.#parts, this.#blocks, this.#restored, this.#nsec3Owners])
      rows.forget();
    this.#removedLocations.reset();
  }
}
