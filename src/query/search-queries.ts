/**
 * Searches over all zones: records of now, of a moment, and those that were deleted, by a part of their name or by
 * their value.
 *
 * ```
 *   a name across two zones --> a part of a name --> the ranges of values --> the end
 *        | owners, as the index names them
 *        v
 *   what stands there, or stood there, and may be read, and has the text
 * ```
 * A page looks at 500 owners at most: it may be short, even empty, and not be the last.
 */
import { Problem } from '../base/problem.ts';
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { unpackRecords, type ResourceRecord } from '../dns/record.ts';
import type { Rights } from '../domain/access/rights.ts';
import { parseOwner, type ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { inSearchIndex } from '../journal/damage.ts';
import { PartQuery } from '../journal/delta-row.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { foreignPosition, type Position } from '../projection/page.ts';
import { type SearchProgress, searchProgressQuery } from '../projection/search-index.ts';
import { minCharacters, type SearchKey, type SearchRange } from '../projection/search-terms.ts';
import { BlockScan } from './block-scan.ts';
import { EventRows } from './event-rows.ts';
import { onlyOwner } from './key-range.ts';
import type { FoundRecord } from './record-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { SearchText } from './search-text.ts';
import { StoredOwners } from './stored-owners.ts';
import type { VersionQueries } from './version-queries.ts';
import { ZoneQueries } from './zone-queries.ts';

export interface SearchQuestion {
  /** Three characters at least. */
  readonly text: string;
  /** Milliseconds since 1970: records of then. */
  readonly at?: number | undefined;
}

/** A record that was deleted, under the name that its zone has now. */
export interface DeletedRecord {
  readonly zone: Zone;
  readonly record: ResourceRecord;
  readonly until: Removal;
}

/** An event that removed a record. */
export interface Removal {
  readonly seq: number;
  /** That it led to. */
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Where a page ended: a range, the key in it, the owner in the index, and how many rows of that were listed; 0 for
 * all of them. Names across zones and parts of names stand before all ranges; of the first the key is the name of the
 * zone, and the owner the number of its split.
 */
export type SearchPosition = readonly [range: number, key: SearchKey, owner: number, rows: number];

/** What a cursor holds. It was sealed for a search, but maybe by an earlier version of the service. */
export function searchPositionOf(position: Position): SearchPosition {
  const [range, key, owner, rows] = position;
  const isNumbers =
    typeof range === 'number' && typeof owner === 'number' && typeof rows === 'number';
  if (!isNumbers || typeof key !== 'string') throw foreignPosition();
  // An earlier version counted the names across zones.
  if (range === acrossZones && key === '' && owner > 0) throw foreignPosition();
  return [range, key, owner, rows];
}

export interface SearchPage {
  readonly records: readonly FoundRecord[];
  readonly deleted: readonly DeletedRecord[];
  readonly next: SearchPosition | null;
}

export interface IndexReach {
  /** Up to which event `records` is complete; null while the index is made. */
  readonly completeTo: number | null;
  /** From which event on `deleted` is complete; null while that is not known. */
  readonly deletedFrom: number | null;
}

/** Owners that one page looks at, now and at an earlier moment, and those that it passes over besides. */
const looksNow = 500;
const looksThen = 200;
const passedOver = 20_000;
/** Zones whose names begin with what stands behind a dot of the text: those to look in, and to pass over besides. */
const zonesAcross = 20;
const zonesPassedOver = 1000;
/** Of the index at a time. */
const rowsPerRead = 100;

const acrossZones = -2;
const partsOfNames = -1;
const start: SearchPosition = [acrossZones, '', 0, 0];

/** An owner to look at. */
interface Candidate {
  readonly zoneId: number;
  readonly owner: NameKey;
  /** The part of a delta that took what is sought from it last; 0 where it may be there. */
  readonly removed: number;
  readonly position: SearchPosition;
}

interface IndexRow {
  readonly id: number;
  readonly zoneId: number;
  readonly owner: Buffer;
  readonly removed: number;
  readonly key: Buffer;
}

/** What one look has found. */
interface Rows {
  readonly records: readonly FoundRecord[];
  readonly deleted: readonly DeletedRecord[];
}

const noRows: Rows = { records: [], deleted: [] };

export class SearchQueries {
  readonly #connection: Connection;
  readonly #zones: ZoneQueries;
  readonly #versions: VersionQueries;
  readonly #blocks: BlockScan;
  readonly #part: PartQuery;
  readonly #progress: Statement;
  readonly #byText: Statement;
  readonly #byKey: Statement;
  readonly #zonesFrom: Statement;
  readonly #rows: EventRows;
  readonly #removedOf: Statement;

  constructor(connection: Connection, versions: VersionQueries) {
    this.#connection = connection;
    this.#zones = new ZoneQueries(connection);
    this.#versions = versions;
    this.#blocks = new BlockScan(connection);
    this.#part = new PartQuery(connection, 'packed', 'WHERE place = ?');
    this.#progress = connection.prepare(searchProgressQuery);
    const columns = 'search_owner.id, zone_id AS zoneId, search_owner.owner';
    this.#byText = connection.prepare(
      `SELECT ${columns}, removed FROM search_text CROSS JOIN search_owner ON search_owner.id = search_text.rowid
       WHERE search_text MATCH ? AND search_text.rowid > ? ORDER BY search_text.rowid LIMIT ${rowsPerRead}`,
    );
    this.#byKey = connection.prepare(
      `SELECT ${columns}, search_key.removed, key
       FROM search_key CROSS JOIN search_owner ON search_owner.id = search_key.owner
       WHERE (key, search_key.owner) > (?, ?) AND key < ? ORDER BY key, search_key.owner LIMIT ${rowsPerRead}`,
    );
    this.#zonesFrom = connection
      .prepare(
        `SELECT id FROM zone WHERE name >= ? AND name < ? ORDER BY name LIMIT ${zonesPassedOver}`,
      )
      .pluck();
    this.#removedOf = connection
      .prepare('SELECT removed FROM search_owner WHERE zone_id = ? AND owner = ?')
      .pluck();
    this.#rows = new EventRows(connection);
  }

  /** Up to `limit` records, and as many of those that were deleted. */
  page(
    rights: Rights,
    { text: asked, at }: SearchQuestion,
    limit: number,
    after: SearchPosition | null,
  ): SearchPage & IndexReach {
    const reach = this.#reach();
    const text = new SearchText(asked);
    const readable = new ReadableRecords(rights);
    const across = [...this.#across(text, readable)];
    const listed = new Set(across.map(ownerKeyOf));
    const look = { readable, text, at, listed };
    const records: FoundRecord[] = [];
    const deleted: DeletedRecord[] = [];
    let position = after ?? start;
    let looks = at === undefined ? looksNow : looksThen;
    let passes = passedOver;
    for (const candidate of this.#candidates(text, across, position)) {
      if (Math.max(records.length, deleted.length) >= limit) return done(position);
      if (looks === 0 || passes === 0) return done(position);
      const isPassedOver = readable.in(candidate.zoneId).ranges.length === 0;
      if (isPassedOver) passes--;
      else looks--;
      const rows = isPassedOver ? noRows : this.#look(look, candidate);
      const isHere = rows.records.length > 0;
      const found = isHere ? rows.records : rows.deleted;
      const from = rowsListedOf(candidate, after);
      const room = limit - (isHere ? records : deleted).length;
      const to = Math.min(found.length, from + room);
      records.push(...rows.records.slice(from, to));
      deleted.push(...rows.deleted.slice(from, to));
      const [range, key, owner] = candidate.position;
      position = [range, key, owner, to < found.length ? to : 0];
      if (to < found.length) return done(position);
    }
    return done(null);

    function done(next: SearchPosition | null): SearchPage & IndexReach {
      return { records, deleted, next, ...reach };
    }
  }

  /** How far the index has come. */
  #reach(): IndexReach {
    const progress = this.#progress.get() as SearchProgress | undefined;
    const isMade = progress !== undefined && progress.zoneId === null;
    return isMade
      ? { completeTo: progress.followed, deletedFrom: progress.recalled }
      : { completeTo: null, deletedFrom: null };
  }

  *#candidates(
    text: SearchText,
    across: readonly Candidate[],
    [stage, key, owner, rows]: SearchPosition,
  ): Generator<Candidate> {
    // One of which rows are left comes again.
    const before = rows > 0 ? owner - 1 : owner;
    const isLeft = ({ position: [, zone, split] }: Candidate) =>
      split === owner ? zone > key || (rows > 0 && zone === key) : split > owner;
    if (stage === acrossZones) yield* across.filter(isLeft);
    if (stage <= partsOfNames) yield* this.#named(text, stage === partsOfNames ? before : 0);
    for (let index = Math.max(0, stage); index < text.ranges.length; index++) {
      const range = text.ranges[index]!;
      const from = index === stage ? ([key, before] as const) : ([range.from, -1] as const);
      yield* this.#keyed(index, range, ...from);
    }
  }

  /** Names that the text is the beginning of, from the beginning of a label on, with that of their zone. */
  *#across(text: SearchText, readable: ReadableRecords): Generator<Candidate> {
    for (const [index, { relative, beginning }] of text.splits.entries()) {
      const ids = this.#zonesFrom.all(beginning, `${beginning}\u{10ffff}`) as number[];
      for (const id of ids
        .filter((id) => readable.in(id).ranges.length > 0)
        .slice(0, zonesAcross)) {
        const zone = this.#zones.byId(id);
        const owner = zone && ownerIn(relative, zone);
        if (zone === undefined || owner === undefined) continue;
        const removed =
          (this.#removedOf.get(zone.id, keyToBytes(owner)) as number | undefined) ?? 0;
        yield { zoneId: zone.id, owner, removed, position: [acrossZones, zone.name, index + 1, 0] };
      }
    }
  }

  *#named(text: SearchText, after: number): Generator<Candidate> {
    if (text.name.length < minCharacters) return;
    let last = after;
    while (true) {
      const rows = this.#read(() => this.#byText.all(text.trigrams, last));
      for (const { id, zoneId, owner, removed } of rows) {
        last = id;
        const position: SearchPosition = [partsOfNames, '', id, 0];
        yield { zoneId, owner: keyFromBytes(owner), removed, position };
      }
      if (rows.length < rowsPerRead) return;
    }
  }

  *#keyed(index: number, { to }: SearchRange, key: SearchKey, after: number): Generator<Candidate> {
    let last: readonly [key: Buffer, owner: number] = [Buffer.from(key, 'latin1'), after];
    const end = Buffer.from(to, 'latin1');
    while (true) {
      const rows = this.#read(() => this.#byKey.all(...last, end));
      for (const row of rows) {
        last = [row.key, row.id];
        const position: SearchPosition = [index, row.key.toString('latin1'), row.id, 0];
        yield { ...row, owner: keyFromBytes(row.owner), position };
      }
      if (rows.length < rowsPerRead) return;
    }
  }

  #read(all: () => unknown[]): IndexRow[] {
    return inSearchIndex(this.#connection, all) as IndexRow[];
  }

  /** What of one candidate the caller may read and that is not listed as another one. */
  #look({ readable, text, at, listed }: Look, candidate: Candidate): Rows {
    const { zoneId, owner, removed, position } = candidate;
    const part = readable.in(zoneId);
    const isListed =
      (position[0] > acrossZones && listed.has(ownerKeyOf(candidate))) ||
      (position[0] > partsOfNames && text.isPartOf(owner));
    if (isListed) return noRows;
    const zone = this.#zones.byId(zoneId);
    if (zone === undefined) return noRows;
    const passes = ({ type, rdata }: ResourceRecord) =>
      part.has(owner, type) && text.isFoundAs(position, type, rdata);
    if (at !== undefined) {
      const records = this.#recordsThen(zone, owner, at).filter(passes);
      return { records: records.map((record) => ({ zone, record })), deleted: [] };
    }
    const stored = new StoredOwners(this.#blocks, zoneId).at(owner);
    const records = stored.filter(passes);
    if (records.length > 0) {
      return { records: records.map((record) => ({ zone, record })), deleted: [] };
    }
    const isThere =
      position[0] < 0
        ? stored.length > 0
        : stored.some(({ type, rdata }) => text.isFoundAs(position, type, rdata));
    if (removed === 0 || isThere) return noRows;
    return {
      records: [],
      deleted: this.#deletedRecords(zone, owner, removed).filter((row) => passes(row.record)),
    };
  }

  #recordsThen(zone: Zone, owner: NameKey, at: number): readonly ZoneRecord[] {
    const serial = this.#versions.serialOf(zone, { at });
    if (serial === undefined) return [];
    return [...this.#versions.recordsOf('user', zone, serial, onlyOwner(owner))].flat();
  }

  /** The records of an owner that a part of a delta took; none once retention has deleted it. */
  #deletedRecords(zone: Zone, owner: NameKey, index: number): DeletedRecord[] {
    const part = this.#part.get(index);
    if (part === undefined) return [];
    const event = this.#rows.ofPart(index);
    if (event === undefined || event.serial === null) return [];
    const until = { seq: event.seq, serial: event.serial, at: event.at };
    const records = [...unpackRecords(part.records)].filter((record) => record.owner === owner);
    return records.map((record) => ({ zone, record, until }));
  }
}

interface Look {
  readonly readable: ReadableRecords;
  readonly text: SearchText;
  readonly at: number | undefined;
  /** Owners that the first page has, for names across zones. */
  readonly listed: ReadonlySet<string>;
}

/** How many rows of an owner the page before has: that owner may be gone, and another one be the first. */
function rowsListedOf({ position }: Candidate, after: SearchPosition | null): number {
  const isSame = after !== null && position.slice(0, 3).every((part, at) => part === after[at]);
  return isSame ? after[3] : 0;
}

function ownerKeyOf({ zoneId, owner }: Candidate): string {
  return `${zoneId} ${owner}`;
}

function ownerIn(relative: string, zone: Zone): NameKey | undefined {
  try {
    return parseOwner(relative, apexOf(zone));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
