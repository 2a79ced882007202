/**
 * The history of a zone or of what stands in it: who changed what, when, and by which listener or API. An entry
 * tells of one event. With a filter only steps that touch matching records are listed, their diffs narrowed to
 * those: SQLite looks for the bytes such records must have. What retention has dropped is not listed.
 */
import {
  and,
  between,
  desc,
  eq,
  isNotNull,
  isNull,
  lt,
  notInArray,
  type SQL,
  sum,
} from 'drizzle-orm';
import type { ZoneEventKind } from '../base/event-kind.ts';
import type { NameKey } from '../dns/name.ts';
import { fullRights, type Rights } from '../domain/access/rights.ts';
import { diffRecords, type RecordDiff } from '../domain/diff.ts';
import { kindsWithoutSerial, type StoredZoneEvent } from '../domain/event.ts';
import type { SigningReason } from '../domain/signing.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone, type ZoneSettings } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { addedSet, type DeltaPart, rangeOfDelta, removedSet } from '../journal/delta.ts';
import { PartCheck, PartQuery } from '../journal/delta-row.ts';
import { payloadOf } from '../journal/event-row.ts';
import { event, eventDelta } from '../journal/schema.ts';
import { EventRows } from './event-rows.ts';
import { type HistoryFilter, HistoryTest } from './history-filter.ts';
import { RecordQueries } from './record-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { counter } from '../projection/schema.ts';
import { type Listed, type Page, paged, type Position } from '../projection/page.ts';
import { countOf, type Tables, tablesOf } from '../projection/tables.ts';
import { partsOfEvent } from './version-changes.ts';
import { VersionIndex } from './version-index.ts';
import {
  actorOf,
  type ChangedBy,
  changedByOf,
  type EventActor,
  settingsChanged,
  type ZoneEventRow,
  ZoneEvents,
  zoneEventColumns,
} from './zone-events.ts';
import { ZoneQueries } from './zone-queries.ts';

export type { HistoryFilter } from './history-filter.ts';

export interface SigningChange {
  readonly reason: SigningReason;
  /** Of the keys that it is about. */
  readonly keyTags: readonly number[];
}

export interface HistoryEntry {
  /** Null for a deletion, which takes no step. */
  readonly serial: number | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changeSource: string;
  readonly changedBy: ChangedBy;
  readonly actor: EventActor | null;
  readonly requestId: string | null;
  readonly reason: string | null;
  readonly reference: string | null;
  readonly kind: ZoneEventKind;
  /** What the step itself removed and added, RRset by RRset, as far as the filter asks for it. */
  readonly diff: RecordDiff;
  /** The diff is empty because the step changed more records than a history shows. */
  readonly diffLeftOut: boolean;
  /** Records that the step removed and added, as far as the filter asks for them. */
  readonly removedCount: number;
  readonly addedCount: number;
  /** What it did to the signing of the zone; null when that is no part of it. */
  readonly signing: SigningChange | null;
  /** Names of the settings that the step changed, the serial left out. */
  readonly settingsChanged: readonly (keyof ZoneSettings)[];
}

/** A record of a stored zone: as it is or, when it was deleted, as it was last. */
export interface EverRecord {
  readonly zone: Zone;
  readonly owner: NameKey;
  readonly type: number;
}

/** Records of one step that a history shows: an import is compared by its versions. */
export const maxRecordsReturned = 1000;

/** For finding where a record stood: what the caller may read is checked after that. */
const allRecords = new ReadableRecords(fullRights).in(0);

/** The records of one step that pass the filter. */
export interface RecordChange {
  readonly serial: number | null;
  readonly removed: ZoneRecord[];
  readonly added: ZoneRecord[];
  removedCount: number;
  addedCount: number;
}

/** What a part of a step is read with. */
interface PartOfChange {
  readonly serial: number;
}

