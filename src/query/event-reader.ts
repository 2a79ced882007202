/**
 * What one caller sees of the events of the journal: of a zone that it may read, with the records that it may read of
 * it; of administration by the action that each kind needs.
 */
import type { ZoneEventKind } from '../base/event-kind.ts';
import { type NameKey, parseAbsoluteName } from '../dns/name.ts';
import type { RecordDiff } from '../domain/diff.ts';
import type { Rights } from '../domain/access/rights.ts';
import { policies, secondaries, seesAccess } from '../domain/access/visibility.ts';
import { administrationStream, type StoredZoneEvent, keepsSerial } from '../domain/event.ts';
import type { HeaderRow, StoredEvent, WantedRows } from './event-rows.ts';
import { HistoryTest } from './history-filter.ts';
import {
  diffOf,
  type HistoryQueries,
  isTouched,
  signingChange,
  type SigningChange,
} from './history-queries.ts';
import { ReadableRecords } from './record-scope.ts';
import { actorOf, type EventActor, settingsChanged } from './zone-events.ts';

/** Of signing alone. */
const signingKind = /^zone\.sign/;

/** Entries of a diff that stand in a list. */
const maxEntriesReturned = 100;

/** Who calls; nulls for who has no name, which is not the service itself. */
interface Caller {
  readonly kind: string | null;
  readonly name: string | null;
}

export interface EventFilter extends Pick<WantedRows, 'zoneId' | 'since' | 'until'> {
  /** Absolute: what had this name then. */
  readonly name?: NameKey | undefined;
  /** Relative to the zone that `zoneId` names, whatever names that had. */
  readonly owner?: NameKey | undefined;
  readonly type?: number | undefined;
  /** Name of a token, TSIG key or local user. */
  readonly actor?: string | undefined;
  /** Only what one caller did: a token and a local user may have the same name. */
  readonly own?: Caller | undefined;
  readonly source?: string | undefined;
  readonly kind?: string | undefined;
  /** Only changes of signing alone, or none of them. */
  readonly signing?: boolean | undefined;
  /** A part of the reason or the reference, in small letters. */
  readonly reason?: string | undefined;
}

export interface EventSummary {
  /** Records. */
  readonly added: number;
  readonly removed: number;
  /** RRsets that are different after it; null for more than 1,000 records, which are not compared. */
  readonly changed: number | null;
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
  /** Null where the diff is. */
  readonly summary: EventSummary | null;
  /** Null once retention has deleted it. */
  readonly diff: RecordDiff | null;
  /** Of the diff as it is here: it had more entries, or more than 1,000 records, and then has none. */
  readonly diffTruncated: boolean;
  readonly settingsChanged: readonly string[];
  readonly signing: SigningChange | null;
  /** What an event of administration says of itself. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** True when the event had more than this caller may read. */
  readonly redacted: boolean;
  /** True when it had records that this caller may not read. */
  readonly hidesRecords: boolean;
  readonly hash: Buffer;
  readonly prevHash: Buffer;
}

function isBy({ kind, name }: Caller, { actorKind, actorName, changeSource }: HeaderRow): boolean {
  return actorKind === kind && actorName === name && (kind !== null || changeSource !== 'system');
}

/** What one caller sees of events that pass a filter. */
export class EventReader {
  readonly filter: EventFilter;
  readonly #history: HistoryQueries;
  readonly #rights: Rights;
  readonly #readable: ReadableRecords;

  constructor(history: HistoryQueries, rights: Rights, filter: EventFilter) {
    this.filter = filter;
    this.#history = history;
    this.#rights = rights;
    this.#readable = new ReadableRecords(rights);
  }

  see(event: StoredEvent): SeenEvent | undefined {
    const { row } = event;
    if (!this.#passes(row)) return undefined;
    return row.stream === administrationStream
      ? this.#seeAdministration(event)
      : this.#seeZone(event);
  }

  /** Also for rows that were read for others, within other bounds. */
  #passes(row: HeaderRow): boolean {
    const { kind, changeSource, actorName, reason: said, reference } = row;
    const { actor, own, source, kind: wanted, signing, reason } = this.filter;
    const { zoneId, since = 0, until } = this.filter;
    if (zoneId !== undefined && row.stream !== zoneId) return false;
    if (row.at < since || (until !== undefined && row.at > until)) return false;
    if (wanted !== undefined && kind !== wanted) return false;
    if (signing !== undefined && signingKind.test(kind) !== signing) return false;
    if (source !== undefined && changeSource !== source) return false;
    if (actor !== undefined && actorName !== actor) return false;
    if (own !== undefined && !isBy(own, row)) return false;
    if (reason === undefined) return true;
    return [said, reference].some((text) => text?.toLowerCase().includes(reason) ?? false);
  }

