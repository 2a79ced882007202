/**
 * Rows of the table `event_delta`: every read of one goes through this file, which compares its checksum before
 * anybody sees what it holds. StoredDamage is thrown where it does not fit.
 */
import { checksumOfIds, checksumOfPart } from './checksum.ts';
import { damageIn } from './damage.ts';
import { PackedCursor } from '../dns/packed.ts';
import { addedSet, type DeltaPart, firstStage, partsPerEvent, removedSet } from './delta.ts';
import { identityBytes } from './identity.ts';
import type { Connection, Statement } from './sqlite.ts';

interface StoredPart extends DeltaPart {
  readonly place: number;
  readonly checksum: number;
  readonly idsChecksum: number;
}

const columns = `place, place % ${partsPerEvent} AS part, change, layer, count, checksum,
  ids_checksum AS idsChecksum, records`;

/** The columns of a part that is to be written, in the order of `valuesOfStored`. */
export const storedPart = {
  into: 'event_delta (place, change, layer, count, checksum, ids_checksum, records, ids, zone_id, owner, type)',
  columns: 11,
} as const;

/** The values of a part at a place of the table. */
export function valuesOfStored(zoneId: number, place: number, part: DeltaPart): unknown[] {
  const { change, layer, count, records, ids } = part;
  const sums = [checksumOfPart(part), checksumOfIds(ids, count)];
  const isOwn = place < firstStage * partsPerEvent;
  const [owner, type] = isOwn && layer === 0 ? soleRrset(records) : [null, null];
  return [place, change, layer, count, ...sums, records, ids, zoneId, owner, type];
}

/** The labels of the owner that all records have, and their type; null for each of which there are several. */
function soleRrset(records: Buffer): readonly [Buffer | null, number | null] {
  const cursor = new PackedCursor(records);
  if (!cursor.next()) return [null, null];
  const { labels, type } = cursor;
  let isOneType = true;
  while (cursor.next()) {
    if (!cursor.labels.equals(labels)) return [null, null];
    isOneType &&= cursor.type === type;
  }
  return [labels, isOneType ? type : null];
}

function isRight(part: StoredPart): boolean {
  return Buffer.isBuffer(part.records) && part.checksum === checksumOfPart(part);
}

function hasRightIds({ ids, idsChecksum, count }: StoredPart): boolean {
  if (ids === null) return idsChecksum === 0;
  const isFormed = Buffer.isBuffer(ids) && ids.length === count * identityBytes;
  return isFormed && idsChecksum === checksumOfIds(ids, count);
}

/**
 * Reads parts by a condition. `packed`: without identities, which are null then. `rest` follows
 * `FROM event_delta`; `also` are columns of other tables that `from` brings in.
 */
export class PartQuery<More extends object = object> {
  readonly #connection: Connection;
  readonly #statement: Statement;
  readonly #isWhole: boolean;

  constructor(
    connection: Connection,
    form: 'packed' | 'whole',
    rest: string,
    { from = 'event_delta', also = '' } = {},
  ) {
    this.#connection = connection;
    this.#isWhole = form === 'whole';
    const ids = this.#isWhole ? 'ids' : 'NULL AS ids';
    this.#statement = connection.prepare(`SELECT ${columns}, ${ids}${also} FROM ${from} ${rest}`);
  }

  all(...values: unknown[]): (DeltaPart & { readonly place: number } & More)[] {
    return this.#statement.all(...values).map((row) => this.#checked(row));
  }

  get(...values: unknown[]): (DeltaPart & { readonly place: number } & More) | undefined {
    const row = this.#statement.get(...values);
    return row === undefined ? undefined : this.#checked(row);
  }

