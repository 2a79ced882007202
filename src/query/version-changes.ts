/**
 * The steps of a zone between two of its serials: what each removed and added of user records, or of
 * DNSSEC records, oldest first, as the journal has it in packed form. A net change (projection/net-change-store.ts)
 * stands for all of its steps: of what they did to a record, the first counts.
 */
import type { Connection, Statement } from '../journal/database.ts';
import { partsPerEvent } from '../journal/delta.ts';
import { changeName, JoinedPartQuery, type JoinedParts, PartCheck } from '../journal/delta-row.ts';
import { identityBytes } from '../journal/identity.ts';
import {
  NetChangeQueries,
  type PassedSpan,
  type SerialSpan,
  type WantsOwners,
} from '../projection/net-change-store.ts';
import type { Layer } from './record-cursor.ts';
import { signerKind } from './zone-events.ts';

/** Consecutive records of one half of a step, in canonical order. Removed ones come first. */
export interface ChangePart {
  readonly change: 'removed' | 'added';
  readonly records: Buffer;
  /** Empty for DNSSEC records, which have none. */
  readonly ids: Buffer;
}

/** Parts read at a time: at most some 10 MB, and a few KB where steps are small. */
const partsPerRead = 128;

/** The places of an event's parts: a join with it walks over them in order. */
export const partsOfEvent = `place BETWEEN event.delta * ${partsPerEvent}
  AND event.delta * ${partsPerEvent} + ${partsPerEvent - 1}`;

const noIds = Buffer.alloc(0);

/**
 * SQLite, with STAT4 as it is built here, plans a statement anew whenever a value bound to a comparison
 * changes: 100 µs for these. It does not look into expressions.
 */
const bound = '(? + 0)';

/** Which changes are looked at. */
export interface LookedAt {
  readonly layer?: Layer;
  /** Only those of who has this name: a token, a TSIG key or a user of the host. All when left out. */
  readonly actor?: string | undefined;
}

function joined(connection: Connection, condition: string, layer: Layer): JoinedPartQuery {
  return new JoinedPartQuery(
    connection,
    `event CROSS JOIN event_delta ON ${partsOfEvent}`,
    `WHERE stream = ${bound} AND ${condition} AND layer = ${layer === 'user' ? 0 : 1}
     ORDER BY serial LIMIT ${partsPerRead}`,
  );
}

export class VersionChanges {
  readonly #parts: JoinedPartQuery;
  readonly #rest: JoinedPartQuery;
  readonly #gap: Statement;
  readonly #partCheck: PartCheck;
  /** There are none of DNSSEC records, and of the changes of one actor alone. */
  readonly #nets: NetChangeQueries | undefined;
  readonly #actor: readonly string[];

  constructor(connection: Connection, { layer = 'user', actor }: LookedAt = {}) {
    this.#actor = actor === undefined ? [] : [actor];
    const own = actor === undefined ? '' : 'AND actor_name = ?';
    this.#parts = joined(connection, `serial > ${bound} AND serial <= ${bound} ${own}`, layer);
    this.#partCheck = new PartCheck(connection);
    const hasNets = layer === 'user' && actor === undefined;
    this.#nets = hasNets ? new NetChangeQueries(connection) : undefined;
    const isLater = `serial = ${bound} AND place > event.delta * ${partsPerEvent} + ?`;
    this.#rest = joined(connection, isLater, layer);
    this.#gap = connection.prepare(
      `SELECT 1 FROM event
       WHERE stream = ? AND serial > ? AND payload IS NULL
        ${layer === 'user' ? `AND kind <> '${signerKind}'` : ''} LIMIT 1`,
    );
  }

  /** False when the journal has deleted the content of a step since a serial that changed records of the layer. */
  areRetained(zoneId: number, afterSerial: number): boolean {
    return this.#gap.get(zoneId, afterSerial) === undefined;
  }

  /** Of the steps after one serial up to another; of those in net changes what is wanted. */
  *parts(
    zoneId: number,
    afterSerial: number,
    upToSerial: number,
    wants: WantsOwners = () => true,
  ): Generator<ChangePart> {
    for (const { from, to, net } of this.#spans(zoneId, afterSerial, upToSerial)) {
      if (net !== undefined) yield* this.#netParts(zoneId, { from, to }, wants);
      else yield* this.#ownParts(zoneId, from, to);
    }
  }

  /** How many more user records the second serial has than the first; negative where it has fewer. */
  increase(zoneId: number, afterSerial: number, upToSerial: number): number {
    let increase = 0;
    for (const { from, to, net } of this.#spans(zoneId, afterSerial, upToSerial)) {
      if (net !== undefined) increase += this.#nets!.increase(zoneId, { from, to });
      else {
        for (const { change, ids } of this.#ownParts(zoneId, from, to)) {
          increase += (change === 'added' ? ids.length : -ids.length) / identityBytes;
        }
      }
    }
    return increase;
  }

  #spans(zoneId: number, from: number, to: number): Iterable<PassedSpan> {
    if (this.#nets !== undefined) return this.#nets.spans(zoneId, from, to);
    return from < to ? [{ from, to, net: undefined }] : [];
  }

  *#netParts(zoneId: number, span: SerialSpan, wants: WantsOwners): Generator<ChangePart> {
    for (const { change, records, ids } of this.#nets!.parts(zoneId, span, wants)) {
      yield { change: changeName(change), records, ids };
    }
  }

  *#ownParts(zoneId: number, afterSerial: number, upToSerial: number): Generator<ChangePart> {
    this.#partCheck.requireChanges(zoneId, afterSerial, upToSerial);
    let last = afterSerial;
    while (true) {
      const joined = this.#parts.get(zoneId, last, upToSerial, ...this.#actor);
      if (joined === undefined) return;
      yield* partsOf(joined);
      last = Math.floor(joined.last / partsPerEvent);
      yield* this.#restOf(zoneId, last, joined.last % partsPerEvent);
    }
  }

  /** What a step has after one of its parts. */
  *#restOf(zoneId: number, serial: number, part: number): Generator<ChangePart> {
    let last = part;
    while (true) {
      const joined = this.#rest.get(zoneId, serial, last);
      if (joined === undefined) return;
      yield* partsOf(joined);
      last = joined.last % partsPerEvent;
    }
  }
}

function* partsOf({ parts }: JoinedParts): Generator<ChangePart> {
  for (const { change, records, ids } of parts) {
    yield { change: changeName(change), records, ids: ids ?? noIds };
  }
}
