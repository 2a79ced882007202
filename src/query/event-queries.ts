/**
 * Events of the journal, page by page, each as far as the grants of a caller reach: of a zone that it may read, with
 * the records that it may read of it; of administration by the action that each kind needs.
 *
 * A page looks at `eventsLookedAt` events at most. Where a filter passes few of them the page is short, and the next one
 * goes on where it ended, so that no page costs more than its share however long the journal is.
 */
import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  type SQL,
} from 'drizzle-orm';
import { type NameKey, parseAbsoluteName } from '../dns/name.ts';
import { type RecordDiff, diffRecords } from '../domain/diff.ts';
import type { Rights } from '../domain/access/rights.ts';
import { seesAccess, seesPolicies, seesSecondaries } from '../domain/access/visibility.ts';
import { administrationStream } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { changedSettings, type ZoneSettings } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { placeOf, removedHalf } from '../journal/delta.ts';
import { PartQuery } from '../journal/delta-row.ts';
import { decodeSettings, payloadOf } from '../journal/event-row.ts';
import { event } from '../journal/schema.ts';
import { type Tables, tablesOf } from '../projection/tables.ts';
import { HistoryTest } from './history-filter.ts';
import { signingChange, type SigningChange } from './history-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { zoneEventColumns } from './zone-events.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Events of which the headers are looked at for one page. */
const eventsLookedAt = 100_000;
/** Rows that are read at a time. */
const chunkRows = 500;
/** Records of an event beyond which its diff is left to be asked for by itself. */
const recordsCompared = 1000;
/** Entries of a diff that stand in a list. */
const entriesShown = 100;

export interface EventFilter {
  /** The stream of a zone. */
  readonly zoneId?: number | undefined;
  /** Absolute. */
  readonly name?: NameKey | undefined;
  readonly type?: number | undefined;
  /** Name of a token, TSIG key or local user. */
  readonly actor?: string | undefined;
  readonly source?: string | undefined;
  readonly kind?: string | undefined;
  /** Milliseconds since 1970: from, and up to and with. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A part of the reason or the reference, in small letters. */
  readonly reason?: string | undefined;
}

