/**
 * The history of a zone or of what stands in it: who changed what, when, and by which door.
 *
 * An entry tells of one event. With a filter only steps that touch matching records are listed, and
 * their diffs are narrowed to those; SQLite looks for the octets such records must have, so that steps
 * without them are never taken apart. What retention has dropped is not listed.
 */
import type { NameKey } from '../dns/name.ts';
import { fullRights, type Rights } from '../domain/access/rights.ts';
import { diffRecords, type RecordDiff } from '../domain/diff.ts';
import type { ZoneEventKind } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone, type ZoneSettings } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type DeltaPart, placeOf, placesPerEvent, removedHalf } from '../journal/delta.ts';
import { PartCountCheck, PartQuery } from '../journal/delta-row.ts';
import { decodeSettings, payloadOf } from '../journal/event-row.ts';
import { type HistoryFilter, HistoryTest } from './history-filter.ts';
import type { Listed, Page } from './page.ts';
import { RecordQueries } from './record-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { type ChangedBy, changedByOf, type ZoneEventRow, zoneEventColumns } from './version-row.ts';
import { placesOfEvent } from './version-steps.ts';
import { ZoneQueries } from './zone-queries.ts';

export type { HistoryFilter } from './history-filter.ts';

export interface HistoryEntry {
  /** Null for a deletion, which takes no step. */
  readonly serial: number | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changeSource: string;
  readonly changedBy: ChangedBy;
  readonly requestId: string | null;
  readonly kind: ZoneEventKind;
  /** What the step itself removed and added, RRset by RRset, as far as the filter asks for it. */
  readonly diff: RecordDiff;
  /** The diff is empty because the step changed more records than a history shows. */
  readonly diffLeftOut: boolean;
  /** Records that the step removed and added, as far as the filter asks for them. */
  readonly removedCount: number;
  readonly addedCount: number;
  /** Names of the settings that the step changed, the serial left out. */
  readonly settingsChanged: readonly (keyof ZoneSettings)[];
}

/** A record that stands in a stored zone, or stood in it last as told here. */
export interface EverRecord {
  readonly zone: Zone;
  readonly owner: NameKey;
  readonly type: number;
}

/** Records of one step that a history shows: an import is compared by its versions. */
export const recordsShown = 1000;

/** For looking where a record stood, which is before anybody is told. */
const allRecords = new ReadableRecords(fullRights).in(0);

/** The records of one step that pass the filter. */
interface StepChange {
  readonly serial: number | null;
  readonly removed: ZoneRecord[];
  readonly added: ZoneRecord[];
  removedCount: number;
  addedCount: number;
}

/** What a part of a step is read with. */
interface PartOfStep {
  readonly serial: number;
}

/** Checkpoints, and what is noted for signing, change nothing that the zone serves. */
const told = `stream = ? AND payload IS NOT NULL
  AND kind NOT IN ('zone.checkpointed', 'zone.signing-noted')`;

