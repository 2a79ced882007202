/** The job of net changes (net-changes.ts): finds spans that are due, and makes their parts. It writes nothing. */
import type { Parts } from '../../base/jobs.ts';
import { packed } from '../../base/message-bytes.ts';
import type { Connection, Statement } from '../../journal/database.ts';
import { endReading, openReader } from '../../journal/reader-connection.ts';
import type { EventCounts, NetChangePart, SerialSpan } from '../../projection/net-change-store.ts';
import { EventCounter } from '../../query/event-counter.ts';
import { partsOfNetChange } from '../../query/net-change.ts';
import { VersionChanges } from '../../query/version-changes.ts';

/** A span is made when one serial of this number was a change. */
const serialsPerChange = 64;

export interface DueSpan {
  readonly zoneId: number;
  /** Serials of a span of each length, least first. */
  readonly lengths: readonly number[];
}

export interface CountedSpan {
  readonly span: SerialSpan;
  readonly counts: EventCounts;
}

export interface WantedSpan {
  readonly zoneId: number;
  readonly span: SerialSpan;
}

export class NetChangesJob {
  readonly #connection: Connection;
  readonly #changes: VersionChanges;
  readonly #zones: Statement;
  readonly #serial: Statement;
  readonly #retained: Statement;
  readonly #made: Statement;
  readonly #next: Statement;
  readonly #counter: EventCounter;

  constructor(file: string) {
    const connection = openReader(file);
    this.#connection = connection;
    this.#changes = new VersionChanges(connection);
    this.#zones = connection
      .prepare(
        `SELECT stream FROM event JOIN zone ON zone.id = stream WHERE event.serial IS NOT NULL
         GROUP BY stream HAVING count(*) >= ?`,
      )
      .pluck();
    this.#serial = connection.prepare('SELECT serial FROM zone WHERE id = ?').pluck();
    this.#retained = connection
      .prepare(
        `SELECT coalesce(
          (SELECT max(serial) FROM event
           WHERE stream = ($zoneId + 0) AND payload IS NULL AND kind <> 'zone.signed'),
          (SELECT min(serial) FROM event WHERE stream = ($zoneId + 0)), 0)`,
      )
      .pluck();
    this.#made = connection
      .prepare(
        `SELECT max(to_serial) FROM net_change
         WHERE zone_id = (? + 0) AND to_serial - from_serial = (? + 0)`,
      )
      .pluck();
    this.#next = connection
      .prepare('SELECT min(serial) FROM event WHERE stream = (? + 0) AND serial > (? + 0)')
      .pluck();
    this.#counter = new EventCounter(connection);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  /** Zones with enough changes for a span of this length. */
  zones(length: number): number[] {
    return this.#zones.all(Math.ceil(length / serialsPerChange)) as number[];
  }

  /** The next span of a zone, shorter ones first; undefined when all are made. */
  due({ zoneId, lengths }: DueSpan): CountedSpan | undefined {
    const serial = this.#serial.get(zoneId) as number | undefined;
    if (serial === undefined) return undefined;
    const retained = this.#retained.get({ zoneId }) as number;
    for (const length of lengths) {
      const found = this.#dueOf(zoneId, length, retained, serial);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #dueOf(
    zoneId: number,
    length: number,
    retained: number,
    serial: number,
  ): CountedSpan | undefined {
    const made = (this.#made.get(zoneId, length) as number | null) ?? 0;
    let at = Math.max(made, Math.ceil(retained / length) * length);
    while (true) {
      const next = this.#next.get(zoneId, at) as number | null;
      if (next === null) return undefined;
      const from = Math.floor((next - 1) / length) * length;
      const to = from + length;
      if (to > serial) return undefined;
      const counts = this.#counter.between(zoneId, from, to);
      if (counts.events * serialsPerChange >= length) return { span: { from, to }, counts };
      at = to;
    }
  }

  /** Its parts, one at a time; none where it is not to be made any more. */
  async make({ zoneId, span }: WantedSpan, parts: Parts<NetChangePart>): Promise<void> {
    this.#connection.exec('BEGIN');
    try {
      if (!this.#changes.areRetained(zoneId, span.from)) return;
      for (const part of partsOfNetChange(this.#changes, zoneId, span))
        await parts.send(packed({ ...part }));
    } finally {
      endReading(this.#connection);
    }
  }
}