export interface EventPage {
  /** Sequence numbers: only events after, and before. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

/** Who caused an event; `claimed` where nothing proves it. */
export interface EventActor {
  readonly kind: 'token' | 'tsig_key' | 'local';
  readonly name: string;
  readonly uid?: number;
  readonly claimed?: true;
}

export interface SeenEvent {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: string;
  readonly zone: { readonly id: number; readonly name: string; readonly deleted: boolean } | null;
  /** Null for what takes no serial. */
  readonly serial: number | null;
  readonly actor: EventActor | null;
  readonly source: string;
  readonly requestId: string | null;
  readonly reason: string | null;
  readonly reference: string | null;
  readonly recordsRemoved: number;
  readonly recordsAdded: number;
  /** Null once retention has deleted it. */
  readonly diff: RecordDiff | null;
  /** Of the diff as it is shown: it had more entries, or so many records that none is. */
  readonly diffTruncated: boolean;
  readonly settingsChanged: readonly string[];
  readonly signing: SigningChange | null;
  /** What an event of administration says of itself. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** True when the event had more than this caller may read. */
  readonly redacted: boolean;
  readonly hash: Buffer;
  readonly prevHash: Buffer;
}

export interface SeenEvents {
  readonly items: readonly SeenEvent[];
  /** Where the next page goes on, after it or before it by the order; null when there is nothing further. */
  readonly next: number | null;
}

const columns = {
  ...zoneEventColumns,
  stream: event.stream,
  zoneName: event.zoneName,
  actorUid: event.actorUid,
  hash: event.hash,
  prevHash: event.prevHash,
};
const { payload: _, ...headerColumns } = columns;

type HeaderRow = ReturnType<EventQueries['headers']>[number];

/** Events that repeat what is there, or change nothing that a zone serves. */
const withoutRecords = new Set(['zone.checkpointed', 'zone.signing-noted']);

export class EventQueries {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #zones: ZoneQueries;
  readonly #parts: PartQuery;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#tables = tablesOf(connection);
    this.#zones = new ZoneQueries(connection);
    this.#parts = new PartQuery(
      connection,
      'whole',
      'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place',
    );
  }

  page(rights: Rights, filter: EventFilter, page: EventPage): SeenEvents {
    const reader = new EventReader(this, rights, filter);
    const items: SeenEvent[] = [];
    let last: number | null = null;
    let lookedAt = 0;
    for (const row of this.#rows(filter, page)) {
      if (items.length === page.limit || lookedAt === eventsLookedAt) return { items, next: last };
      lookedAt++;
      last = row.seq;
      const seen = reader.see(row);
      if (seen !== undefined) items.push(seen);
    }
    return { items, next: null };
  }

  /** One event; undefined when there is none, or none that the caller may see. */
  get(rights: Rights, seq: number): SeenEvent | undefined {
    const [row] = this.headers(eq(event.seq, seq), 'asc', 1);
    return row && new EventReader(this, rights, {}).see(row);
  }

  /** The number of the last event. */
  last(): number {
    return (
      this.#tables
        .select({ seq: max(event.seq) })
        .from(event)
        .get()?.seq ?? 0
    );
  }

  headers(where: SQL | undefined, order: 'asc' | 'desc', limit: number, bySerial = false) {
    const column = bySerial ? event.serial : event.seq;
    return this.#tables
      .select(headerColumns)
      .from(event)
      .where(where)
      .orderBy((order === 'asc' ? asc : desc)(column))
      .limit(limit)
      .all();
  }

  payload(row: HeaderRow): string | null {
    const found = this.#tables
      .select({ payload: event.payload })
      .from(event)
      .where(eq(event.seq, row.seq))
      .get();
    return payloadOf(this.#connection, { ...row, payload: found?.payload ?? null });
  }

  parts(delta: number) {
    return this.#parts.iterate(placeOf(delta, 0), placeOf(delta + 1, -1));
  }

  isThere(zoneId: number): boolean {
    return this.#zones.byId(zoneId) !== undefined;
  }

  /** What may pass the filter, in order. */
  *#rows(filter: EventFilter, { after, before, order }: EventPage): Generator<HeaderRow> {
    const { since, until, zoneId } = filter;
    const low = Math.max(after ?? 0, since === undefined ? 0 : this.#lastBefore(since));
    const high = Math.min(
      before ?? Number.MAX_SAFE_INTEGER,
      until === undefined ? Number.MAX_SAFE_INTEGER : this.#lastBefore(until + 1) + 1,
    );
    const within = { low, high, order };
    if (zoneId === undefined) yield* this.#inOrder(within);
    else yield* this.#ofStream(zoneId, within);
  }

  /** The last event before a time, 0 when there is none: times never go back, so it is found by halves. */
  #lastBefore(atMs: number): number {
    let low = 0;
    let high = this.last();
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [row] = this.headers(eq(event.seq, middle), 'asc', 1);
      if (row !== undefined && row.at < atMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  *#inOrder({ low, high, order }: Bounds): Generator<HeaderRow> {
    let from = low;
    let to = high;
    while (true) {
      const rows = this.headers(and(gt(event.seq, from), lt(event.seq, to)), order, chunkRows);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.seq;
      else to = last.seq;
    }
  }

  /**
   * Events of one stream. Its index has those with a serial by the serial, which grows with the number, and those without
   * by their number: two runs that are merged.
   */
  *#ofStream(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const inside = ({ seq }: HeaderRow) => seq > low && seq < high;
    const serials = this.#serialRun(stream, { low, high, order });
    const others = this.#otherRun(stream, { low, high, order });
    let one = serials.next();
    let other = others.next();
    while (!one.done || !other.done) {
      const isFirst =
        !one.done && (other.done || one.value.seq < other.value.seq === (order === 'asc'));
      const row = (isFirst ? one : other).value as HeaderRow;
      if (isFirst) one = serials.next();
      else other = others.next();
      if (inside(row)) yield row;
    }
  }

  *#serialRun(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const ofStream = and(eq(event.stream, stream), isNotNull(event.serial));
    let from = this.#serialAt(stream, low);
    let to: number | undefined = this.#serialAt(stream, high - 1);
    while (true) {
      const range = and(ofStream, gt(event.serial, from), lte(event.serial, to));
      const rows = this.headers(range, order, chunkRows, true);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.serial!;
      else to = last.serial! - 1;
    }
  }

  *#otherRun(stream: number, { low, high, order }: Bounds): Generator<HeaderRow> {
    const ofStream = and(eq(event.stream, stream), isNull(event.serial));
    let from = low;
    let to = high;
    while (true) {
      const range = and(ofStream, gt(event.seq, from), lt(event.seq, to));
      const rows = this.headers(range, order, chunkRows);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunkRows) return;
      if (order === 'asc') from = last.seq;
      else to = last.seq;
    }
  }

  /** The greatest serial of a stream among events up to a number; -1 when there is none. */
  #serialAt(stream: number, seq: number): number {
    const { serial } = this.#tables
      .select({ serial: max(event.serial) })
      .from(event)
      .where(eq(event.stream, stream))
      .get()!;
    let low = -1;
    let high = serial ?? -1;
    while (low < high) {
      const middle = low + Math.ceil((high - low) / 2);
      const range = and(eq(event.stream, stream), gte(event.serial, 0), lte(event.serial, middle));
      const [row] = this.headers(range, 'desc', 1, true);
      if (row === undefined || row.seq <= seq) low = middle;
      else high = row.serial! - 1;
    }
    return low;
  }
}

