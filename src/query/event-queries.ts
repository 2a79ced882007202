/**
 * Events of the journal, page by page, each as far as the grants of a caller reach (event-reader.ts).
 *
 * A page looks at `eventsLookedAt` events at most. Where a filter passes few of them the page is short, and the next
 * one goes on where it ended, so that no page costs more than its share however long the journal is.
 */
import type { Rights } from '../domain/access/rights.ts';
import type { Connection } from '../journal/database.ts';
import { type EventFilter, EventReader, type SeenEvent } from './event-reader.ts';
import { EventRows, type HeaderRow, StoredEvent, type WantedRows } from './event-rows.ts';
import { HistoryQueries } from './history-queries.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Events of which the headers are looked at for one page. */
const eventsLookedAt = 100_000;

export interface EventPage extends Pick<WantedRows, 'after' | 'before' | 'order'> {
  readonly limit: number;
}

export interface SeenEvents {
  readonly items: readonly SeenEvent[];
  /** Where the next page goes on, after it or before it by the order; null when there is nothing further. */
  readonly next: number | null;
}

export class EventQueries {
  readonly rows: EventRows;
  readonly #zones: ZoneQueries;
  readonly #history: HistoryQueries;

  constructor(connection: Connection, history = new HistoryQueries(connection)) {
    this.#history = history;
    this.rows = new EventRows(connection);
    this.#zones = new ZoneQueries(connection);
  }

  page(reader: EventReader, { limit, ...page }: EventPage): SeenEvents {
    const items: SeenEvent[] = [];
    let last: number | null = null;
    let seen = 0;
    for (const row of this.rows.within({ ...reader.filter, ...page })) {
      if (items.length === limit || seen === eventsLookedAt) return { items, next: last };
      seen++;
      last = row.seq;
      const event = reader.see(this.stored(row));
      if (event !== undefined) items.push(event);
    }
    return { items, next: null };
  }

  /** One event; undefined when there is none, or none that the caller may see. */
  get(rights: Rights, seq: number): SeenEvent | undefined {
    const row = this.rows.at(seq);
    return row && this.reader(rights, {}).see(this.stored(row));
  }

  /** What one caller sees of events that pass a filter. */
  reader(rights: Rights, filter: EventFilter): EventReader {
    return new EventReader(this.#history, rights, filter);
  }

  /** An event for readers to look at, by the state of now. */
  stored(row: HeaderRow): StoredEvent {
    return new StoredEvent(row, this.rows, (id) => this.#zones.byId(id) === undefined);
  }
}
