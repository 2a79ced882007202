/**
 * Counts the events that led to serials of a zone. Net changes (projection/net-change-store.ts) say how many there are
 * in their spans, so that a million are counted by a dozen rows and two ends, which are read in indexes alone.
 */
import type { Connection, Statement } from '../journal/database.ts';
import { type EventCounts, NetChangeQueries } from '../projection/net-change-store.ts';

const ofSpan =
  'FROM event WHERE stream = ($zoneId + 0) AND serial > ($from + 0) AND serial <= ($to + 0)';

export class EventCounter {
  readonly #nets: NetChangeQueries;
  readonly #counts: Statement;

  constructor(connection: Connection) {
    this.#nets = new NetChangeQueries(connection);
    const signing = (payload: string) =>
      `(SELECT count(*) ${ofSpan} AND kind = 'zone.signed' AND payload ${payload})`;
    // There is an index for those that have their payload and one for those that do not.
    this.#counts = connection.prepare(
      `SELECT (SELECT count(*) ${ofSpan}) AS events,
        ${signing('IS NOT NULL')} + ${signing('IS NULL')} AS signing`,
    );
  }

  /** After one serial, up to another. */
  between(zoneId: number, after: number, upTo: number): EventCounts {
    let events = 0;
    let signing = 0;
    for (const { from, to, net } of this.#nets.spans(zoneId, after, upTo)) {
      const counts = net ?? (this.#counts.get({ zoneId, from, to }) as EventCounts);
      events += counts.events;
      signing += counts.signing;
    }
    return { events, signing };
  }
}
