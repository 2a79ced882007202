/**
 * Events of the journal, page by page, each as far as the grants of a caller reach: of a zone that it may read, with
 * the records that it may read of it; of administration by the action that each kind needs.
 *
 * A page looks at `eventsLookedAt` events at most. Where a filter passes few of them the page is short, and the next one
 * goes on where it ended, so that no page costs more than its share however long the journal is.
 */
import { type NameKey, parseAbsoluteName } from '../dns/name.ts';
import { type RecordDiff, diffRecords } from '../domain/diff.ts';
import type { Rights } from '../domain/access/rights.ts';
import { seesAccess, seesPolicies, seesSecondaries } from '../domain/access/visibility.ts';
import { administrationStream } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { changedSettings, type ZoneSettings } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { removedHalf } from '../journal/delta.ts';
import { decodeSettings } from '../journal/event-row.ts';
import { EventRows, type HeaderRow } from './event-rows.ts';
import { HistoryTest } from './history-filter.ts';
import { signingChange, type SigningChange } from './history-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Events of which the headers are looked at for one page. */
const eventsLookedAt = 100_000;
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

/** Events that repeat what is there, or change nothing that a zone serves. */
const withoutRecords = new Set(['zone.checkpointed', 'zone.signing-noted']);

export class EventQueries {
  readonly #rows: EventRows;
  readonly #zones: ZoneQueries;

  constructor(connection: Connection) {
    this.#rows = new EventRows(connection);
    this.#zones = new ZoneQueries(connection);
  }

  page(rights: Rights, filter: EventFilter, page: EventPage): SeenEvents {
    const reader = this.#reader(rights, filter);
    const items: SeenEvent[] = [];
    let last: number | null = null;
    let lookedAt = 0;
    for (const row of this.#rows.within({ ...filter, ...page })) {
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
    const row = this.#rows.at(seq);
    return row && this.#reader(rights, {}).see(row);
  }

  #reader(rights: Rights, filter: EventFilter): EventReader {
    return new EventReader(this.#rows, this.#zones, rights, filter);
  }
}

/** What one caller sees of events that pass a filter. */
class EventReader {
  readonly #rows: EventRows;
  readonly #zones: ZoneQueries;
  readonly #rights: Rights;
  readonly #filter: EventFilter;
  readonly #readable: ReadableRecords;

  constructor(rows: EventRows, zones: ZoneQueries, rights: Rights, filter: EventFilter) {
    this.#rows = rows;
    this.#zones = zones;
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
    const payload = this.#rows.payload(row);
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
    const payload = this.#rows.payload(row);
    const zone = { id: stream, name, deleted: this.#zones.byId(stream) === undefined };
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
    for (const part of this.#rows.parts(delta)) {
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

function actorOf({
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
