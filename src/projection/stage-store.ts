/**
 * Large changes in two steps: their parts of a delta, blocks and places of records are written in small
 * commits, which no reader sees, and then published by one event that makes the zone show them. A row of
 * the table `stage` stands for what is to be cleared away: everything, if it is never published, else
 * what it replaced.
 */
import type { Connection, Statement } from '../journal/database.ts';
import { type DeltaPart, firstStage, placeOf, removedHalf } from '../journal/delta.ts';
import { idAt, identityOctets } from '../journal/identity.ts';
import { RowWriter } from '../journal/row-writer.ts';
import { recordColumns } from './record-places.ts';

/** Blocks of one slice, their octets one after the other. */
export interface BlockSlice {
  /** For each block: octets of its key, records, user records, octets of its records. */
  readonly index: Uint32Array;
  readonly firsts: Uint8Array;
  readonly records: Uint8Array;
  readonly ids: Uint8Array;
}

/** Where new records of one slice stand; their ids follow each other. */
export interface PlaceSlice {
  readonly firstId: number;
  /** Octets of each owner's key. */
  readonly lengths: Uint16Array;
  readonly owners: Uint8Array;
}

export interface StageSlice {
  readonly parts: readonly DeltaPart[];
  readonly blocks: BlockSlice | undefined;
  readonly places: PlaceSlice | undefined;
}

interface StageRow {
  readonly number: number;
  readonly zoneId: number;
  readonly firstId: number;
  readonly endId: number;
  readonly published: number;
  readonly formerContent: number | null;
}

/** What decides whether something may be cleared away. */
export interface StageUses {
  /** Whether an unpublished stage is still being prepared. */
  isPrepared(number: number): boolean;
  isStored(zoneId: number): boolean;
  /** Whether a record of an id is in a stored zone. */
  isThere(id: number): boolean;
}

/** Rows cleared away in one go: about 2 ms. */
const rowsPerClearing = 500;

export class StageStore {
  readonly #next: Statement;
  readonly #insert: Statement;
  readonly #publish: Statement;
  readonly #oldest: Statement;
  readonly #delete: Statement;
  readonly #parts: RowWriter;
  readonly #blocks: RowWriter;
  readonly #places: RowWriter;
  readonly #deleteParts: Statement;
  readonly #deleteBlocks: Statement;
  readonly #deletePlaces: Statement;
  readonly #removedPart: Statement;
  readonly #deletePlace: Statement;