  #seeAdministration({ row, payload }: StoredEvent): SeenEvent | undefined {
    const { name, owner, type } = this.filter;
    if ((name ?? owner ?? type) !== undefined) return undefined;
    if (!seesKind(this.#rights, row.kind)) return undefined;
    return {
      ...headerOf(row),
      ...nothing,
      zone: null,
      details: payload === null ? null : JSON.parse(payload),
    };
  }

  #seeZone(event: StoredEvent): SeenEvent | undefined {
    const { row } = event;
    const { stream, kind } = row;
    const rights = this.#rights;
    if (!rights.sees(stream)) return undefined;
    const name = event.zoneName;
    const apex = parseAbsoluteName(name);
    const owner = this.#ownerIn(apex);
    if (owner === null) return undefined;
    const wants = owner !== undefined || this.filter.type !== undefined;
    const readable = this.#readable.in(stream);
    const seesZone = rights.inZone('zone:read', stream);
    const { payload } = event;
    const zone = { id: stream, name, deleted: event.isOfDeletedZone };
    if (payload === null || keepsSerial(kind as ZoneEventKind)) {
      if (wants || !seesZone) return undefined;
      const diff = payload === null ? null : { apex, entries: [] };
      const signing = payload === null ? null : signingChange(payload);
      const summary = payload === null ? null : { added: 0, removed: 0, changed: 0 };
      const details = payload === null ? null : detailsOf(kind, payload);
      return { ...headerOf(row), ...nothing, zone, summary, diff, signing, details };
    }
    const test = new HistoryTest({ name: owner, type: this.filter.type }, readable);
    const change = this.#history.changeOf(event.row, test, event.partsFrom(this.#history));
    if (!isTouched(change) && (wants || !seesZone)) return undefined;
    const { removed, added } = JSON.parse(payload) as { removed: number; added: number };
    const { diff, isLeftOut } = diffOf(apex, change);
    const hidesRecords =
      !readable.isAll && removed + added > change.removedCount + change.addedCount;
    const counts = { added: change.addedCount, removed: change.removedCount };
    return {
      ...headerOf(row),
      zone,
      summary: { ...counts, changed: isLeftOut ? null : diff.entries.length },
      diff: { apex, entries: diff.entries.slice(0, maxEntriesReturned) },
      diffTruncated: isLeftOut || diff.entries.length > maxEntriesReturned,
      settingsChanged: seesZone ? settingsChanged(payload) : [],
      signing: seesZone ? signingChange(payload) : null,
      details: null,
      redacted: !seesZone || hidesRecords,
      hidesRecords,
    };
  }

  /** The owner that is asked for relative to a zone; undefined for any, null for one outside of it. */
  #ownerIn(apex: NameKey): NameKey | undefined | null {
    const { name, owner } = this.filter;
    if (name === undefined) return owner;
    return name.startsWith(apex) ? (name.slice(apex.length) as NameKey) : null;
  }
}

/** What an event has that changed no record and no setting. */
const nothing = {
  summary: null,
  diff: null,
  diffTruncated: false,
  settingsChanged: [],
  signing: null,
  details: null,
  redacted: false,
  hidesRecords: false,
} as const;

function headerOf(row: HeaderRow) {
  const { seq, at, kind, serial, changeSource, requestId, reason, reference } = row;
  const { hash, prevHash } = row;
  const header = { seq, at, kind, serial, actor: actorOf(row), source: changeSource };
  return { ...header, requestId, reason, reference, hash, prevHash };
}

/** What an event that takes no serial says besides. */
function detailsOf(kind: string, payload: string): SeenEvent['details'] {
  const { tag, forgotten } = JSON.parse(payload) as StoredZoneEvent;
  if (kind === 'zone.tagged') return { tag };
  if (kind !== 'zone.history-forgotten' || forgotten === undefined) return null;
  const { versions, oldestSerial } = forgotten;
  return { forgotten: { versions, oldestSerial } };
}

/** Whether the rights reach events of administration of a kind. */
function seesKind(rights: Rights, kind: string): boolean {
  if (kind.startsWith('secondary.')) return secondaries.sees(rights);
  if (kind.startsWith('policy.')) return policies.sees(rights);
  return seesAccess(rights);
}
