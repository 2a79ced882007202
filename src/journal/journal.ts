/**
 * The journal: appends events and reads them back in order. Nothing else writes the event tables.
 *
 * `append` runs inside the caller's transaction. The head of the chain is kept in memory; whoever rolls
 * anything back calls `forgetHead`, so that a kept one never outlives what is stored.
 */
import type { DomainEvent } from '../domain/event.ts';
import type { Connection, Statement } from './database.ts';
import { type DeltaPart, encodeDelta, placeOf, placesPerEvent } from './delta.ts';
import {
  digestOfParts,
  type EventRow,
  eventColumns,
  encodePayload,
  genesisHash,
  hashOfEvent,
  type Provenance,
  serialOf,
  sha256,
  streamOf,
} from './event-row.ts';
import { isZoneEvent } from '../domain/event.ts';

export interface Head {
  readonly seq: number;
  readonly at: number;
  readonly hash: Buffer;
}

export class Journal {
  readonly #head: Statement;
  #known: Head | undefined;
  readonly #insertEvent: Statement;
  readonly #insertPart: Statement;
  readonly #parts: Statement;
  readonly #page: Statement;

  constructor(connection: Connection) {
    this.#head = connection.prepare('SELECT seq, at, hash FROM event ORDER BY seq DESC LIMIT 1');
    this.#insertEvent = connection.prepare(
      `INSERT INTO event (seq, stream, serial, kind, at, change_source, actor_kind, actor_name,
        request_id, payload, payload_digest, delta_digest, prev_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertPart = connection.prepare(
      `INSERT INTO event_delta (place, change, layer, count, records, ids)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#parts = connection.prepare(
      `SELECT place % ${placesPerEvent} AS part, change, layer, count, records, ids
       FROM event_delta WHERE place BETWEEN ? AND ? ORDER BY place`,
    );
    this.#page = connection.prepare(
      `SELECT ${eventColumns} FROM event WHERE seq > ? ORDER BY seq LIMIT ?`,
    );
  }

  /** The last event's place, time and hash; the genesis hash before the first. */
  head(): Head {
    this.#known ??= (this.#head.get() as Head | undefined) ?? { seq: 0, at: 0, hash: genesisHash };
    return this.#known;
  }

  /**
   * Appends one event, not before the time of the last. The halves of its delta are in canonical
   * order.
   */
  append(event: DomainEvent, now: number, provenance: Provenance): EventRow {
    const head = this.head();
    const payload = encodePayload(event);
    const parts = isZoneEvent(event) ? encodeDelta(event.delta) : [];
    const header = {
      seq: head.seq + 1,
      stream: streamOf(event),
      serial: serialOf(event),
      kind: event.kind,
      at: Math.max(now, head.at),
      ...provenance,
      payloadDigest: sha256(payload),
      deltaDigest: digestOfParts(parts),
      prevHash: head.hash,
    };
    const row: EventRow = { ...header, payload, hash: hashOfEvent(header) };
    this.#insertEvent.run(
      row.seq,
      row.stream,
      row.serial,
      row.kind,
      row.at,
      row.changeSource,
      row.actorKind,
      row.actorName,
      row.requestId,
      row.payload,
      row.payloadDigest,
      row.deltaDigest,
      row.prevHash,
      row.hash,
    );
    for (const part of parts) {
      this.#insertPart.run(
        placeOf(row.seq, part.part),
        part.change,
        part.layer,
        part.count,
        part.records,
        part.ids,
      );
    }
    this.#known = { seq: row.seq, at: row.at, hash: row.hash };
    return row;
  }

  /** After a rollback, of a savepoint or of all: the head is read again. */
  forgetHead(): void {
    this.#known = undefined;
  }

  /** The parts of an event's delta, in order. */
  parts(seq: number): DeltaPart[] {
    return this.#parts.all(placeOf(seq, 0), placeOf(seq + 1, -1)) as DeltaPart[];
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
