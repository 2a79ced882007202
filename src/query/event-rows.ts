/** Headers of events in order: all of them or those of one zone, between two numbers or times, in chunks. */
import { and, asc, desc, eq, gt, isNotNull, isNull, lt, lte, max, ne, type SQL } from 'drizzle-orm';
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';
import type { Connection } from '../journal/database.ts';
import { type DeltaPart, firstStage, partsPerEvent } from '../journal/delta.ts';
import { payloadOf } from '../journal/event-row.ts';
import { event } from '../journal/schema.ts';
import { given, preparedOnce, type Tables, tablesOf } from '../projection/tables.ts';
import { ZoneEvents, zoneEventColumns } from './zone-events.ts';

/** Rows that are read at a time. */
const chunkRows = 500;

const columns = {
  ...zoneEventColumns,
  stream: event.stream,
  zoneName: event.zoneName,
  hash: event.hash,
  prevHash: event.prevHash,
};
const { payload: _, ...headerColumns } = columns;

export type HeaderRow = NonNullable<ReturnType<ReturnType<typeof preparedIn>['at']['get']>>;

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

const preparedIn = preparedOnce((tables) => {
  const ofSeq = eq(event.seq, given('seq'));
  return {
    at: tables.select(headerColumns).from(event).where(ofSeq).prepare(),
    staged: tables
      .select(headerColumns)
      .from(event)
      .where(and(eq(event.delta, given('delta')), ne(event.delta, event.seq)))
      .prepare(),
    payload: tables.select({ payload: event.payload }).from(event).where(ofSeq).prepare(),
    last: tables
      .select({ seq: max(event.seq) })
      .from(event)
      .prepare(),
  };
});

