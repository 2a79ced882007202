/**
 * Blame: of each RRset of a zone, as it is or was at a serial, the event that made it what it is: the last one up to
 * then that removed or added a record of it.
 *
 * Parts of deltas that hold one RRset, or one owner, are found by an index, whatever the length of the history. Parts
 * with several owners are walked over, newest first, until no RRset of the page can have changed in an older one.
 */
import { runsOf } from '../base/lists.ts';
import { labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder, OwnerScan, PackedCursor } from '../dns/packed.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import { firstStage, partNumberOf, rangeOfDelta, partsPerEvent } from '../journal/delta.ts';
import { PartCheck, PartQuery } from '../journal/delta-row.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { EventRows, type HeaderRow } from './event-rows.ts';
import { type KeyRange, onlyOwner } from './key-range.ts';
import { ReadableRecords } from './record-scope.ts';
import { spanOf } from './records-then.ts';
import type { RrsetKey } from './rrset-cursor.ts';
import type { VersionQueries } from './version-queries.ts';
import { ZoneEvents } from './zone-events.ts';

export interface BlameFilter {
  /** Relative to the apex. */
  readonly name?: NameKey | undefined;
  readonly type?: number | undefined;
}

export interface BlamePage {
  readonly limit: number;
  /** RRsets after this one. */
  readonly after?: RrsetKey | undefined;
}

export interface BlamedRrset extends RrsetKey {
  readonly ttl: number;
  readonly recordCount: number;
  /** Null once retention has deleted what it did. */
  readonly event: HeaderRow | null;
}

export interface Blame {
  readonly items: readonly BlamedRrset[];
  /** Where the next page goes on; null at the end. */
  readonly next: RrsetKey | null;
}

/** An RRset of the page, and the number of the last event found so far that changed it. */
interface Asked extends RrsetKey {
  readonly ttl: number;
  readonly recordCount: number;
  seq: number;
}

interface OfEvent {
  readonly seq: number;
}

/** Of events that led to a serial: a checkpoint has records too, and changes none. */
const ownEvent = `CROSS JOIN event ON event.seq = place / ${partsPerEvent}`;
const upToEnd = 'AND place < (? + 0) AND serial IS NOT NULL ORDER BY place DESC';

export class BlameQueries {
  readonly #versions: VersionQueries;
  readonly #events: ZoneEvents;
  readonly #rows: EventRows;
  readonly #ofType: PartQuery<OfEvent>;
  readonly #ofOwner: PartQuery<OfEvent>;
  readonly #several: PartQuery<OfEvent>;
  readonly #partsOf: PartQuery;
  readonly #partCheck: PartCheck;
  readonly #lastStaged: Statement;

  constructor(connection: Connection, versions: VersionQueries) {
    this.#versions = versions;
    this.#events = new ZoneEvents(connection);
    this.#rows = new EventRows(connection);
    const parts = (index: string, condition: string) =>
      new PartQuery<OfEvent>(
        connection,
        'packed',
        `WHERE zone_id = (? + 0) AND ${condition} ${upToEnd}`,
        {
          from: `event_delta INDEXED BY ${index} ${ownEvent}`,
          also: ', seq',
        },
      );
    this.#ofType = parts('event_delta_owner', 'owner = ? AND type = (? + 0)');
    this.#ofOwner = parts('event_delta_owner', 'owner = ? AND type IS NULL');
    this.#several = parts('event_delta_several', 'owner IS NULL AND layer = 0');
    const ofDelta = 'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place';
    this.#partsOf = new PartQuery(connection, 'packed', ofDelta);
    this.#partCheck = new PartCheck(connection);
    this.#lastStaged = connection
      .prepare(
        `SELECT max(place) FROM event_delta INDEXED BY event_delta_several
         WHERE zone_id = ? AND owner IS NULL AND layer = 0 AND place >= ? AND place < ?`,
      )
      .pluck();
  }

  /** In canonical order. VERSION_NOT_FOUND where the zone never had the serial, or it is not retained. */
  page(
    rights: Rights,
    { zone, serial }: { readonly zone: Zone; readonly serial: number },
    filter: BlameFilter,
    { limit, after }: BlamePage,
  ): Blame {
    const readable = new ReadableRecords(rights).in(zone.id);
    const span = filter.name === undefined ? spanOf(readable.ranges) : onlyOwner(filter.name);
    const from = after === undefined || after.owner < (span?.from ?? '') ? span?.from : after.owner;
    const passes = ({ owner, type }: RrsetKey) =>
      (filter.type === undefined || type === filter.type) &&
      (readable.isAll || readable.has(owner, type)) &&
      (after === undefined || owner > after.owner || (owner === after.owner && type > after.type));
    const asked: Asked[] = [];
    if (span !== undefined && from !== undefined) {
      for (const one of this.#rrsets(zone, serial, { from, to: span.to })) {
        if (!passes(one)) continue;
        asked.push(one);
        if (asked.length > limit) break;
      }
    }
    const listed = asked.slice(0, limit);
    this.#findEvents(zone.id, this.#events.at(zone.id, serial)?.seq ?? 0, listed);
    const items = listed.map(({ seq, ...rrset }) => ({
      ...rrset,
      event: this.#rows.at(seq) ?? null,
    }));
    const last = listed.at(-1);
    const hasMore = last !== undefined && asked.length > limit;
    return { items, next: hasMore ? { owner: last.owner, type: last.type } : null };
  }

