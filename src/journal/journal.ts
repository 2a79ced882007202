/**
 * The journal: appends events and reads them back in order. Nothing else writes the event tables.
 *
 * `append` adds an event to the chain within the caller's transaction; `flush` packs, hashes and writes what
 * was added, and comes before anything reads the tables and before COMMIT: until then the octets of records
 * may still be on their way, such as signatures. The head of the chain is kept in memory;
 * whoever rolls anything back calls `forget`, so that nothing outlives what is stored.
 */
import { type DomainEvent, isZoneEvent } from '../domain/event.ts';
import type { Connection, Statement } from './database.ts';
import { type DeltaPart, encodeDelta, placeOf, placesPerEvent } from './delta.ts';
import {
  digestOfContent,
  digestOfStaged,
  type EventRow,
  encodePayload,
  eventColumns,
  genesisHash,
  hashOfEvent,
  type Provenance,
  serialOf,
  streamOf,
  zoneHeaderOf,
} from './event-row.ts';
import { RowWriter } from './row-writer.ts';

/** The place and time of an event. */
export interface Place {
  readonly seq: number;
  readonly at: number;
}

export interface Head extends Place {
  readonly hash: Buffer;
}

/** An event that is in the chain, whose octets nobody has looked at yet. */
interface Appended extends Place {
  readonly event: DomainEvent;
  readonly provenance: Provenance;
}

export class Journal {
  readonly #head: Statement;
  #known: Head | undefined;
  #appended: Appended[] = [];
  readonly #newEvents: RowWriter;
  readonly #newParts: RowWriter;
  readonly #parts: Statement;
  readonly #page: Statement;
  readonly #standIns: Statement;
  readonly #requests: Statement;

  constructor(connection: Connection) {
    this.#head = connection.prepare('SELECT seq, at, hash FROM event ORDER BY seq DESC LIMIT 1');
    this.#newEvents = new RowWriter(
      connection,
      `event (seq, stream, serial, kind, zone_name, zone_enabled, at, change_source, actor_kind,
        actor_name, request_id, payload, delta, content_digest, prev_hash, hash)`,
      16,
    );
    this.#newParts = new RowWriter(
      connection,
      'event_delta (place, change, layer, count, records, ids)',
      6,
    );
    this.#parts = connection.prepare(
      `SELECT place % ${placesPerEvent} AS part, change, layer, count, records, ids
       FROM event_delta WHERE place BETWEEN ? AND ? ORDER BY place`,
    );
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
    return this.#written();
  }

  /** The place and time of the last event, which may have been appended and not looked at. */
  last(): Place {
    return this.#appended.at(-1) ?? this.#written();
  }

  #written(): Head {
    this.#known ??= (this.#head.get() as Head | undefined) ?? { seq: 0, at: 0, hash: genesisHash };
    return this.#known;
  }

  /**
   * Appends one event, not before the time of the last, and returns its place. The halves of its
   * delta are in canonical order.
   */
  append(event: DomainEvent, now: number, provenance: Provenance): Place {
    const last = this.last();
    const place = { seq: last.seq + 1, at: Math.max(now, last.at) };
    this.#appended.push({ ...place, event, provenance });
    return place;
  }

  #encodeAppended(): void {
    const appended = this.#appended;
    if (appended.length === 0) return;
    this.#appended = [];
    for (const each of appended) this.#encode(each);
  }

  #encode({ event, seq, at, provenance }: Appended): void {
    const head = this.#written();
    const payload = encodePayload(event);
    const staged = isZoneEvent(event) ? event.staged : undefined;
    const parts = isZoneEvent(event) && staged === undefined ? encodeDelta(event.delta) : [];
    const header = {
      seq,
      stream: streamOf(event),
      serial: serialOf(event),
      kind: event.kind,
      ...zoneHeaderOf(event),
      at,
      ...provenance,
      contentDigest:
        staged === undefined
          ? digestOfContent(payload, parts)
          : digestOfStaged(payload, staged.partCount, staged.partsDigest),
      prevHash: head.hash,
    };
    const hash = hashOfEvent(header);
    this.#newEvents.add(
      header.seq,
      header.stream,
      header.serial,
      header.kind,
      header.zoneName,
      header.zoneEnabled,
      header.at,
      header.changeSource,
      header.actorKind,
      header.actorName,
      header.requestId,
      payload,
      staged?.number ?? header.seq,
      header.contentDigest,
      header.prevHash,
      hash,
    );
    for (const { part, change, layer, count, records, ids } of parts) {
      this.#newParts.add(placeOf(header.seq, part), change, layer, count, records, ids);
    }
    this.#known = { seq, at, hash };
  }

  /** Writes the events that were appended since the last time. */
  flush(): void {
    this.#encodeAppended();
    this.#newEvents.flush();
    this.#newParts.flush();
  }

  /** After a rollback: the head is read again. */
  forget(): void {
    this.#known = undefined;
    this.#appended = [];
    this.#newEvents.forget();
    this.#newParts.forget();
  }

  /** The parts of an event's delta, in order. */
  parts({ delta }: Pick<EventRow, 'delta'>): DeltaPart[] {
    return this.#parts.all(placeOf(delta, 0), placeOf(delta + 1, -1)) as DeltaPart[];
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