/** What is listed, for the search by bytes, which reads parts through journal/delta-row.ts. */
const listedText = `stream = ? AND payload IS NOT NULL
  AND kind NOT IN (${kindsWithoutSerial.map((kind) => `'${kind}'`).join(', ')})`;

function listed(zoneId: number): SQL | undefined {
  return and(
    eq(event.stream, zoneId),
    isNotNull(event.payload),
    notInArray(event.kind, [...kindsWithoutSerial]),
  );
}

export class HistoryQueries {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #partCheck: PartCheck;
  readonly #events: ZoneEvents;
  readonly #rows: EventRows;
  readonly #parts: PartQuery;
  readonly #touching: PartQuery<PartOfChange>;
  readonly #touchingIds: PartQuery<PartOfChange>;
  readonly #removedParts: PartQuery;
  readonly #records: RecordQueries;
  readonly #zones: ZoneQueries;
  readonly #index: VersionIndex;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#tables = tablesOf(connection);
    this.#partCheck = new PartCheck(connection);
    this.#events = new ZoneEvents(connection);
    this.#rows = new EventRows(connection);
    this.#index = new VersionIndex(connection);
    this.#parts = new PartQuery(
      connection,
      'whole',
      'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place',
    );
    const touching = (column: string) =>
      new PartQuery<PartOfChange>(
        connection,
        'whole',
        `WHERE ${listedText} AND serial IS NOT NULL AND layer = 0 AND instr(${column}, ?) > 0
         ORDER BY serial DESC`,
        { from: `event CROSS JOIN event_delta ON ${partsOfEvent}`, also: ', serial' },
      );
    this.#touching = touching('records');
    this.#touchingIds = touching('ids');
    this.#removedParts = new PartQuery(
      connection,
      'whole',
      `WHERE change = ${removedSet} AND layer = 0 AND instr(ids, ?) > 0`,
    );
    this.#records = new RecordQueries(connection);
    this.#zones = new ZoneQueries(connection);
  }

  /** Newest first; of records only what the caller may read. */
  list(rights: Rights, zone: Zone, filter: HistoryFilter, page: Page): Listed<HistoryEntry> {
    const test = new HistoryTest(filter, new ReadableRecords(rights).in(zone.id));
    if (test.passesAll) return this.#listAll(zone, test, page);
    this.#partCheck.requireChanges(zone.id, 0, zone.serial);
    return this.#listTouching(zone, test, page);
  }

  #listAll(zone: Zone, test: HistoryTest, page: Page): Listed<HistoryEntry> {
    const { stream, serial, kind, seq } = event;
    const deletion = and(eq(stream, zone.id), isNull(serial), eq(kind, 'zone.deleted'));
    // Deletions have no serial: only where there are any, all events are put in order by number.
    const hasDeletions = countOf(this.#tables, event, deletion) > 0;
    const total = this.#index.changes(zone.id, this.#events.oldestRetained(zone.id));
    const read = ({ limit, offset, after }: Page) => {
      const last = after && lastOf(after);
      const behind = last && (hasDeletions ? lt(seq, last.seq) : lt(serial, last.serial));
      const rows = this.#tables
        .select(zoneEventColumns)
        .from(event)
        .where(and(listed(zone.id), hasDeletions ? undefined : isNotNull(serial), behind));
      const order = desc(hasDeletions ? seq : serial);
      return { items: rows.orderBy(order).limit(limit).offset(offset).all(), total };
    };
    const rows = paged(page, read, positionOf);
    const serials = rows.items.flatMap((row) => row.serial ?? []);
    this.#partCheck.requireChanges(zone.id, Math.min(...serials) - 1, Math.max(...serials));
    const items = rows.items.map((row) => this.#entryOf(zone, row, this.changeOf(row, test)));
    return { ...rows, items };
  }

  #entryOf(zone: Zone, row: ZoneEventRow, change: RecordChange): HistoryEntry {
    return entryOf(zone, { ...row, payload: payloadOf(this.#connection, row) }, change);
  }

  /**
   * The user records of a step that pass, the first `maxRecordsReturned` of them. Where all pass, more are only
   * counted.
   * `parts` are those of the step, where they have been read.
   */
  changeOf(
    { serial, delta }: Pick<ZoneEventRow, 'serial' | 'delta'>,
    test: HistoryTest,
    parts?: readonly DeltaPart[],
  ): RecordChange {
    const range = rangeOfDelta(delta);
    const counts = test.passesAll && parts === undefined ? this.#countsOf(...range) : undefined;
    if (counts !== undefined && counts.removedCount + counts.addedCount > maxRecordsReturned) {
      return { serial, removed: [], added: [], ...counts };
    }
    const change = emptyChange(serial);
    for (const part of parts ?? this.#parts.all(...range)) take(part, test, change);
    return change;
  }

  /** The user records of a step that has at most `maxRecordsReturned` of them. */
  smallParts({
    seq,
    delta,
  }: Pick<ZoneEventRow, 'seq' | 'delta'>): readonly DeltaPart[] | undefined {
    this.#partCheck.requireEvent(seq);
    const range = rangeOfDelta(delta);
    const { removedCount, addedCount } = this.#countsOf(...range);
    return removedCount + addedCount > maxRecordsReturned ? undefined : this.#parts.all(...range);
  }

  #countsOf(first: number, last: number): Pick<RecordChange, 'removedCount' | 'addedCount'> {
    const { place, layer, change } = eventDelta;
    const total = sum(eventDelta.count).mapWith(Number);
    const counts = this.#tables
      .select({ change, total })
      .from(eventDelta)
      .where(and(between(place, first, last), eq(layer, 0)))
      .groupBy(change)
      .all();
    const of = (set: number) => counts.find((each) => each.change === set)?.total ?? 0;
    return { removedCount: of(removedSet), addedCount: of(addedSet) };
  }

  #listTouching(zone: Zone, test: HistoryTest, page: Page): Listed<HistoryEntry> {
    const read = ({ limit, offset, after }: Page) => {
      const items: { row: ZoneEventRow; change: RecordChange }[] = [];
      let total = 0;
      for (const change of this.#changesTouching(zone.id, test)) {
        if (total >= offset && items.length < limit && this.#isBehind(zone, change, after)) {
          const row = this.#events.at(zone.id, change.serial!)!;
          items.push({ row, change });
        }
        total++;
      }
      return { items, total };
    };
    const found = paged(page, read, ({ row }) => positionOf(row));
    const items = found.items.map(({ row, change }) => this.#entryOf(zone, row, change));
    return { ...found, items };
  }

  #isBehind(zone: Zone, { serial }: Pick<ZoneEventRow, 'serial'>, after?: Position): boolean {
    if (after === undefined) return true;
    const last = lastOf(after);
    // A page that ended with a deletion was of all changes: the rights were other ones then.
    if (last.serial === 0) return this.#events.at(zone.id, serial!)!.seq < last.seq;
    return serial! < last.serial;
  }

  /** The steps that touch what a filter asks for, newest first. */
  *#changesTouching(zoneId: number, test: HistoryTest): Generator<RecordChange> {
    const statement = test.wantsId ? this.#touchingIds : this.#touching;
    let change: RecordChange | undefined;
    for (const part of statement.iterate(zoneId, test.bytes)) {
      if (change === undefined || change.serial !== part.serial) {
        if (change !== undefined && isTouched(change)) yield change;
        change = emptyChange(part.serial);
      }
      take(part, test, change);
    }
    if (change !== undefined && isTouched(change)) yield change;
  }

  /**
   * A record that stands in a stored zone, or that was deleted from it: then as it was last. Undefined when the
   * caller does not see it; that takes the same work as for one that is deleted.
   */
  recordEver(rights: Rights, id: number): EverRecord | undefined {
    const stored = this.#storedRecord(id);
    if (stored !== undefined && sees(rights, stored)) return stored;
    const known = this.#tables.select().from(counter).where(eq(counter.name, 'record')).get();
    const lastId = known?.value ?? 0;
    const deleted = id > 0 && id <= lastId ? this.#deletedRecord(id) : undefined;
    return stored === undefined && deleted && sees(rights, deleted) ? deleted : undefined;
  }

  #storedRecord(id: number): EverRecord | undefined {
    const { zone, record } = this.#records.byId(id) ?? {};
    return zone && record && { zone, owner: record.owner, type: record.type };
  }

  /** Looks through all that was ever removed: nothing else knows where a deleted record stood. */
  #deletedRecord(id: number): EverRecord | undefined {
    const test = new HistoryTest({ recordId: id }, allRecords);
    let newest: { seq: number; stream: number } | undefined;
    let record: ZoneRecord | undefined;
    for (const part of this.#removedParts.iterate(test.bytes)) {
      const [removed] = test.matching(part);
      const removal = removed && this.#rows.ofPart(part.place);
      if (removal === undefined || removal.seq <= (newest?.seq ?? 0)) continue;
      newest = removal;
      record = removed;
    }
    const zone = newest && this.#zones.byId(newest.stream);
    return zone && record && { zone, owner: record.owner, type: record.type };
  }
}

