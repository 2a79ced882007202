/**
 * Net changes as rows. For spans of serials whose ends are multiples of 4,096, of 16,384 and so on, they say what the
 * records of users were at the beginning where they differ at the end; what came and went between is left out. A past
 * of a million changes is read by a dozen of them and the changes beyond.
 *
 * They are made of the journal and can be made again: a rebuild forgets them, and damage is met by forgetting those of
 * the zone. The row of a span is written after all its parts, so that half of one counts for nothing. It says, too, how
 * many events led to serials of the span, so that these are not counted one by one.
 */
import { crc32 } from 'node:zlib';
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { damageIn } from '../journal/damage.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { packIdentities } from '../journal/identity.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { addedSet, removedSet } from '../journal/delta.ts';
import { packRecords } from '../dns/record.ts';

/** After `from` up to `to`. */
export interface SerialSpan {
  readonly from: number;
  readonly to: number;
}

/** Events that led to serials of a span, whether their content is retained or not. */
export interface EventCounts {
  readonly events: number;
  /** Those of them that only re-signed the zone. */
  readonly signing: number;
}

/** A span that counts, or what lies between two of them. */
export interface PassedSpan extends SerialSpan {
  readonly net: EventCounts | undefined;
}

export interface NetChangePart {
  readonly change: number;
  readonly count: number;
  readonly first: Buffer;
  readonly last: Buffer;
  readonly records: Buffer;
  readonly ids: Buffer;
}

interface PartHead {
  readonly id: number;
  readonly part: number;
  readonly change: number;
  readonly count: number;
  readonly first: Buffer;
  readonly last: Buffer;
  readonly recordsChecksum: number;
  readonly idsChecksum: number;
  readonly checksum: number;
}

type StoredRecords = Pick<NetChangePart, 'records' | 'ids'>;

/** The records of one half and one run of owners, in canonical order. */
export function netChangePart(set: 'removed' | 'added', run: readonly ZoneRecord[]): NetChangePart {
  return {
    change: set === 'removed' ? removedSet : addedSet,
    count: run.length,
    first: keyToBytes(run[0]!.owner),
    last: keyToBytes(run.at(-1)!.owner),
    records: packRecords(run),
    ids: packIdentities(run),
  };
}

function checksumOfHead(
  zoneId: number,
  { from, to }: SerialSpan,
  {
    part,
    change,
    count,
    first,
    last,
    recordsChecksum,
    idsChecksum,
  }: Omit<PartHead, 'id' | 'checksum'>,
): number {
  const numbers = [zoneId, from, to, part, change, count, recordsChecksum, idsChecksum];
  return crc32(`${numbers.join(' ')} ${first.toString('hex')} ${last.toString('hex')}`);
}

function checksumOfParts(checksums: readonly number[]): number {
  return crc32(checksums.join(' '));
}

function checksumOfSpan(
  zoneId: number,
  { from, to, events, signing, parts, partsChecksum }: Omit<SpanRow, 'checksum'>,
): number {
  return crc32([zoneId, from, to, events, signing, parts, partsChecksum].join(' '));
}

const ofSpan = 'zone_id = (? + 0) AND from_serial = (? + 0) AND to_serial = (? + 0)';

/** For the one who writes. */
export class NetChangeStore {
  readonly #connection: Connection;
  #statements: ReturnType<typeof statementsOf> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Few services ever write one. */
  get #prepared() {
    this.#statements ??= statementsOf(this.#connection);
    return this.#statements;
  }

  /**
   * Parts of a span from one number on; what was left of an earlier try is replaced. None where changes of it are not
   * retained any more: they would say what was forgotten, and nobody may come to delete them.
   */
  putParts(zoneId: number, span: SerialSpan, from: number, parts: readonly NetChangePart[]): void {
    const { forgetParts, isDropped, insertPart } = this.#prepared;
    if (from === 0) forgetParts.run(zoneId, span.from, span.to);
    if (isDropped.get(zoneId, span.from) !== undefined) return;
    for (const [index, { records, ids, ...rest }] of parts.entries()) {
      const part = from + index;
      const sums = { recordsChecksum: crc32(records), idsChecksum: crc32(ids) };
      const head = { ...rest, part, ...sums };
      const { change, count, first, last } = head;
      const checksum = checksumOfHead(zoneId, span, head);
      const columns = [part, change, count, first, last, ...Object.values(sums), checksum];
      insertPart.run(zoneId, span.from, span.to, ...columns, records, ids);
    }
  }

  /** From now on the span counts, unless changes of it are not retained any more by now. */
  putSpan(zoneId: number, { from, to }: SerialSpan, { events, signing }: EventCounts): void {
    const { forgetParts, isDropped, partSums, insertSpan } = this.#prepared;
    if (isDropped.get(zoneId, from) !== undefined) {
      forgetParts.run(zoneId, from, to);
      return;
    }
    const sums = partSums.all(zoneId, from, to) as number[];
    const parts = { parts: sums.length, partsChecksum: checksumOfParts(sums) };
    const row = { from, to, events, signing, ...parts };
    insertSpan.run(zoneId, ...Object.values(row), checksumOfSpan(zoneId, row));
  }

  /** All of a zone. */
  forget(zoneId: number): void {
    for (const forget of this.#prepared.forgetAll) forget.run(zoneId);
  }
}