  constructor(connection: Connection) {
    this.#next = connection
      .prepare(
        `SELECT max(coalesce((SELECT max(number) FROM stage), 0),
          coalesce((SELECT max(delta) FROM event WHERE delta <> seq), 0), ${firstStage}) + 1`,
      )
      .pluck();
    this.#insert = connection.prepare(
      'INSERT INTO stage (number, zone_id, first_id, end_id, published) VALUES (?, ?, ?, ?, 0)',
    );
    this.#publish = connection.prepare(
      'UPDATE stage SET published = 1, former_content = ? WHERE number = ?',
    );
    this.#oldest = connection.prepare(
      `SELECT number, zone_id AS zoneId, first_id AS firstId, end_id AS endId, published,
        former_content AS formerContent FROM stage ORDER BY number`,
    );
    this.#delete = connection.prepare('DELETE FROM stage WHERE number = ?');
    this.#parts = new RowWriter(
      connection,
      'event_delta (place, change, layer, count, records, ids)',
      6,
    );
    this.#blocks = new RowWriter(
      connection,
      'block (content, first, count, user_count, records, ids)',
      6,
    );
    this.#places = new RowWriter(connection, recordColumns, 3, 'INSERT OR REPLACE');
    this.#deleteParts = connection.prepare(
      `DELETE FROM event_delta WHERE place IN
        (SELECT place FROM event_delta WHERE place BETWEEN ? AND ? LIMIT ${rowsPerClearing})`,
    );
    this.#deleteBlocks = connection.prepare(
      `DELETE FROM block WHERE id IN
        (SELECT id FROM block WHERE content = ? LIMIT ${rowsPerClearing})`,
    );
    this.#deletePlaces = connection.prepare(
      `DELETE FROM record WHERE id IN
        (SELECT id FROM record WHERE id >= ? AND id < ? LIMIT ${rowsPerClearing})`,
    );
    this.#removedPart = connection.prepare(
      `SELECT place, ids FROM event_delta
       WHERE place > ? AND place <= ? AND change = ${removedHalf} AND ids IS NOT NULL
       ORDER BY place LIMIT 1`,
    );
    this.#deletePlace = connection.prepare('DELETE FROM record WHERE id = ?');
  }

  /** Opens a stage for new records of some ids; returns its number. */
  open(zoneId: number, firstId: number, endId: number): number {
    const number = this.#next.get() as number;
    this.#insert.run(number, zoneId, firstId, endId);
    return number;
  }

  put(number: number, zoneId: number, { parts, blocks, places }: StageSlice): void {
    for (const { part, change, layer, count, records, ids } of parts) {
      this.#parts.add(placeOf(number, part), change, layer, count, records, ids);
    }
    if (blocks !== undefined) this.#addBlocks(number, blocks);
    if (places !== undefined) this.#addPlaces(zoneId, places);
    this.#parts.flush();
    this.#blocks.flush();
    this.#places.flush();
  }

  #addBlocks(content: number, { index, firsts, records, ids }: BlockSlice): void {
    let first = 0;
    let record = 0;
    let id = 0;
    for (let at = 0; at < index.length; at += 4) {
      const [keyOctets, count, userCount, octets] = index.subarray(at, at + 4);
      const nextId = id + count! * identityOctets;
      this.#blocks.add(
        content,
        firsts.subarray(first, first + keyOctets!),
        count,
        userCount,
        records.subarray(record, record + octets!),
        ids.subarray(id, nextId),
      );
      first += keyOctets!;
      record += octets!;
      id = nextId;
    }
  }

  #addPlaces(zoneId: number, { firstId, lengths, owners }: PlaceSlice): void {
    let at = 0;
    for (let index = 0; index < lengths.length; index++) {
      const end = at + lengths[index]!;
      this.#places.add(firstId + index, zoneId, owners.subarray(at, end));
      at = end;
    }
  }

  /** The stage was published; `formerContent` is what the zone showed before, if it was there. */
  publish(number: number, formerContent: number | null): void {
    this.#publish.run(formerContent, number);
  }

  /** True when no stage is open and none has left anything. */
  isEmpty(): boolean {
    return this.#oldest.get() === undefined;
  }

  /** Clears away a little of what stages have left. False when nothing is left to do. */
  clear(uses: StageUses): boolean {
    for (const row of this.#oldest.all() as StageRow[]) {
      const waits = row.published === 0 ? uses.isPrepared(row.number) : !uses.isStored(row.zoneId);
      if (waits) continue;
      if (!this.#clearOf(row, uses)) this.#delete.run(row.number);
      return true;
    }
    return false;
  }

  #clearOf(row: StageRow, uses: StageUses): boolean {
    const { number, firstId, endId, published, formerContent } = row;
    if (published === 0) {
      return [
        this.#deleteParts.run(placeOf(number, 0), placeOf(number + 1, -1)),
        this.#deleteBlocks.run(number),
        this.#deletePlaces.run(firstId, endId),
      ].some(({ changes }) => changes > 0);
    }
    if (formerContent !== null && this.#deleteBlocks.run(formerContent).changes > 0) return true;
    return this.#clearPlacesOf(number, uses);
  }

  /** Ids that the step removed have no place any more, unless they are there again. */
  #clearPlacesOf(number: number, { isThere }: StageUses): boolean {
    const from = this.#cleared?.number === number ? this.#cleared.place : placeOf(number, -1);
    const end = placeOf(number + 1, -1);
    const part = this.#removedPart.get(from, end) as { place: number; ids: Buffer } | undefined;
    if (part === undefined) {
      this.#cleared = undefined;
      return false;
    }
    for (let index = 0; index * identityOctets < part.ids.length; index++) {
      const id = idAt(part.ids, index);
      if (!isThere(id)) this.#deletePlace.run(id);
    }
    this.#cleared = { number, place: part.place };
    return true;
  }

  /** How far the clearing of places has come; begun anew after a restart. */
  #cleared: { readonly number: number; readonly place: number } | undefined;
}