function sees(rights: Rights, { zone, owner, type }: EverRecord): boolean {
  return rights.seesRecord(zone.id, owner, type);
}

/** The serial is for a list without deletions, which have none. */
const positionOf = ({ seq, serial }: ZoneEventRow): Position => [seq, serial ?? 0];
const lastOf = ([seq, serial]: Position) => ({ seq: Number(seq), serial: Number(serial) });

function emptyChange(serial: number | null): RecordChange {
  return { serial, removed: [], added: [], removedCount: 0, addedCount: 0 };
}

export function isTouched({ removedCount, addedCount }: RecordChange): boolean {
  return removedCount + addedCount > 0;
}

/** Takes in what passes the filter; beyond what is returned it is only counted. */
function take(part: DeltaPart, test: HistoryTest, change: RecordChange): void {
  const isRemoved = part.change === removedSet;
  const set = isRemoved ? change.removed : change.added;
  for (const record of test.matching(part)) {
    if (change.removedCount + change.addedCount < maxRecordsReturned) set.push(record);
    if (isRemoved) change.removedCount++;
    else change.addedCount++;
  }
}

/** The diff of a step; empty, and left out, where it changed more records than are returned. */
export function diffOf(
  apex: NameKey,
  { removed, added, removedCount, addedCount }: RecordChange,
): { readonly diff: RecordDiff; readonly isLeftOut: boolean } {
  const isLeftOut = removedCount + addedCount > maxRecordsReturned;
  const diff = isLeftOut ? { apex, entries: [] } : diffRecords(apex, removed, added);
  return { diff, isLeftOut };
}

function entryOf(zone: Zone, row: ZoneEventRow, change: RecordChange): HistoryEntry {
  const { serial, at, changeSource, requestId, reason, reference, kind, payload } = row;
  const { removedCount, addedCount } = change;
  const { diff, isLeftOut } = diffOf(apexOf(zone), change);
  const who = { changeSource, changedBy: changedByOf(row), actor: actorOf(row) };
  const why = { requestId, reason, reference };
  return {
    serial,
    createdAt: at,
    ...who,
    ...why,
    kind,
    diff,
    diffLeftOut: isLeftOut,
    removedCount,
    addedCount,
    signing: payload === null ? null : signingChange(payload),
    settingsChanged: payload === null ? [] : settingsChanged(payload),
  };
}

export function signingChange(payload: string): SigningChange | null {
  if (!payload.includes('"signing":')) return null;
  const { signing } = JSON.parse(payload) as StoredZoneEvent;
  // A change of the zone may carry the state along without being about it.
  if (signing === undefined || signing.reason === 'zone-changed') return null;
  return { reason: signing.reason, keyTags: signing.keyTags ?? [] };
}