export class EventRows {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #events: ZoneEvents;
  readonly #prepared: ReturnType<typeof preparedIn>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#tables = tablesOf(connection);
    this.#events = new ZoneEvents(connection);
    this.#prepared = preparedIn(connection);
  }

  /** One by its number. */
  at(seq: number): HeaderRow | undefined {
    return this.#prepared.at.get({ seq });
  }

  /** The one that a part of a delta belongs to; undefined for a part of a stage that was not published. */
  ofPart(part: number): HeaderRow | undefined {
    const delta = Math.floor(part / partsPerEvent);
    return delta < firstStage ? this.at(delta) : this.#prepared.staged.get({ delta });
  }

  /** The number of the newest; 0 when there is none. */
  last(): number {
    return this.#prepared.last.get()?.seq ?? 0;
  }

  /** The number of the last before a time; 0 when there is none. Times never go back: it is found by halves. */
  lastBefore(atMs: number): number {
    let low = 0;
    let high = this.last();
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = this.at(middle);
      if (row !== undefined && row.at < atMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  payload(row: HeaderRow): string | null {
    const payload = this.#prepared.payload.get({ seq: row.seq })?.payload ?? null;
    return payloadOf(this.#connection, { ...row, payload });
  }

  /** The headers within bounds, in order. */
  *within({ after, before, order, since, until, zoneId }: WantedRows): Generator<HeaderRow> {
    const low = Math.max(after ?? 0, since === undefined ? 0 : this.lastBefore(since));
    const high = Math.min(
      before ?? Number.MAX_SAFE_INTEGER,
      until === undefined ? Number.MAX_SAFE_INTEGER : this.lastBefore(until + 1) + 1,
    );
    const bounds = { low, high, order };
    if (zoneId === undefined) yield* this.#bySeq(undefined, bounds);
    else yield* this.#ofStream(zoneId, bounds);
  }

  /** Those that pass, by their number. */
  *#bySeq(where: SQL | undefined, { low, high, order }: Bounds): Generator<HeaderRow> {
    let from = low;
    let to = high;
    while (true) {
      const range = and(where, gt(event.seq, from), lt(event.seq, to));
      const rows = this.#headers(range, order, event.seq);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.seq;
      else to = last.seq;
    }
  }

  /**
   * Events of one stream. Its index has those with a serial by the serial, which grows with the number, and those
   * without by their number: two runs that are merged.
   */
  *#ofStream(stream: number, bounds: Bounds): Generator<HeaderRow> {
    const { low, high, order } = bounds;
    const serials = this.#bySerial(stream, bounds);
    const others = this.#bySeq(and(eq(event.stream, stream), isNull(event.serial)), bounds);
    let one = serials.next();
    let other = others.next();
    while (!one.done || !other.done) {
      const isFirst =
        !one.done && (other.done || one.value.seq < other.value.seq === (order === 'asc'));
      const row = (isFirst ? one : other).value as HeaderRow;
      if (isFirst) one = serials.next();
      else other = others.next();
      if (row.seq > low && row.seq < high) yield row;
    }
  }

  *#bySerial(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    let from = this.#serialAt(stream, low);
    let to = this.#serialAt(stream, high - 1);
    while (true) {
      const serials = and(gt(event.serial, from), lte(event.serial, to));
      const rows = this.#headers(and(eq(event.stream, stream), serials), order, event.serial);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.serial!;
      else to = last.serial! - 1;
    }
  }

  /** The name that the steps of a zone ended with: a purge leaves the heads of its events, and has no name itself. */
  lastNameOf(stream: number): string {
    const named = this.#tables
      .select({ zoneName: event.zoneName })
      .from(event)
      .where(and(eq(event.stream, stream), isNotNull(event.serial), isNotNull(event.zoneName)))
      .orderBy(desc(event.serial))
      .limit(1)
      .get();
    assert(named?.zoneName != null, `zone ${stream} has a step with its name`);
    return named.zoneName;
  }

  /** The greatest serial of a stream among events up to a number; -1 when there is none. */
  #serialAt(stream: number, seq: number): number {
    const isUpTo = (change: { readonly seq: number }) => change.seq <= seq;
    return this.#events.lastPassing(stream, limits.id, isUpTo)?.serial ?? -1;
  }

  /** A chunk of headers, in the order of a column. */
  #headers(
    where: SQL | undefined,
    order: 'asc' | 'desc',
    column: typeof event.seq | typeof event.serial,
  ): HeaderRow[] {
    return this.#tables
      .select(headerColumns)
      .from(event)
      .where(where)
      .orderBy((order === 'asc' ? asc : desc)(column))
      .limit(chunkRows)
      .all();
  }
}

/** Reads the user records of an event that has few. */
interface SmallParts {
  smallParts(event: HeaderRow): readonly DeltaPart[] | undefined;
}

/** An event with what is read of it for all who look at it, once, when the first of them asks. */
export class StoredEvent {
  readonly row: HeaderRow;
  readonly #rows: EventRows;
  readonly #isDeleted: (zoneId: number) => boolean;
  #payload: string | null | undefined;
  #isOfDeletedZone: boolean | undefined;
  #parts: readonly DeltaPart[] | null | undefined;

  constructor(row: HeaderRow, rows: EventRows, isDeleted: (zoneId: number) => boolean) {
    this.row = row;
    this.#rows = rows;
    this.#isDeleted = isDeleted;
  }

  /** Null once retention has deleted it. */
  get payload(): string | null {
    this.#payload ??= this.#rows.payload(this.row);
    return this.#payload;
  }

  /** After it; of one that was purged the last that it had. */
  get zoneName(): string {
    return this.row.zoneName ?? this.#rows.lastNameOf(this.row.stream);
  }

  get isOfDeletedZone(): boolean {
    this.#isOfDeletedZone ??= this.#isDeleted(this.row.stream);
    return this.#isOfDeletedZone;
  }

  /** Its user records; undefined when they are too many to keep. */
  partsFrom(history: SmallParts): readonly DeltaPart[] | undefined {
    this.#parts ??= history.smallParts(this.row) ?? null;
    return this.#parts ?? undefined;
  }
}
