/**
 * Which versions of a zone are listed, counted by spans (event-counter.ts) and passed over in indexes alone: the rows,
 * which have the payloads, would be read one by one, and a zone may have a million. Signatures that retention removed
 * are counted one by one.
 */
import { limits } from '../base/limits.ts';
import { kindsWithoutSerial } from '../domain/event.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { EventCounter } from './event-counter.ts';

export interface VersionListing {
  readonly zoneId: number;
  /** The oldest serial that is retained. */
  readonly oldest: number;
  /** The serial that is listed in any case; -1 for none. */
  readonly current: number;
  /** Whether changes that only re-signed the zone are listed: 1 or 0. */
  readonly withSigning: 0 | 1;
}

const ofZone = 'FROM event WHERE stream = ($zoneId + 0)';
/** Behind the oldest, all but the one that is listed in any case. */
const behind = 'serial > ($oldest + 0) AND serial <> ($current + 0)';
const all = `${ofZone} AND serial >= ($oldest + 0)`;
const dropped = `${ofZone} AND payload IS NULL AND ${behind}`;
const signing = `${ofZone} AND kind = 'zone.signed' AND payload IS NOT NULL AND ${behind} AND NOT $withSigning`;
const stepless = kindsWithoutSerial.map((kind) => `'${kind}'`).join(', ');

interface Exceptions {
  /** 1 when there was a change that led to the oldest serial. */
  readonly first: number;
  readonly dropped: number;
  /** 1 when the serial that is listed in any case only re-signed the zone. */
  readonly currentSigning: number;
}

export class VersionIndex {
  readonly #counter: EventCounter;
  readonly #exceptions: Statement;
  readonly #changes: Statement;
  readonly #at: Statement;
  readonly #atOfAll: Statement;
  readonly #isWhole: Statement;

  constructor(connection: Connection) {
    this.#counter = new EventCounter(connection);
    const count = (of: string) => `(SELECT count(*) ${of})`;
    this.#exceptions = connection.prepare(
      `SELECT ${count(`${ofZone} AND serial = ($oldest + 0)`)} AS first,
        CASE WHEN $withSigning THEN ${count(dropped)} ELSE 0 END AS dropped,
        ${count(
          `${ofZone} AND serial = ($current + 0) AND serial > ($oldest + 0) AND kind = 'zone.signed'`,
        )} AS currentSigning`,
    );
    this.#changes = connection
      .prepare(
        `SELECT ${count(`${ofZone} AND serial IS NULL AND kind NOT IN (${stepless}) AND payload IS NOT NULL`)} -
         ${count(`${ofZone} AND serial > ($oldest + 0) AND payload IS NULL`)}`,
      )
      .pluck();
    const at = (condition: string) =>
      connection
        .prepare(`SELECT serial ${all} ${condition} ORDER BY serial DESC LIMIT 1 OFFSET $offset`)
        .pluck();
    this.#isWhole = connection
      .prepare(`SELECT NOT EXISTS (SELECT 1 ${dropped}) AND NOT EXISTS (SELECT 1 ${signing})`)
      .pluck();
    this.#at = at(
      `AND serial NOT IN (SELECT serial ${dropped} UNION ALL SELECT serial ${signing})`,
    );
    this.#atOfAll = at('');
  }

  count(listing: VersionListing): number {
    const { zoneId, oldest, withSigning } = listing;
    const { events, signing } = this.#counter.between(zoneId, oldest, limits.serial);
    const exceptions = this.#exceptions.get(listing) as Exceptions;
    const hidden = withSigning === 1 ? exceptions.dropped : signing - exceptions.currentSigning;
    return exceptions.first + events - hidden;
  }

  /** Entries of the history of a zone since the oldest serial that is retained. */
  changes(zoneId: number, oldest: number): number {
    const { events } = this.#counter.between(zoneId, oldest, limits.serial);
    return events + (this.#changes.get({ zoneId, oldest }) as number);
  }

  /** The serial with this number of newer ones; undefined where there are fewer. */
  at(listing: VersionListing, offset: number): number | undefined {
    // To compare each with those that are left out takes twice as long.
    const statement = this.#isWhole.get(listing) === 1 ? this.#atOfAll : this.#at;
    const { zoneId, oldest } = listing;
    const asked = statement === this.#at ? listing : { zoneId, oldest };
    return statement.get({ ...asked, offset }) as number | undefined;
  }
}
