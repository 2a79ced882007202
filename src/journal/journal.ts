/**
 * The journal: appends events and reads them back in order. Nothing else writes the event tables.
 *
 * `append` adds an event to the chain within the caller's transaction; `flush` packs, hashes and writes what
 * was added, and comes before anything reads the tables and before COMMIT: until then the bytes of records
 * may still be pending, such as signatures. The head of the chain is kept in memory;
 * whoever rolls anything back calls `forget`, so that nothing outlives what is stored.
 */
import { type DomainEvent, isZoneEvent } from '../domain/event.ts';
import type { Connection, Statement } from './database.ts';
import { type DeltaPart, encodeDelta, rangeOfDelta } from './delta.ts';
import { PartQuery } from './delta-row.ts';
import {
  type EventRow,
  encodePayload,
  eventColumns,
  genesisHash,
  type Provenance,
  serialOf,
  streamOf,
  zoneHeaderOf,
} from './event-row.ts';
import { EventWriter, type LooseEvent } from './event-writer.ts';
import { type Head, headQuery, type Position } from './head.ts';

/** An event that is in the chain, whose bytes nobody has looked at yet. */
interface Appended extends Position {
  readonly event: DomainEvent;
  readonly provenance: Provenance;
}

export class Journal {
  readonly #connection: Connection;
  readonly #head: Statement;
  #known: Head | undefined;
  #appended: Appended[] = [];
  readonly #newEvents: EventWriter;
  readonly #parts: PartQuery;
  readonly #page: Statement;
  readonly #standIns: Statement;
  readonly #requests: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#head = connection.prepare(headQuery);
    this.#newEvents = new EventWriter(connection);
    this.#parts = new PartQuery(connection, 'whole', 'WHERE place BETWEEN ? AND ? ORDER BY place');
    this.#page = connection.prepare(
      `SELECT ${eventColumns} FROM event WHERE seq > ? ORDER BY seq LIMIT ?`,
    );
    this.#standIns = connection.prepare(
      `SELECT ${eventColumns} FROM event WHERE serial IS NULL AND payload IS NOT NULL
        AND kind IN ('zone.checkpointed', 'zone.purged') ORDER BY seq`,
    );
    this.#requests = connection
      .prepare('SELECT at, change_source, request_id FROM event ORDER BY seq DESC')
      .raw();
  }

  /** The last event's place, time and hash; the genesis hash before the first. */
  head(): Head {
    this.#encodeAppended();
    return this.#storedHead();
  }

  /** The last event that is stored, read anew: for those who do not append. */
  newest(): Position {
    return (this.#head.get() as Head | undefined) ?? { seq: 0, at: 0 };
  }

  /** The place and time of the last event, which may have been appended and not looked at. */
  last(): Position {
    return this.#appended.at(-1) ?? this.#storedHead();
  }

  #storedHead(): Head {
    this.#known ??= (this.#head.get() as Head | undefined) ?? { seq: 0, at: 0, hash: genesisHash };
    return this.#known;
  }

  /**
   * Appends one event, not before the time of the last, and returns its place. The halves of its
   * delta are in canonical order.
   */
  append(event: DomainEvent, now: number, provenance: Provenance): Position {
    const last = this.last();
    const position = { seq: last.seq + 1, at: Math.max(now, last.at) };
    this.#appended.push({ ...position, event, provenance });
    return position;
  }

  #encodeAppended(): void {
    const appended = this.#appended;
    if (appended.length === 0) return;
    this.#appended = [];
    for (const each of appended) this.#encode(each);
  }

  #encode(appended: Appended): void {
    const { seq, at } = appended;
    const hash = this.#newEvents.add(looseEventOf(appended), this.#storedHead().hash);
    this.#known = { seq, at, hash };
  }

  /** Writes the events that were appended since the last time. */
  flush(): void {
    this.#encodeAppended();
    this.#newEvents.flush();
  }

  /** After a rollback: the head is read again. */
  forget(): void {
    this.#known = undefined;
    this.#appended = [];
    this.#newEvents.forget();
  }

  /** The parts of an event's delta, in order. Throws StoredDamage. */
  parts({ delta }: Pick<EventRow, 'delta'>): DeltaPart[] {
    return this.#parts.all(...rangeOfDelta(delta));
  }

  /** The checkpoints and purges that still have their content, oldest first. */
  standIns(): EventRow[] {
    return this.#standIns.all() as EventRow[];
  }

  /** The requests that events of one source since a time come from, the last first. */
  *requestsSince(source: string, sinceMs: number): Generator<string> {
    const rows = this.#requests.iterate() as IterableIterator<[number, string, string | null]>;
    for (const [at, changeSource, requestId] of rows) {
      if (at < sinceMs) return;
      if (changeSource === source && requestId !== null) yield requestId;
    }
  }

  /** All events of a stream, oldest first. */
  *eventsOf(stream: number): Generator<EventRow> {
    const seqs = this.#connection
      .prepare('SELECT seq FROM event WHERE stream = ? ORDER BY seq')
      .pluck()
      .all(stream) as number[];
    const bySeq = this.#connection.prepare(`SELECT ${eventColumns} FROM event WHERE seq = ?`);
    for (const seq of seqs) {
      const row = bySeq.get(seq) as EventRow | undefined;
      if (row?.stream !== stream) throw new Error(`event ${seq} is damaged too`);
      yield row;
    }
  }

  /** All events after `seq`, oldest first, read a thousand at a time. */
  *events(afterSeq = 0): Generator<EventRow> {
    let last = afterSeq;
    while (true) {
      const rows = this.#page.all(last, 1000) as EventRow[];
      if (rows.length === 0) return;
      yield* rows;
      last = rows.at(-1)!.seq;
    }
  }
}

function looseEventOf({ event, seq, at, provenance }: Appended): LooseEvent {
  const staged = isZoneEvent(event) ? event.staged : undefined;
  return {
    seq,
    stream: streamOf(event),
    serial: serialOf(event),
    kind: event.kind,
    ...zoneHeaderOf(event),
    at,
    ...provenance,
    payload: encodePayload(event),
    staged,
    parts: isZoneEvent(event) && staged === undefined ? encodeDelta(event.delta) : [],
  };
}