  *iterate(...values: unknown[]): Generator<DeltaPart & { readonly place: number } & More> {
    for (const row of this.#statement.iterate(...values)) yield this.#checked(row);
  }

  #checked(row: unknown): StoredPart & More {
    const stored = row as StoredPart & More;
    if (isRight(stored) && (!this.#isWhole || hasRightIds(stored))) return stored;
    const delta = Math.floor(stored.place / partsPerEvent);
    throw damageIn(this.#connection, { table: 'event_delta', delta });
  }
}

/** How many user records the parts of an event hold that are of one half. */
function userRecords(set: number): string {
  return `coalesce(sum(iif(layer = 0 AND change = ${set}, count, 0)), 0)`;
}

/** True of a part under the number of its event. Where keys are damaged, a search may come by another one. */
export const isOfEvent = `place / ${partsPerEvent} = event.delta`;

/** True of an event whose parts are not those that its payload tells of. */
const hasOtherParts = `(parts, payload ->> '$.removed', payload ->> '$.added') IS NOT
  (SELECT count(iif(layer IN (0, 1) AND ${isOfEvent}, 1, NULL)),
    ${userRecords(removedSet)}, ${userRecords(addedSet)}
   FROM event_delta WHERE place BETWEEN delta * ${partsPerEvent} AND (delta + 1) * ${partsPerEvent} - 1)`;

/**
 * Makes sure that events have all their parts, and that as many of their user records are of each half as their
 * payloads tell; StoredDamage where that is not so. Whoever chooses parts by layer or half in SQL, or only counts them,
 * asks this first: what a condition leaves out is not read, so that no checksum of it is compared.
 */
export class PartCheck {
  readonly #connection: Connection;
  readonly #ofSerials: DamageSearch;
  readonly #ofEvents: DamageSearch;

  constructor(connection: Connection) {
    this.#connection = connection;
    const retained = 'AND serial IS NOT NULL AND payload IS NOT NULL';
    const serials = `stream = (? + 0) AND serial > (? + 0) AND serial <= (? + 0) ${retained}`;
    this.#ofSerials = new DamageSearch(connection, serials);
    this.#ofEvents = new DamageSearch(connection, `seq > (? + 0) AND seq <= (? + 0) ${retained}`);
  }

  /** Of the events of a zone from after one serial up to another. */
  requireChanges(zoneId: number, afterSerial: number, upToSerial: number): void {
    this.#refuse(this.#ofSerials.find(zoneId, afterSerial, upToSerial));
  }

  /** Of all events of zones from after one number up to another. */
  requireEvents(afterSeq: number, upToSeq: number): void {
    this.#refuse(this.#ofEvents.find(afterSeq, upToSeq));
  }

  requireEvent(seq: number): void {
    this.requireEvents(seq - 1, seq);
  }

  #refuse(delta: number | undefined): void {
    if (delta !== undefined) throw damageIn(this.#connection, { table: 'event_delta', delta });
  }
}

class DamageSearch {
  readonly #incomplete: Statement;
  readonly #unreadable: Statement;

  constructor(connection: Connection, events: string) {
    const first = (reason: string) =>
      connection.prepare(`SELECT delta FROM event WHERE ${events} AND ${reason} LIMIT 1`).pluck();
    this.#incomplete = first(hasOtherParts);
    this.#unreadable = first('NOT json_valid(payload)');
  }

  /** The delta of an event that is damaged. */
  find(...values: number[]): number | undefined {
    try {
      return this.#incomplete.get(...values) as number | undefined;
    } catch (error) {
      // A payload that is no JSON any more.
      const unreadable = this.#unreadable.get(...values) as number | undefined;
      if (unreadable === undefined) throw error;
      return unreadable;
    }
  }
}

/** Parts in one piece, one after the other. */
export interface JoinedParts {
  /** serial * 65536 + part, of the last one. */
  readonly last: number;
  readonly parts: readonly Omit<DeltaPart, 'part'>[];
}

interface JoinedRow {
  /** Null when there is none. */
  readonly last: number | null;
  /** Of each part: its place, change, layer, count, checksum, checksum and bytes of identities, bytes. */
  readonly heads: string | null;
  readonly records: Buffer;
  readonly ids: Buffer | null;
}

const headNumbers = 8;
const noIds = Buffer.alloc(0);

/** Parts of the events of a zone, joined by SQLite: as rows, small ones would cost more to return than to read. */
export class JoinedPartQuery {
  readonly #connection: Connection;
  readonly #statement: Statement;

  /** `rest`: the condition and order, and how many parts are read at a time. */
  constructor(connection: Connection, from: string, rest: string) {
    this.#connection = connection;
    this.#statement = connection.prepare(
      `SELECT max(serial * ${partsPerEvent} + place % ${partsPerEvent}) AS last,
        group_concat(place || ',' || change || ',' || layer || ',' || count || ',' || checksum || ',' ||
         ids_checksum || ',' || coalesce(length(ids), -1) || ',' || length(records)) AS heads,
        CAST(group_concat(records, '') AS BLOB) AS records,
        CAST(group_concat(ids, '') AS BLOB) AS ids
       FROM (SELECT serial, place, change, layer, count, checksum, ids_checksum, records, ids
        FROM ${from} ${rest})`,
    );
  }

  get(...values: unknown[]): JoinedParts | undefined {
    const row = this.#statement.get(...values) as JoinedRow;
    if (row.last === null) return undefined;
    return { last: row.last, parts: [...this.#partsOf(row)] };
  }

  *#partsOf({ heads, records, ids }: JoinedRow): Generator<DeltaPart> {
    const numbers = numbersOf(heads);
    let recordsAt = 0;
    let idsAt = 0;
    for (let at = 0; at < numbers.length; at += headNumbers) {
      const place = numbers[at]!;
      const idBytes = numbers[at + 6]!;
      const recordsEnd = recordsAt + numbers[at + 7]!;
      const idsEnd = idsAt + Math.max(0, idBytes);
      const part: StoredPart = {
        place,
        part: place % partsPerEvent,
        change: numbers[at + 1]!,
        layer: numbers[at + 2]!,
        count: numbers[at + 3]!,
        checksum: numbers[at + 4]!,
        idsChecksum: numbers[at + 5]!,
        records: records.subarray(recordsAt, recordsEnd),
        ids: idBytes < 0 ? null : (ids ?? noIds).subarray(idsAt, idsEnd),
      };
      if (!isRight(part) || !hasRightIds(part)) {
        const delta = Math.floor(place / partsPerEvent);
        throw damageIn(this.#connection, { table: 'event_delta', delta });
      }
      yield part;
      recordsAt = recordsEnd;
      idsAt = idsEnd;
    }
  }
}

/** What is no number any more fits no checksum. */
function numbersOf(heads: string | null): number[] {
  try {
    return JSON.parse(`[${heads ?? ''}]`) as number[];
  } catch {
    return Array<number>(headNumbers).fill(Number.NaN);
  }
}

/** The name of a half. */
export function changeName(change: number): 'removed' | 'added' {
  return change === removedSet ? 'removed' : 'added';
}

/** What a half of this name is in the table. */
export function changeNumber(name: 'removed' | 'added'): number {
  return name === 'removed' ? removedSet : addedSet;
}