  *#rrsets(zone: Zone, serial: number, within: KeyRange): Generator<Asked> {
    const isAlike = (one: ZoneRecord, { owner, type }: ZoneRecord) =>
      one.owner === owner && one.type === type;
    for (const rrset of runsOf(this.#versions.records(zone, serial, within), isAlike)) {
      const { owner, type, ttl } = rrset[0]!;
      yield { owner, type, ttl, recordCount: rrset.length, seq: 0 };
    }
  }

  /** Of each RRset the last event, up to one, that changed it. */
  #findEvents(zoneId: number, upToSeq: number, asked: readonly Asked[]): void {
    if (asked.length === 0) return;
    const end = partNumberOf(upToSeq + 1, 0);
    for (const one of asked) this.#findAlone(zoneId, end, one);
    const page = new AskedPage(asked);
    const staged = this.#staged(zoneId, upToSeq);
    const takeStaged = (afterSeq: number) => {
      while (staged[0] !== undefined && staged[0].seq > afterSeq) {
        const { seq, delta } = staged.shift()!;
        if (seq <= page.minSeq) return;
        this.#partCheck.requireEvent(seq);
        for (const part of this.#partsOf.iterate(...rangeOfDelta(delta))) {
          page.take(part.records, seq);
        }
      }
    };
    for (const { records, seq } of this.#several.iterate(zoneId, end)) {
      takeStaged(seq);
      if (seq <= page.minSeq) return;
      page.take(records, seq);
    }
    takeStaged(0);
  }

  /** The last event of those that changed the owner of an RRset alone. */
  #findAlone(zoneId: number, end: number, asked: Asked): void {
    const labels = labelsToWire(asked.owner);
    const [last] = first(this.#ofType.iterate(zoneId, labels, asked.type, end));
    asked.seq = last?.seq ?? 0;
    for (const { records, seq } of this.#ofOwner.iterate(zoneId, labels, end)) {
      if (seq <= asked.seq) return;
      const cursor = new PackedCursor(records);
      while (cursor.next()) if (cursor.type === asked.type) asked.seq = seq;
    }
  }

  /** Events up to one whose deltas were prepared, newest first. */
  #staged(zoneId: number, upToSeq: number): { readonly seq: number; readonly delta: number }[] {
    const found: { seq: number; delta: number }[] = [];
    const start = partNumberOf(firstStage, 0);
    let end = Number.MAX_SAFE_INTEGER;
    while (true) {
      const last = this.#lastStaged.get(zoneId, start, end) as number | null;
      if (last === null) return found.sort((a, b) => b.seq - a.seq);
      const delta = Math.floor(last / partsPerEvent);
      const { seq, serial } = this.#rows.ofPart(last) ?? { seq: 0, serial: null };
      if (serial !== null && seq <= upToSeq) found.push({ seq, delta });
      end = partNumberOf(delta, 0);
    }
  }
}

function first<Item>(items: Iterable<Item>): [] | [Item] {
  for (const item of items) return [item];
  return [];
}

/** The RRsets of a page by owner and type, which parts of deltas are searched for. */
class AskedPage {
  readonly #asked: readonly Asked[];
  readonly #byOwner: ReadonlyMap<NameKey, readonly Asked[]>;
  readonly #first: OwnerOrder;
  readonly #last: NameKey;
  /** No older event than this one can be the last of any. */
  minSeq = 0;

  /** In canonical order. */
  constructor(asked: readonly Asked[]) {
    this.#asked = asked;
    this.#byOwner = Map.groupBy(asked, ({ owner }) => owner);
    this.#first = new OwnerOrder(labelsToWire(asked[0]!.owner));
    this.#last = asked.at(-1)!.owner;
    this.#update();
  }

  /** Records that an event removed or added, in canonical order. */
  take(records: Buffer, seq: number): void {
    const scan = new OwnerScan(records);
    scan.skipBefore(this.#first);
    const cursor = new PackedCursor(records, scan.at);
    let isNewer = false;
    while (cursor.next()) {
      const { owner } = cursor;
      if (owner > this.#last) break;
      for (const one of this.#byOwner.get(owner) ?? []) {
        if (one.type !== cursor.type || one.seq >= seq) continue;
        one.seq = seq;
        isNewer = true;
      }
    }
    if (isNewer) this.#update();
  }

  #update(): void {
    this.minSeq = this.#asked.reduce((min, { seq }) => Math.min(min, seq), Infinity);
  }
}