interface Bounds {
  /** Sequence numbers beyond which nothing is asked for. */
  readonly low: number;
  readonly high: number;
  readonly order: 'asc' | 'desc';
}

/** What one caller sees of events that pass a filter. */
class EventReader {
  readonly #events: EventQueries;
  readonly #rights: Rights;
  readonly #filter: EventFilter;
  readonly #readable: ReadableRecords;

  constructor(events: EventQueries, rights: Rights, filter: EventFilter) {
    this.#events = events;
    this.#rights = rights;
    this.#filter = filter;
    this.#readable = new ReadableRecords(rights);
  }

  see(row: HeaderRow): SeenEvent | undefined {
    if (!this.#passes(row)) return undefined;
    return row.stream === administrationStream ? this.#seeAdministration(row) : this.#seeZone(row);
  }

  #passes({ kind, changeSource, actorName, reason: said, reference }: HeaderRow): boolean {
    const { actor, source, kind: wanted, reason } = this.#filter;
    if (wanted !== undefined && kind !== wanted) return false;
    if (source !== undefined && changeSource !== source) return false;
    if (actor !== undefined && actorName !== actor) return false;
    if (reason === undefined) return true;
    return [said, reference].some((text) => text?.toLowerCase().includes(reason) ?? false);
  }

  #seeAdministration(row: HeaderRow): SeenEvent | undefined {
    const { name, type } = this.#filter;
    if (name !== undefined || type !== undefined) return undefined;
    if (!seesKind(this.#rights, row.kind)) return undefined;
    const payload = this.#events.payload(row);
    return {
      ...headerOf(row),
      ...nothing,
      zone: null,
      details: payload === null ? null : JSON.parse(payload),
    };
  }

  #seeZone(row: HeaderRow): SeenEvent | undefined {
    const { stream, kind, zoneName } = row;
    const rights = this.#rights;
    if (!rights.sees(stream)) return undefined;
    const name = zoneName ?? '';
    const apex = parseAbsoluteName(name);
    const owner = this.#ownerIn(apex);
    if (owner === null) return undefined;
    const wants = owner !== undefined || this.#filter.type !== undefined;
    const readable = this.#readable.in(stream);
    const seesZone = rights.inZone('zone:read', stream);
    const payload = this.#events.payload(row);
    const zone = { id: stream, name, deleted: !this.#events.isThere(stream) };
    if (payload === null || withoutRecords.has(kind)) {
      if (wants || !seesZone) return undefined;
      const diff = payload === null ? null : { apex, entries: [] };
      const signing = payload === null ? null : signingChange(payload);
      return { ...headerOf(row), ...nothing, zone, diff, signing };
    }
    const test = new HistoryTest({ name: owner, type: this.#filter.type }, readable);
    const change = this.#changeOf(row, test);
    const isTouched = change.removedCount + change.addedCount > 0;
    if (!isTouched && (wants || !seesZone)) return undefined;
    const { removed, added } = JSON.parse(payload) as { removed: number; added: number };
    const isLeftOut = change.removedCount + change.addedCount > recordsCompared;
    const diff = isLeftOut
      ? { apex, entries: [] }
      : diffRecords(apex, change.removed, change.added);
    const isHiding = removed + added > change.removedCount + change.addedCount;
    return {
      ...headerOf(row),
      zone,
      recordsRemoved: change.removedCount,
      recordsAdded: change.addedCount,
      diff: { apex, entries: diff.entries.slice(0, entriesShown) },
      diffTruncated: isLeftOut || diff.entries.length > entriesShown,
      settingsChanged: seesZone ? settingsIn(payload) : [],
      signing: seesZone ? signingChange(payload) : null,
      details: null,
      redacted: !seesZone || (!readable.isAll && isHiding),
    };
  }

  /** The owner that is asked for relative to a zone; undefined for any, null for one outside of it. */
  #ownerIn(apex: NameKey): NameKey | undefined | null {
    const { name } = this.#filter;
    if (name === undefined) return undefined;
    return name.startsWith(apex) ? (name.slice(apex.length) as NameKey) : null;
  }

  #changeOf({ delta }: HeaderRow, test: HistoryTest) {
    const removed: ZoneRecord[] = [];
    const added: ZoneRecord[] = [];
    let removedCount = 0;
    let addedCount = 0;
    for (const part of this.#events.parts(delta)) {
      const isRemoved = part.change === removedHalf;
      if (test.passesAll && removedCount + addedCount > recordsCompared) {
        if (isRemoved) removedCount += part.count;
        else addedCount += part.count;
        continue;
      }
      for (const record of test.matching(part)) {
        if (removedCount + addedCount <= recordsCompared)
          (isRemoved ? removed : added).push(record);
        if (isRemoved) removedCount++;
        else addedCount++;
      }
    }
    return { removed, added, removedCount, addedCount };
  }
}

/** What an event has that changed no record and no setting. */
const nothing = {
  recordsRemoved: 0,
  recordsAdded: 0,
  diff: null,
  diffTruncated: false,
  settingsChanged: [],
  signing: null,
  details: null,
  redacted: false,
} as const;

function headerOf(row: HeaderRow) {
  const { seq, at, kind, serial, changeSource, requestId, reason, reference } = row;
  const { hash, prevHash } = row;
  const header = { seq, at, kind, serial, actor: actorOf(row), source: changeSource };
  return { ...header, requestId, reason, reference, hash, prevHash };
}

export function actorOf({
  actorKind,
  actorName,
  actorUid,
}: Pick<HeaderRow, 'actorKind' | 'actorName' | 'actorUid'>): EventActor | null {
  if (actorKind === null || actorName === null) return null;
  if (actorKind !== 'local') return { kind: actorKind, name: actorName };
  return { kind: actorKind, name: actorName, uid: actorUid ?? 0, claimed: true };
}

function settingsIn(payload: string): (keyof ZoneSettings)[] {
  const { before, after } = decodeSettings(payload);
  if (before === null || after === null) return [];
  return changedSettings(before, after).filter((name) => name !== 'serial');
}

/** Whether the rights reach events of administration of a kind. */
function seesKind(rights: Rights, kind: string): boolean {
  if (kind.startsWith('secondary.')) return seesSecondaries(rights);
  if (kind.startsWith('policy.')) return seesPolicies(rights);
  return seesAccess(rights);
}
