/** Headers of events in order: all of them or those of one zone, between two numbers or times, in chunks. */
import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  type SQL,
} from 'drizzle-orm';
import type { Connection } from '../journal/database.ts';
import { placeOf } from '../journal/delta.ts';
import { PartQuery } from '../journal/delta-row.ts';
import { payloadOf } from '../journal/event-row.ts';
import { event } from '../journal/schema.ts';
import { type Tables, tablesOf } from '../projection/tables.ts';
import { zoneEventColumns } from './zone-events.ts';

/** Rows that are read at a time. */
const chunkRows = 500;

const columns = {
  ...zoneEventColumns,
  stream: event.stream,
  zoneName: event.zoneName,
  actorUid: event.actorUid,
  hash: event.hash,
  prevHash: event.prevHash,
};
const { payload: _, ...headerColumns } = columns;

export type HeaderRow = ReturnType<EventRows['headers']>[number];

/** Which rows are asked for; what is left out bounds nothing. */
export interface WantedRows {
  /** Sequence numbers: only events after, and before. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** Milliseconds since 1970: from, and up to and with. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The stream of a zone. */
  readonly zoneId?: number | undefined;
  readonly order: 'asc' | 'desc';
}

interface Bounds {
  /** Sequence numbers beyond which nothing is asked for. */
  readonly low: number;
  readonly high: number;
  readonly order: 'asc' | 'desc';
}

export class EventRows {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #parts: PartQuery;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#tables = tablesOf(connection);
    this.#parts = new PartQuery(
      connection,
      'whole',
      'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place',
    );
  }

  /** One by its number. */
  at(seq: number): HeaderRow | undefined {
    return this.headers(eq(event.seq, seq), 'asc', 1)[0];
  }

  headers(where: SQL | undefined, order: 'asc' | 'desc', limit: number, bySerial = false) {
    const column = bySerial ? event.serial : event.seq;
    return this.#tables
      .select(headerColumns)
      .from(event)
      .where(where)
      .orderBy((order === 'asc' ? asc : desc)(column))
      .limit(limit)
      .all();
  }

  payload(row: HeaderRow): string | null {
    const found = this.#tables
      .select({ payload: event.payload })
      .from(event)
      .where(eq(event.seq, row.seq))
      .get();
    return payloadOf(this.#connection, { ...row, payload: found?.payload ?? null });
  }

  parts(delta: number) {
    return this.#parts.iterate(placeOf(delta, 0), placeOf(delta + 1, -1));
  }

  /** The headers within bounds, in order. */
  *within({ after, before, order, since, until, zoneId }: WantedRows): Generator<HeaderRow> {
    const low = Math.max(after ?? 0, since === undefined ? 0 : this.#lastBefore(since));
    const high = Math.min(
      before ?? Number.MAX_SAFE_INTEGER,
      until === undefined ? Number.MAX_SAFE_INTEGER : this.#lastBefore(until + 1) + 1,
    );
    const bounds = { low, high, order };
    if (zoneId === undefined) yield* this.#inOrder(bounds);
    else yield* this.#ofStream(zoneId, bounds);
  }

  /** The last event before a time, 0 when there is none: times never go back, so it is found by halves. */
  #lastBefore(atMs: number): number {
    let low = 0;
    let high = this.#last();
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [row] = this.headers(eq(event.seq, middle), 'asc', 1);
      if (row !== undefined && row.at < atMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  *#inOrder({ low, high, order }: Bounds): Generator<HeaderRow> {
    let from = low;
    let to = high;
    while (true) {
      const rows = this.headers(and(gt(event.seq, from), lt(event.seq, to)), order, chunkRows);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.seq;
      else to = last.seq;
    }
  }

  /**
   * Events of one stream. Its index has those with a serial by the serial, which grows with the number, and those without
   * by their number: two runs that are merged.
   */
  *#ofStream(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const inside = ({ seq }: HeaderRow) => seq > low && seq < high;
    const serials = this.#serialRun(stream, { low, high, order });
    const others = this.#otherRun(stream, { low, high, order });
    let one = serials.next();
    let other = others.next();
    while (!one.done || !other.done) {
      const isFirst =
        !one.done && (other.done || one.value.seq < other.value.seq === (order === 'asc'));
      const row = (isFirst ? one : other).value as HeaderRow;
      if (isFirst) one = serials.next();
      else other = others.next();
      if (inside(row)) yield row;
    }
  }

  *#serialRun(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const ofStream = and(eq(event.stream, stream), isNotNull(event.serial));
    let from = this.#serialAt(stream, low);
    let to: number | undefined = this.#serialAt(stream, high - 1);
    while (true) {
      const range = and(ofStream, gt(event.serial, from), lte(event.serial, to));
      const rows = this.headers(range, order, chunkRows, true);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.serial!;
      else to = last.serial! - 1;
    }
  }

  *#otherRun(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const ofStream = and(eq(event.stream, stream), isNull(event.serial));
    let from = low;
    let to = high;
    while (true) {
      const range = and(ofStream, gt(event.seq, from), lt(event.seq, to));
      const rows = this.headers(range, order, chunkRows);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.seq;
      else to = last.seq;
    }
  }

  /** The greatest serial of a stream among events up to a number; -1 when there is none. */
  #serialAt(stream: number, seq: number): number {
    const { serial } = this.#tables
      .select({ serial: max(event.serial) })
      .from(event)
      .where(eq(event.stream, stream))
      .get()!;
    let low = -1;
    let high = serial ?? -1;
    while (low < high) {
      const middle = low + Math.ceil((high - low) / 2);
      const range = and(eq(event.stream, stream), gte(event.serial, 0), lte(event.serial, middle));
      const [row] = this.headers(range, 'desc', 1, true);
      if (row === undefined || row.seq <= seq) low = middle;
      else high = row.serial! - 1;
    }
    return low;
  }

  /** The number of the last event. */
  #last(): number {
    return (
      this.#tables
        .select({ seq: max(event.seq) })
        .from(event)
        .get()?.seq ?? 0
    );
  }
}
