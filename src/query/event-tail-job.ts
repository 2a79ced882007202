/**
 * The job that reads events for all who follow them (event-tail.ts). Who is far behind gets pages of its own, as
 * every list of events is read. The latest events are read once, and each follower takes of them what it may see;
 * those of the same rights and filter take the same.
 */
import { monotonicMs } from '../base/clock.ts';
import { failureOf, type ThreadFailure } from '../base/storage-problem.ts';
import { Rights, type RightsMessage } from '../domain/access/rights.ts';
import { inOneState, openReader } from '../journal/reader-connection.ts';
import type { Connection } from '../journal/sqlite.ts';
import { EventQueries } from './event-queries.ts';
import type { EventFilter, EventReader } from './event-reader.ts';
import type { StoredEvent, WantedRows } from './event-rows.ts';
import { eventText } from './event-writer.ts';

/** How many of the latest events are read for all. */
const latestEvents = 100;
/** What one page of a follower that is further behind has, and looks at. */
const page = { limit: 100, lookedAt: 5000 };
/** Milliseconds of one round: followers that it does not come to are the first of the next. */
const roundMs = 50;

export interface FollowFilter extends EventFilter {
  /** Only events with a lesser number. */
  readonly before?: number | undefined;
}

export interface Follower {
  readonly id: number;
  readonly rights: RightsMessage;
  readonly filter: FollowFilter;
}

/** Up to which number a follower has seen the journal. */
export interface Position {
  readonly id: number;
  readonly after: number;
}

/** An event as a follower may see it. */
export type EventLine = readonly [seq: number, json: string];

export interface Advance extends Position {
  readonly lines: readonly EventLine[];
  /** There was nothing further when it was read. */
  readonly isAtEnd: boolean;
  /** Why there is no more for this follower. */
  readonly failure?: ThreadFailure | undefined;
}

/** What followers of the same rights and filter share. */
interface View {
  readonly key: string;
  readonly reader: EventReader;
  readonly before: number;
}

export class EventTailJob {
  readonly #connection: Connection;
  readonly #events: EventQueries;
  readonly #followers = new Map<number, View>();

  constructor(file: string) {
    this.#connection = openReader(file);
    this.#events = new EventQueries(this.#connection);
  }

  /** Who follows what from now on, and by which rights. */
  watch({ id, rights, filter: { before = Number.MAX_SAFE_INTEGER, ...filter } }: Follower): void {
    const key = JSON.stringify([rights, filter, before], (_, value) =>
      value instanceof Set ? [...value] : value,
    );
    const known = this.#followers.values().find((view) => view.key === key);
    const view = { key, reader: this.#events.reader(Rights.of(rights), filter), before };
    this.#followers.set(id, known ?? view);
  }

  forget(id: number): void {
    this.#followers.delete(id);
  }

  /** What comes next for each of some followers, as far as one round gets; all of one state. */
  advance(positions: readonly Position[]): Advance[] {
    return inOneState(this.#connection, () => this.#round(positions));
  }

  #round(positions: readonly Position[]): Advance[] {
    const untilMs = monotonicMs() + roundMs;
    const last = this.#events.rows.last();
    const isNear = ({ after }: Position) => last - after <= latestEvents;
    const first = Math.min(...positions.filter(isNear).map(({ after }) => after));
    const latest = Number.isFinite(first) ? this.#latest(first, last) : undefined;
    const advances: Advance[] = [];
    const made = new Map<View, Map<number, Next>>();
    const nextOf = (view: View, at: Position): Next => {
      const shared = isNear(at) ? latest : undefined;
      return nextIn(view, at, shared ?? this.#ownOf(view, at.after, last));
    };
    for (const position of positions) {
      if (advances.length > 0 && monotonicMs() > untilMs) break;
      const { id, after: from } = position;
      const view = this.#followers.get(id);
      if (view === undefined) continue;
      const ofView = made.get(view) ?? new Map<number, Next>();
      const next = ofView.get(from) ?? nextOf(view, position);
      made.set(view, ofView.set(from, next));
      const { lines, after = last, failure } = next;
      advances.push({ id, lines, after, isAtEnd: after === last, failure });
    }
    return advances;
  }

  /** For all who are near; undefined where one of them can not be read, so that each reads its own. */
  #latest(after: number, last: number): StoredEvent[] | undefined {
    try {
      return [...this.#within({ after, before: last + 1 })];
    } catch {
      return undefined;
    }
  }

  /** What one follower looks at; up to the last even where SQLite has ended the transaction at a read that failed. */
  #ownOf({ reader, before }: View, after: number, last: number): Generator<StoredEvent> {
    return this.#within({ ...reader.filter, after, before: Math.min(before, last + 1) });
  }

  *#within(wanted: Omit<WantedRows, 'order'>): Generator<StoredEvent> {
    for (const row of this.#events.rows.within({ ...wanted, order: 'asc' })) {
      yield this.#events.stored(row);
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

interface Next extends Pick<Advance, 'lines' | 'failure'> {
  /** Where it goes on; at the end when left out. */
  readonly after?: number;
}

function nextIn(
  { reader, before }: View,
  { after }: Position,
  events: Iterable<StoredEvent>,
): Next {
  const lines: EventLine[] = [];
  let looked = 0;
  let seenTo = after;
  try {
    for (const event of events) {
      const { seq } = event.row;
      if (seq <= after || seq >= before) continue;
      if (lines.length === page.limit || looked === page.lookedAt) return { lines, after: seenTo };
      looked++;
      const seen = reader.see(event);
      if (seen !== undefined) lines.push([seq, eventText(seen)]);
      seenTo = seq;
    }
    return { lines };
  } catch (error) {
    // One that is damaged ends the streams that come to it, and no others; what stands before it is given first.
    if (lines.length > 0) return { lines, after: seenTo };
    return { lines, after, failure: failureOf(error) };
  }
}
