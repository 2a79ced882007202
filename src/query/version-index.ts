/**
 * Which versions of a zone are listed, counted and passed over in indexes alone: the rows, which have the payloads,
 * would be read one by one, and a zone may have a million.
 */
import { kindsWithoutSerial } from '../domain/event.ts';
import type { Connection, Statement } from '../journal/database.ts';

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

export class VersionIndex {
  readonly #count: Statement;
  readonly #changes: Statement;
  readonly #at: Statement;
  readonly #atOfAll: Statement;
  readonly #isWhole: Statement;

  constructor(connection: Connection) {
    const count = (of: string) => `(SELECT count(*) ${of})`;
    this.#count = connection
      .prepare(`SELECT ${count(all)} - ${count(dropped)} - ${count(signing)}`)
      .pluck();
    this.#changes = connection
      .prepare(
        `SELECT ${count(ofZone)} - ${count(`${ofZone} AND payload IS NULL`)} -
         ${count(`${ofZone} AND serial IS NULL AND kind IN (${stepless}) AND payload IS NOT NULL`)}`,
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
    return this.#count.get(listing) as number;
  }

  /** Entries of the history of a zone. */
  changes(zoneId: number): number {
    return this.#changes.get({ zoneId }) as number;
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
