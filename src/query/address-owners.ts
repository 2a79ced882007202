/**
 * The owners that may have a record with an address, or with one of a prefix, in its value: those that the index of
 * searches has, and those that were changed since. A list that looks at them alone is the same as of all owners.
 */
import { limits } from '../base/limits.ts';
import { keyFromBytes, type NameKey } from '../dns/name.ts';
import { PackedCursor } from '../dns/packed.ts';
import { inSearchIndex, StoredDamage } from '../journal/damage.ts';
import { PartCheck, PartQuery } from '../journal/delta-row.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type SearchProgress, searchProgressQuery } from '../projection/search-index.ts';
import { rangesOfAddress, type SearchRange } from '../projection/search-terms.ts';
import { type KeyRange, onlyOwner } from './key-range.ts';
import { partsOfEvent } from './version-changes.ts';

/** Rows of the index, and records that were added since, from which on it costs less to look everywhere. */
const rowsLookedAt = 5000;
/** The same of events that the index has not taken in. */
const eventsLookedAt = 500;

/** Events that the index has not taken in. */
interface Since {
  readonly count: number;
  /** Those that retention has dropped. */
  readonly dropped: number;
}

/** Owners by the ids of their zones, which may be deleted. */
type Owners = Map<number, Set<NameKey>>;

export class AddressOwners {
  readonly #connection: Connection;
  readonly #progress: Statement;
  readonly #byKey: Statement;
  readonly #since: Statement;
  readonly #partCheck: PartCheck;
  readonly #added: PartQuery<{ readonly zoneId: number }>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#progress = connection.prepare(searchProgressQuery);
    this.#byKey = connection
      .prepare(
        `SELECT zone_id, search_owner.owner
         FROM search_key CROSS JOIN search_owner ON search_owner.id = search_key.owner
         WHERE key >= ? AND key < ? LIMIT ?`,
      )
      .raw();
    const since = `seq > ? AND serial IS NOT NULL AND kind <> 'zone.signed'`;
    this.#since = connection.prepare(
      `SELECT count(*) AS count, total(payload IS NULL) AS dropped
       FROM (SELECT payload FROM event WHERE ${since} LIMIT ${eventsLookedAt + 1})`,
    );
    this.#partCheck = new PartCheck(connection);
    this.#added = new PartQuery(
      connection,
      'packed',
      `WHERE ${since} AND layer = 0 AND change = 1`,
      { from: `event CROSS JOIN event_delta ON ${partsOfEvent}`, also: ', stream AS zoneId' },
    );
  }

  /** Undefined where all owners are to be looked at; costs some 10 ms at most. */
  with(text: string): Owners | undefined {
    const ranges = rangesOfAddress(text);
    if (ranges === undefined) return undefined;
    const owners: Owners = new Map();
    try {
      const progress = this.#progress.get() as SearchProgress | undefined;
      if (progress === undefined || progress.zoneId !== null) return undefined;
      const left = inSearchIndex(this.#connection, () => this.#addIndexed(owners, ranges));
      return this.#addSince(owners, progress.followed, left) ? owners : undefined;
    } catch (error) {
      // What a list shows depends neither on the index nor on the journal; their damage is reported.
      if (error instanceof StoredDamage) return undefined;
      throw error;
    }
  }

  /** Returns how many more rows may be looked at; fewer than none where there are too many. */
  #addIndexed(owners: Owners, ranges: readonly SearchRange[]): number {
    let left = rowsLookedAt;
    for (const { from, to } of ranges) {
      const bounds = [from, to].map((key) => Buffer.from(key, 'latin1'));
      const rows = this.#byKey.all(...bounds, left + 1) as [zoneId: number, owner: Buffer][];
      left -= rows.length;
      if (left < 0) return left;
      for (const [zoneId, owner] of rows) add(owners, zoneId, keyFromBytes(owner));
    }
    return left;
  }

  /** Adds the owners that events after one added records to; false when there is too much of them. */
  #addSince(owners: Owners, followed: number, rowsLeft: number): boolean {
    if (rowsLeft < 0) return false;
    const { count, dropped } = this.#since.get(followed) as Since;
    if (count > eventsLookedAt || dropped > 0) return false;
    this.#partCheck.requireEvents(followed, limits.id);
    const cursor = new PackedCursor(Buffer.alloc(0));
    let left = rowsLeft;
    for (const { records, zoneId } of this.#added.iterate(followed)) {
      cursor.open(records);
      while (cursor.next()) {
        if (--left < 0) return false;
        add(owners, zoneId, cursor.owner);
      }
    }
    return true;
  }
}

function add(owners: Owners, zoneId: number, owner: NameKey): void {
  const known = owners.get(zoneId);
  if (known === undefined) owners.set(zoneId, new Set([owner]));
  else known.add(owner);
}

/** In canonical order. */
export function rangesOfOwners(owners: ReadonlySet<NameKey>): KeyRange[] {
  return [...owners].sort((a, b) => (a < b ? -1 : 1)).map(onlyOwner);
}