export class HistoryQueries {
  readonly #connection: Connection;
  readonly #partCounts: PartCountCheck;
  readonly #bySerial: Statement;
  readonly #bySeq: Statement;
  readonly #deletions: Statement;
  readonly #count: Statement;
  readonly #version: Statement;
  readonly #parts: PartQuery;
  readonly #counts: Statement;
  readonly #touching: PartQuery<PartOfStep>;
  readonly #touchingIds: PartQuery<PartOfStep>;
  readonly #lastId: Statement;
  readonly #removedParts: PartQuery;
  readonly #eventOf: Statement;
  readonly #records: RecordQueries;
  readonly #zones: ZoneQueries;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#partCounts = new PartCountCheck(connection);
    const page = (order: string) =>
      connection.prepare(
        `SELECT ${zoneEventColumns} FROM event WHERE ${told} ${order} DESC LIMIT ? OFFSET ?`,
      );
    this.#bySerial = page('AND serial IS NOT NULL ORDER BY serial');
    this.#bySeq = page('ORDER BY seq');
    this.#deletions = connection.prepare(
      `SELECT 1 FROM event WHERE stream = ? AND serial IS NULL AND kind = 'zone.deleted' LIMIT 1`,
    );
    this.#count = connection.prepare(`SELECT count(*) FROM event WHERE ${told}`).pluck();
    this.#version = connection.prepare(
      `SELECT ${zoneEventColumns} FROM event WHERE stream = ? AND serial = ?`,
    );
    const parts = 'FROM event_delta WHERE place BETWEEN ? AND ? AND layer = 0';
    this.#parts = new PartQuery(
      connection,
      'whole',
      'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place',
    );
    this.#counts = connection.prepare(
      `SELECT coalesce(sum(iif(change = ${removedHalf}, count, 0)), 0) AS removedCount,
        coalesce(sum(iif(change = ${removedHalf}, 0, count)), 0) AS addedCount ${parts}`,
    );
    const touching = (column: string) =>
      new PartQuery<PartOfStep>(
        connection,
        'whole',
        `WHERE ${told} AND serial IS NOT NULL AND layer = 0 AND instr(${column}, ?) > 0
         ORDER BY serial DESC`,
        { from: `event CROSS JOIN event_delta ON ${placesOfEvent}`, also: ', serial' },
      );
    this.#touching = touching('records');
    this.#touchingIds = touching('ids');
    this.#lastId = connection.prepare("SELECT value FROM counter WHERE name = 'record'").pluck();
    this.#removedParts = new PartQuery(
      connection,
      'whole',
      `WHERE change = ${removedHalf} AND layer = 0 AND instr(ids, ?) > 0`,
    );
    // Both are found by key: an event's own parts by its number, staged ones by their index.
    this.#eventOf = connection.prepare(
      `SELECT seq, stream FROM event WHERE seq = $delta AND delta = seq
       UNION ALL SELECT seq, stream FROM event WHERE delta = $delta AND delta <> seq`,
    );
    this.#records = new RecordQueries(connection);
    this.#zones = new ZoneQueries(connection);
  }

  /** Newest first; of records only what the caller may read. */
  list(rights: Rights, zone: Zone, filter: HistoryFilter, page: Page): Listed<HistoryEntry> {
    const test = new HistoryTest(filter, new ReadableRecords(rights).in(zone.id));
    this.#partCounts.requireAll(zone.id, 0, zone.serial);
    return test.passesAll ? this.#listAll(zone, test, page) : this.#listTouching(zone, test, page);
  }

  #listAll(zone: Zone, test: HistoryTest, { limit, offset }: Page): Listed<HistoryEntry> {
    const total = this.#count.get(zone.id) as number;
    // Deletions have no serial: only where there are any, all events are put in order by number.
    const statement = this.#deletions.get(zone.id) === undefined ? this.#bySerial : this.#bySeq;
    const rows = statement.all(zone.id, limit, offset) as ZoneEventRow[];
    return { items: rows.map((row) => this.#entryOf(zone, row, this.#changeOf(row, test))), total };
  }

  #entryOf(zone: Zone, row: ZoneEventRow, change: StepChange): HistoryEntry {
    return entryOf(zone, { ...row, payload: payloadOf(this.#connection, row) }, change);
  }

  /** All user records that a step changed, unless they are too many to be shown. */
  #changeOf({ serial, delta }: ZoneEventRow, test: HistoryTest): StepChange {
    const places = [placeOf(delta, 0), placeOf(delta + 1, -1)];
    const counts = this.#counts.get(...places) as { removedCount: number; addedCount: number };
    if (counts.removedCount + counts.addedCount > recordsShown) {
      return { serial, removed: [], added: [], ...counts };
    }
    const change = emptyChange(serial);
    for (const part of this.#parts.all(...places)) take(part, test, change);
    return change;
  }

  #listTouching(zone: Zone, test: HistoryTest, { limit, offset }: Page): Listed<HistoryEntry> {
    const items: HistoryEntry[] = [];
    let total = 0;
    for (const change of this.#changesTouching(zone.id, test)) {
      if (total >= offset && items.length < limit) {
        const row = this.#version.get(zone.id, change.serial) as ZoneEventRow;
        items.push(this.#entryOf(zone, row, change));
      }
      total++;
    }
    return { items, total };
  }

  /** The steps that touch what a filter asks for, newest first. */
  *#changesTouching(zoneId: number, test: HistoryTest): Generator<StepChange> {
    const statement = test.wantsId ? this.#touchingIds : this.#touching;
    let change: StepChange | undefined;
    for (const part of statement.iterate(zoneId, test.octets)) {
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
   * caller does not see it; that takes the same work as for one that is gone.
   */
  recordEver(rights: Rights, id: number): EverRecord | undefined {
    const stored = this.#storedRecord(id);
    if (stored !== undefined && sees(rights, stored)) return stored;
    const lastId = (this.#lastId.get() as number | undefined) ?? 0;
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
    for (const part of this.#removedParts.iterate(test.octets)) {
      const [removed] = test.matching(part);
      // Parts of a stage that was not published belong to no event.
      const event = removed && this.#newerEvent(part.place, newest?.seq ?? 0);
      if (event === undefined) continue;
      newest = event;
      record = removed;
    }
    const zone = newest && this.#zones.byId(newest.stream);
    return zone && record && { zone, owner: record.owner, type: record.type };
  }

  /** The event that a part belongs to, when it came after another. */
  #newerEvent(place: number, seq: number): { seq: number; stream: number } | undefined {
    const delta = Math.floor(place / placesPerEvent);
    const event = this.#eventOf.get({ delta }) as { seq: number; stream: number } | undefined;
    return event !== undefined && event.seq > seq ? event : undefined;
  }
}

function sees(rights: Rights, { zone, owner, type }: EverRecord): boolean {
  return rights.seesRecord(zone.id, owner, type);
}

function emptyChange(serial: number | null): StepChange {
  return { serial, removed: [], added: [], removedCount: 0, addedCount: 0 };
}

function isTouched({ removedCount, addedCount }: StepChange): boolean {
  return removedCount + addedCount > 0;
}

/** Takes in what passes the filter; beyond what is shown it is only counted. */
function take(part: DeltaPart, test: HistoryTest, change: StepChange): void {
  const isRemoved = part.change === removedHalf;
  const half = isRemoved ? change.removed : change.added;
  for (const record of test.matching(part)) {
    if (change.removedCount + change.addedCount < recordsShown) half.push(record);
    if (isRemoved) change.removedCount++;
    else change.addedCount++;
  }
}

function entryOf(zone: Zone, row: ZoneEventRow, change: StepChange): HistoryEntry {
  const { serial, at, changeSource, requestId, kind, payload } = row;
  const { removed, added, removedCount, addedCount } = change;
  const diffLeftOut = removedCount + addedCount > recordsShown;
  const apex = apexOf(zone);
  return {
    serial,
    createdAt: at,
    changeSource,
    changedBy: changedByOf(row),
    requestId,
    kind,
    diff: diffLeftOut ? { apex, entries: [] } : diffRecords(apex, removed, added),
    diffLeftOut,
    removedCount,
    addedCount,
    settingsChanged: payload === null ? [] : settingsChanged(payload),
  };
}

function settingsChanged(payload: string): (keyof ZoneSettings)[] {
  const { before, after } = decodeSettings(payload);
  if (before === null || after === null) return [];
  const keys = Object.keys(after) as (keyof ZoneSettings)[];
  return keys.filter((key) => key !== 'serial' && before[key] !== after[key]);
}
