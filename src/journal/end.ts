/**
 * Whether the journal ends where it ought to. Events cut off at the end leave a chain that is whole; but others know
 * of them: indexes of the table, parts of deltas, the rows of zones, and the epoch file beside the database.
 */
import { firstStage, partsPerEvent } from './delta.ts';
import { type VerifyResult, verifyResult } from './verify-result.ts';
import type { Connection } from './sqlite.ts';

/** Zones that a finding names. */
const zonesNamed = 100;

/** Where the last part of an event stands that was not staged. */
const lastPart = `SELECT max(place) FROM event_delta WHERE place < ${firstStage * partsPerEvent}`;

interface Ahead {
  readonly name: string;
  readonly serial: number;
  readonly journalled: number | null;
}

/**
 * The finding of events that are missing at the end, if there are any. `served`: the greatest sequence number that
 * was served, as the epoch file has it; it is read before the state that is looked at.
 */
export function findMissingAtEnd(
  connection: Connection,
  served: number | undefined,
): VerifyResult | undefined {
  const number = (sql: string) => (connection.prepare(sql).pluck().get() as number | null) ?? 0;
  const last = number('SELECT seq FROM event NOT INDEXED ORDER BY seq DESC LIMIT 1');
  const known = [
    served ?? 0,
    // Each entry of an index ends with the key of its row, which may be there no more.
    number('SELECT max(+seq) FROM event INDEXED BY event_stream_serial WHERE stream >= 0'),
    Math.floor(number(lastPart) / partsPerEvent),
  ];
  const greatest = Math.max(...known);
  const zones = connection
    .prepare(
      `SELECT name, serial, (SELECT max(serial) FROM event WHERE stream = zone.id) AS journalled
       FROM zone WHERE serial > coalesce(journalled, -1) ORDER BY id LIMIT ${zonesNamed}`,
    )
    .all() as Ahead[];
  if (greatest <= last && zones.length === 0) return undefined;
  const [zone] = zones;
  const signs = [
    ...(greatest > last ? [`events up to ${greatest} were written`] : []),
    ...(zone === undefined
      ? []
      : [`zone '${zone.name}' is at serial ${zone.serial}, its events end at ${zone.journalled}`]),
  ];
  return verifyResult(
    'EVENTS_MISSING_AT_END',
    `and those after it are missing: the journal ends at event ${last}, but ${signs.join('; ')}`,
    {
      seq: last + 1,
      to_seq: greatest > last ? greatest : null,
      zones: zones.map(({ name }) => name),
    },
  );
}
