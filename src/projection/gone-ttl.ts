/**
 * The largest TTL that caches may still hold of what a zone served lately and serves no more: a TTL that
 * was lowered before a zone is signed shortens no wait. Nobody keeps books on a zone that is not signed,
 * so its journal is looked at.
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
}

/** `now` is in seconds since 1970; 0 when nothing of the kind is held. */
export function largestGoneTtl(connection: Connection, zoneId: number, now: number): number {
  const steps = connection.prepare(
    `SELECT delta, at, payload ->> '$.before.defaultTtl' AS defaultTtl FROM event
     WHERE stream = ? AND serial IS NOT NULL ORDER BY serial DESC`,
  );
  const parts = new PartQuery(
    connection,
    'packed',
    `WHERE place BETWEEN ? AND ? AND change = ${removedHalf} AND layer = 0`,
  );
  let largest = 0;
  for (const { delta, at, defaultTtl } of steps.iterate(zoneId) as Iterable<Step>) {
    const goneAt = at / 1000;
    if (goneAt + lookedBack < now) break;
    const note = (ttl: number) => {
      if (ttl > largest && goneAt + ttl + slack > now) largest = ttl;
    };
    if (defaultTtl !== null) note(defaultTtl);
    for (const { records } of parts.iterate(placeOf(delta, 0), placeOf(delta + 1, -1))) {
      for (const { ttl } of unpackRecords(records)) note(ttl);
    }
  }
  return largest;
}