function statementsOf(connection: Connection) {
  return {
    forgetParts: connection.prepare(`DELETE FROM net_change_part WHERE ${ofSpan}`),
    insertPart: connection.prepare(
      `INSERT INTO net_change_part (zone_id, from_serial, to_serial, part, change, count, first, last,
        records_checksum, ids_checksum, checksum, records, ids) VALUES (${Array(13).fill('?').join()})`,
    ),
    partSums: connection
      .prepare(`SELECT checksum FROM net_change_part WHERE ${ofSpan} ORDER BY part`)
      .pluck(),
    insertSpan: connection.prepare(
      `INSERT OR REPLACE INTO net_change (zone_id, from_serial, to_serial, events, signing, parts,
        parts_checksum, checksum) VALUES (${Array(8).fill('?').join()})`,
    ),
    forgetAll: ['net_change', 'net_change_part'].map((table) =>
      connection.prepare(`DELETE FROM ${table} WHERE zone_id = ?`),
    ),
    isDropped: connection.prepare(
      `SELECT 1 FROM event
       WHERE stream = (? + 0) AND serial > ? AND payload IS NULL AND kind <> 'zone.signed' LIMIT 1`,
    ),
  };
}

interface SpanRow extends SerialSpan, EventCounts {
  readonly parts: number;
  readonly partsChecksum: number;
  readonly checksum: number;
}

/** Whether records of a run of owners are wanted. */
export type WantsOwners = (first: NameKey, last: NameKey) => boolean;

export class NetChangeQueries {
  readonly #connection: Connection;
  readonly #longest: Statement;
  readonly #next: Statement;
  readonly #heads: Statement;
  readonly #recordsOf: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#longest = connection.prepare(
      `SELECT from_serial AS "from", to_serial AS "to", events, signing, parts,
        parts_checksum AS partsChecksum, checksum
       FROM net_change
       WHERE zone_id = (? + 0) AND from_serial = (? + 0) AND to_serial <= (? + 0)
       ORDER BY to_serial DESC LIMIT 1`,
    );
    this.#next = connection
      .prepare(
        'SELECT min(from_serial) FROM net_change WHERE zone_id = (? + 0) AND from_serial > (? + 0)',
      )
      .pluck();
    this.#heads = connection.prepare(
      `SELECT id, part, change, count, first, last, records_checksum AS recordsChecksum,
        ids_checksum AS idsChecksum, checksum
       FROM net_change_part WHERE ${ofSpan} ORDER BY part`,
    );
    this.#recordsOf = connection.prepare('SELECT records, ids FROM net_change_part WHERE id = ?');
  }

  /** What lies between two serials, in order: net changes, the longest there are, and what none of them holds. */
  *spans(zoneId: number, after: number, upTo: number): Generator<PassedSpan> {
    for (let at = after; at < upTo; ) {
      const net = this.#longestFrom(zoneId, at, upTo);
      const to = net?.to ?? Math.min(this.#nextStart(zoneId, at) ?? upTo, upTo);
      yield { from: at, to, net };
      at = to;
    }
  }

  #longestFrom(zoneId: number, from: number, upTo: number): SpanRow | undefined {
    const row = this.#longest.get(zoneId, from, upTo) as SpanRow | undefined;
    if (row === undefined || row.checksum === checksumOfSpan(zoneId, row)) return row;
    throw this.#damage(zoneId);
  }

  /** Where the next span after a serial begins. */
  #nextStart(zoneId: number, after: number): number | undefined {
    return (this.#next.get(zoneId, after) as number | null) ?? undefined;
  }

  /** The parts of a span, removed records of a run of owners before added ones. StoredDamage where one is not right. */
  *parts(zoneId: number, span: SerialSpan, wants: WantsOwners): Generator<NetChangePart> {
    for (const head of this.#headsOf(zoneId, span)) {
      if (!wants(keyFromBytes(head.first), keyFromBytes(head.last))) continue;
      const found = this.#recordsOf.get(head.id) as StoredRecords | undefined;
      const isRight =
        found !== undefined &&
        crc32(found.records) === head.recordsChecksum &&
        crc32(found.ids) === head.idsChecksum;
      if (!isRight) throw this.#damage(zoneId);
      yield { ...head, ...found };
    }
  }

  /** How many records more there are after a span than before it. */
  increase(zoneId: number, span: SerialSpan): number {
    let increase = 0;
    for (const { change, count } of this.#headsOf(zoneId, span)) {
      increase += change === addedSet ? count : -count;
    }
    return increase;
  }

  #headsOf(zoneId: number, span: SerialSpan): readonly PartHead[] {
    const { from, to } = span;
    const row = this.#longestFrom(zoneId, from, to);
    const heads = this.#heads.all(zoneId, from, to) as PartHead[];
    const sums = heads.map(({ checksum }) => checksum);
    const isWhole =
      row?.to === to &&
      row.parts === heads.length &&
      row.partsChecksum === checksumOfParts(sums) &&
      heads.every((head) => head.checksum === checksumOfHead(zoneId, span, head));
    if (!isWhole) throw this.#damage(zoneId);
    return heads;
  }

  #damage(zoneId: number): Error {
    return damageIn(this.#connection, { table: 'net_change', zoneId });
  }
}
