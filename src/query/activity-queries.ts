/** How much changed in a zone over time, for drawings: counted in an index, without reading the events. */
import { changeSource } from '../contract/fields.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { isSigning, recordsAdded, recordsRemoved } from '../journal/schema.ts';

/** Milliseconds since 1970, from the first up to before the second, in spans of equal length. */
export interface ActivityRange {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
}

export interface ActivityBucket {
  readonly at: number;
  /** Serials that changed more than signatures, and those that did not. */
  changes: number;
  signing: number;
  /** Records of users. */
  added: number;
  removed: number;
  /** Serials by where they came from. */
  readonly bySource: Record<string, number>;
}

/** SQLite, with STAT4 as it is built here, plans again for every value that is bound in a comparison. */
const bound = '(? + 0)';

type Counts = readonly [serials: number, added: number | null, removed: number | null];

export class ActivityQueries {
  readonly #counts: Statement;

  constructor(connection: Connection) {
    this.#counts = connection
      .prepare(
        `SELECT count(*), sum(${recordsAdded}), sum(${recordsRemoved}) FROM event INDEXED BY event_activity
         WHERE stream = ${bound} AND change_source = ? AND ${isSigning} = ${bound}
          AND at >= ${bound} AND at < ${bound}`,
      )
      .raw();
  }

  /** One for each span. Costs the serials of the range, 0.1 µs each, and the spans. */
  of(zoneId: number, { from, to, buckets }: ActivityRange): ActivityBucket[] {
    const startOf = (index: number) => from + Math.floor(((to - from) * index) / buckets);
    return Array.from({ length: buckets }, (_, index) =>
      this.#bucket(zoneId, startOf(index), startOf(index + 1)),
    );
  }

  #bucket(zoneId: number, at: number, end: number): ActivityBucket {
    const none = { changes: 0, signing: 0, added: 0, removed: 0 };
    const bucket: ActivityBucket = { at, ...none, bySource: {} };
    for (const source of changeSource.options) {
      for (const signs of [0, 1] as const) {
        const found = this.#counts.get(zoneId, source, signs, at, end) as Counts;
        const [serials, added, removed] = found;
        if (serials === 0) continue;
        bucket[signs === 1 ? 'signing' : 'changes'] += serials;
        bucket.added += added ?? 0;
        bucket.removed += removed ?? 0;
        bucket.bySource[source] = (bucket.bySource[source] ?? 0) + serials;
      }
    }
    return bucket;
  }
}
