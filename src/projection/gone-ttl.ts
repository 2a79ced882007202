/**
 * The largest TTL that caches may still hold of what a zone served lately and serves no more, and the
 * largest refresh that secondaries may still go by: what was lowered before a zone is signed shortens no
 * wait. Nobody keeps books on a zone that is not signed, so its journal is looked at.
 */
import { unpackRecords } from '../dns/record.ts';
import type { Connection } from '../journal/database.ts';
import { placeOf, removedHalf } from '../journal/delta.ts';
import { PartQuery } from '../journal/delta-row.ts';

/** Seconds that are looked back: caches keep nothing longer than a week (RFC 8767 4). */
const lookedBack = 7 * 86_400;
/** Seconds that a secondary may have served it after us. */
const slack = 86_400;

interface Step {
  readonly delta: number;
  readonly at: number;
  /** Null where the step did not change it. */
  readonly defaultTtl: number | null;
  readonly refresh: number | null;
}

/** In seconds; 0 when nothing of the kind is held. */
export interface Gone {
  readonly ttl: number;
  readonly refresh: number;
}

/** `now` is in seconds since 1970. */
export function largestGone(connection: Connection, zoneId: number, now: number): Gone {
  const steps = connection.prepare(
    `SELECT delta, at, payload ->> '$.before.defaultTtl' AS defaultTtl,
       payload ->> '$.before.refresh' AS refresh FROM event
     WHERE stream = ? AND serial IS NOT NULL ORDER BY serial DESC`,
  );
  const parts = new PartQuery(
    connection,
    'packed',
    `WHERE place BETWEEN ? AND ? AND change = ${removedHalf} AND layer = 0`,
  );
  let largest = 0;
  let largestRefresh = 0;
  for (const { delta, at, defaultTtl, refresh } of steps.iterate(zoneId) as Iterable<Step>) {
    const goneAt = at / 1000;
    if (goneAt + lookedBack < now) break;
    const note = (ttl: number) => {
      if (ttl > largest && goneAt + ttl + slack > now) largest = ttl;
    };
    if (defaultTtl !== null) note(defaultTtl);
    if (refresh !== null && goneAt + refresh > now) {
      largestRefresh = Math.max(largestRefresh, refresh);
    }
    for (const { records } of parts.iterate(placeOf(delta, 0), placeOf(delta + 1, -1))) {
      for (const { ttl } of unpackRecords(records)) note(ttl);
    }
  }
  return { ttl: largest, refresh: largestRefresh };
}
