/**
 * The steps of a zone between two of its serials: what each removed and added of user records, or of
 * derived ones, oldest first, as the journal has it in packed form.
 */
import type { Connection, Statement } from '../journal/database.ts';
import { placesPerEvent, removedHalf } from '../journal/delta.ts';
import { identityOctets } from '../journal/identity.ts';
import type { Layer } from './record-cursor.ts';
import { signerKind } from './version-row.ts';

/** Consecutive records of one half of a step, in canonical order. Removed ones come first. */
export interface StepPart {
  readonly change: 'removed' | 'added';
  readonly records: Buffer;
  /** Empty for derived records, which have none. */
  readonly ids: Buffer;
}

/** Parts read at a time: at most some 10 MB, and a few KB where steps are small. */
const partsPerRead = 128;

/** The places of an event's parts: a join with it walks over them in order. */
export const placesOfEvent = `place BETWEEN event.delta * ${placesPerEvent}
  AND event.delta * ${placesPerEvent} + ${placesPerEvent - 1}`;

/** Parts joined by SQLite: as rows, small ones would cost more to hand over than to read. */
interface JoinedParts {
  /** serial * 65536 + part, of the last one; null when there is none. */
  readonly last: number | null;
  /** Numbers separated by spaces: for each part its records, negative when they were removed. */
  readonly counts: string;
  /** And the octets of those. */
  readonly lengths: string;
  readonly records: Buffer;
  /** Null where no part has any. */
  readonly ids: Buffer | null;
}

const noIds = Buffer.alloc(0);

/**
 * SQLite, with STAT4 as it is built here, plans a statement anew whenever a value bound to a comparison
 * changes: 100 µs for these. It does not look into expressions.
 */
const bound = '(? + 0)';

function joined(condition: string, layer: Layer): string {
  return `SELECT max(serial * ${placesPerEvent} + place % ${placesPerEvent}) AS last,
      group_concat(iif(change = ${removedHalf}, -count, count), ' ') AS counts,
      group_concat(length(records), ' ') AS lengths,
      CAST(group_concat(records, '') AS BLOB) AS records,
      CAST(group_concat(ids, '') AS BLOB) AS ids
    FROM (SELECT serial, place, change, count, records, ids
      FROM event CROSS JOIN event_delta ON ${placesOfEvent}
      WHERE stream = ${bound} AND ${condition} AND layer = ${layer === 'user' ? 0 : 1}
       ORDER BY serial LIMIT ${partsPerRead})`;
}

export class VersionSteps {
  readonly #parts: Statement;
  readonly #rest: Statement;
  readonly #gap: Statement;

  constructor(connection: Connection, layer: Layer = 'user') {
    this.#parts = connection.prepare(joined(`serial > ${bound} AND serial <= ${bound}`, layer));
    this.#rest = connection.prepare(
      joined(`serial = ${bound} AND place > event.delta * ${placesPerEvent} + ?`, layer),
    );
    this.#gap = connection.prepare(
      `SELECT 1 FROM event
       WHERE stream = ? AND serial > ? AND payload IS NULL
        ${layer === 'user' ? `AND kind <> '${signerKind}'` : ''} LIMIT 1`,
    );
  }

  /** False when the journal has let go of a step since a serial that changed records of the layer. */
  areTold(zoneId: number, afterSerial: number): boolean {
    return this.#gap.get(zoneId, afterSerial) === undefined;
  }

  /** Of the steps after one serial up to another. */
  *parts(zoneId: number, afterSerial: number, upToSerial: number): Generator<StepPart> {
    let last = afterSerial;
    while (true) {
      const joined = this.#parts.get(zoneId, last, upToSerial) as JoinedParts;
      yield* partsOf(joined);
      if (joined.last === null) return;
      last = Math.floor(joined.last / placesPerEvent);
      yield* this.#restOf(zoneId, last, joined.last % placesPerEvent);
    }
  }

  /** What a step has after one of its parts. */
  *#restOf(zoneId: number, serial: number, part: number): Generator<StepPart> {
    let last = part;
    while (true) {
      const joined = this.#rest.get(zoneId, serial, last) as JoinedParts;
      if (joined.last === null) return;
      yield* partsOf(joined);
      last = joined.last % placesPerEvent;
    }
  }
}

function* partsOf({ last, counts, lengths, records, ids }: JoinedParts): Generator<StepPart> {
  if (last === null) return;
  const octets = lengths.split(' ');
  let recordsAt = 0;
  let idsAt = 0;
  for (const [index, count] of counts.split(' ').entries()) {
    const recordsEnd = recordsAt + Number(octets[index]);
    const idsEnd = idsAt + Math.abs(Number(count)) * identityOctets;
    yield {
      change: Number(count) < 0 ? 'removed' : 'added',
      records: records.subarray(recordsAt, recordsEnd),
      ids: (ids ?? noIds).subarray(idsAt, idsEnd),
    };
    recordsAt = recordsEnd;
    idsAt = idsEnd;
  }
}
