/**
 * Versions of a zone: what it was at each of its serials.
 *
 * A version's records are made of those of now and the steps since; nothing is kept for it. So a read
 * costs what it is asked for and what has changed since, not what the zone has ever been. Whoever reads in
 * batches keeps one state of the database open meanwhile: a read transaction, or no writing in between.
 *
 * Refused with VERSION_NOT_FOUND: a serial that the zone never had, and one that the journal can not
 * tell any more.
 */
import { and, eq, gt, gte, isNotNull, isNull, lte, max, ne, or, type SQL } from 'drizzle-orm';
import type { ZoneEventKind } from '../base/event-kind.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Moment } from '../contract/fields.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { noVersion, settingsOf, type Zone, type ZoneSettings } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { decodeSettings, payloadOf, type ServedPayload } from '../journal/event-row.ts';
import { event } from '../journal/schema.ts';
import { generationOfZoneEver, JoinedBlockQuery } from '../projection/block-row.ts';
import { type Listed, type Page, pageOf, pageOfAll } from '../projection/page.ts';
import { countOf, type Tables, tablesOf } from '../projection/tables.ts';
import { type ChangedRrsets, type ChangeFilter, LastChanges } from './changed-rrsets.ts';
import { allOwners, type KeyRange } from './key-range.ts';
import type { Layer } from './record-cursor.ts';
import { TagQueries, type ZoneTag } from './tag-queries.ts';
import { touchedBy } from './version-actor.ts';
import { VersionChanges } from './version-changes.ts';
import { VersionIndex } from './version-index.ts';
import { type ChangedNode, NodesNow, recordsThen } from './version-records.ts';
import { textThen } from './version-text.ts';
import { bytesPerRange, type TouchedRange, touchedRanges } from './version-undo.ts';
import {
  actorOf,
  type ChangedBy,
  changedByOf,
  type EventActor,
  settingsAfter,
  signerKind,
  type ZoneEventRow,
  ZoneEvents,
  zoneEventColumns,
} from './zone-events.ts';

export interface ZoneVersion {
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changeSource: string;
  readonly changedBy: ChangedBy;
  /** The same with users of this host. */
  readonly actor: EventActor | null;
  readonly changeReason: string | null;
  readonly changeReference: string | null;
  readonly kind: ZoneEventKind;
  readonly settings: ZoneSettings;
}

export interface VersionFilter {
  /** Lists past serials too at which only DNSSEC records changed. */
  readonly includeSignerSerials: boolean;
  /** Only the version that it names. */
  readonly at?: Moment | undefined;
}

/** The same of one change, with what stands there now. */
export interface TouchedNode extends ChangedNode {
  readonly now: readonly ZoneRecord[];
}

export class VersionQueries {
  readonly #memoryBytes: number;
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #events: ZoneEvents;
  readonly #blocks: JoinedBlockQuery;
  readonly #generation: Statement;
  readonly #tags: TagQueries;
  readonly #index: VersionIndex;
  readonly #userChanges: VersionChanges;
  readonly #dnssecChanges: VersionChanges;
  readonly #lastChanges: LastChanges;

  /** `memoryBytes`: about what a read may hold of the changes at once; beyond it they are read again. */
  constructor(connection: Connection, memoryBytes = bytesPerRange) {
    this.#connection = connection;
    this.#tables = tablesOf(connection);
    this.#memoryBytes = memoryBytes;
    this.#events = new ZoneEvents(connection);
    this.#blocks = new JoinedBlockQuery(connection, 'whole', 'ever');
    this.#generation = connection.prepare(`SELECT ${generationOfZoneEver}`).pluck();
    this.#tags = new TagQueries(connection);
    this.#index = new VersionIndex(connection);
    this.#userChanges = new VersionChanges(connection);
    this.#lastChanges = new LastChanges(connection, memoryBytes);
    this.#dnssecChanges = new VersionChanges(connection, { layer: 'dnssec' });
  }

  /** Newest serial first. */
  list(zone: Zone, filter: VersionFilter, page: Page): Listed<ZoneVersion> {
    if (filter.at !== undefined) return this.#listAt(zone, filter.at, page);
    const oldest = this.#events.oldestRetained(zone.id);
    const { payload, serial, kind } = event;
    const isCurrent = eq(serial, zone.serial);
    // The oldest even when its own content was dropped, by the change after it; the current one from the zone itself.
    const where = and(
      eq(event.stream, zone.id),
      gte(serial, oldest),
      or(isNotNull(payload), eq(serial, oldest), isCurrent),
      filter.includeSignerSerials ? undefined : or(ne(kind, signerKind), isCurrent),
    );
    const withSigning = filter.includeSignerSerials ? 1 : 0;
    const listing = { zoneId: zone.id, oldest, current: zone.serial, withSigning } as const;
    const total = this.#index.count(listing);
    const first = page.offset === 0 ? zone.serial : this.#index.at(listing, page.offset);
    if (first === undefined) return { items: [], total };
    const rows = (behind: SQL | undefined) =>
      this.#tables
        .select(zoneEventColumns)
        .from(event)
        .where(and(where, lte(serial, first), behind));
    const newestFirst = [{ column: serial, field: 'serial', descending: true }] as const;
    const listed = pageOf(rows, newestFirst, { ...page, offset: 0 }, total);
    return { ...listed, items: listed.items.map((row) => this.#versionOf(zone, row)!) };
  }

  #listAt(zone: Zone, at: Moment, page: Page): Listed<ZoneVersion> {
    const serial = this.serialOf(zone, at);
    const version = serial === undefined ? undefined : this.get(zone, serial);
    if (version === undefined) return { items: [], total: 0 };
    return pageOfAll([version], page, ({ serial }) => [serial]);
  }

  tags(zone: Zone): readonly ZoneTag[] {
    return this.#tags.of(zone.id);
  }

  /** The serial that a moment names; undefined for a time or a tag that names none. */
  serialOf(zone: Zone, moment: Moment): number | undefined {
    if ('serial' in moment) return moment.serial;
    if ('tag' in moment) return this.#tags.serialOf(zone.id, moment.tag);
    return this.serialAt(zone, moment.at);
  }

  /** The version of a serial; undefined when there was none or it is not retained. */
  get(zone: Zone, serial: number): ZoneVersion | undefined {
    const row = this.#events.at(zone.id, serial);
    return row && this.#versionOf(zone, row);
  }

  /**
   * The serial a zone was at or, when that one only re-signed it and is deleted, the last one before that is
   * retained; undefined before its first one and while it was deleted.
   */
  serialAt(zone: Zone, timeMs: number): number | undefined {
    const version = this.#events.lastPassing(zone.id, zone.serial, ({ at }) => at <= timeMs);
    if (version === undefined || this.#wasDeleted(zone, version.seq, timeMs)) return undefined;
    // Changes that only re-signed the zone may be gone; what users had put in was the same before them.
    const { serial, stream, payload, kind } = event;
    const same = or(isNotNull(payload), ne(kind, signerKind));
    const upTo = and(eq(stream, zone.id), lte(serial, version.serial), same);
    const last = this.#tables
      .select({ serial: max(serial) })
      .from(event)
      .where(upTo)
      .get();
    return last?.serial ?? undefined;
  }

  /** Whether it was deleted after an event, up to a time. */
  #wasDeleted(zone: Zone, seq: number, timeMs: number): boolean {
    const { stream, serial, kind, at } = event;
    const isDeletion = and(eq(stream, zone.id), isNull(serial), eq(kind, 'zone.deleted'));
    const since = and(isDeletion, gt(event.seq, seq), lte(at, timeMs));
    return countOf(this.#tables, event, since) > 0;
  }

  /** User records at a serial in canonical order, in batches. Costs the range and the steps since. */
  records(zone: Zone, serial: number, within = allOwners): Generator<readonly ZoneRecord[]> {
    this.#requireRetained(zone, serial);
    return recordsThen(this.#blocks, zone.id, this.#touched(zone, serial, limits.serial, within));
  }

  /** How many user records there were at a serial. Costs the changes since, not the records. */
  recordCount(zone: Zone, serial: number): number {
    this.#requireRetained(zone, serial);
    return zone.recordCount - this.#userChanges.increase(zone.id, serial, zone.serial);
  }

  /** What a filter asks of changes up to a serial; undefined where it asks nothing. */
  changedUpTo(zone: Zone, serial: number, filter: ChangeFilter): ChangedRrsets | undefined {
    return this.#lastChanges.upTo(zone.id, serial, filter);
  }

  recordsOf(
    layer: Layer,
    zone: Zone,
    serial: number,
    within: KeyRange,
  ): Generator<readonly ZoneRecord[]> {
    return layer === 'user'
      ? this.records(zone, serial, within)
      : this.dnssecRecords(zone, serial, within);
  }

  /** The same as the JSON text of an answer, without the brackets around it. */
  text(zone: Zone, serial: number): Generator<Uint8Array> {
    this.#requireRetained(zone, serial);
    return textThen(this.#blocks, zone, this.#touched(zone, serial, limits.serial));
  }

  /**
   * The DNSSEC records in batches. Refused also where the signer steps since then are not retained any more:
   * they are deleted earlier.
   */
  dnssecRecords(zone: Zone, serial: number, within = allOwners): Generator<readonly ZoneRecord[]> {
    this.#requireRetained(zone, serial);
    if (!this.#dnssecChanges.areRetained(zone.id, serial)) {
      const why = `zone '${zone.name}' has no signatures of the serial ${serial} any more`;
      throw new Problem('VERSION_NOT_FOUND', why);
    }
    const since = { from: serial, to: limits.serial };
    const memory = this.#memoryBytes;
    const ranges = touchedRanges(this.#dnssecChanges, zone.id, since, memory, 'dnssec', within);
    return recordsThen(this.#blocks, zone.id, ranges, 'dnssec');
  }

  /**
   * Owners whose user records differ between two serials, in canonical order. Ids count as a difference:
   * a record that was deleted and made anew is another one. Costs the steps since the lesser serial. With `actor` only
   * RRsets that who has this name changed in between, and of the others of an owner nothing.
   */
  changedNodes(
    zone: Zone,
    from: number,
    to: number,
    within = allOwners,
    actor?: string,
  ): Generator<ChangedNode> {
    this.#requireRetained(zone, from);
    this.#requireRetained(zone, to);
    const span = { from: Math.min(from, to), to: Math.max(from, to) };
    const nodes = this.#changedNodes(zone, from, to, within);
    if (actor === undefined) return nodes;
    const changes = new VersionChanges(this.#connection, { actor });
    const memoryBytes = this.#memoryBytes;
    return touchedBy({ changes, zoneId: zone.id, ...span, within, memoryBytes }, nodes);
  }

  *#changedNodes(zone: Zone, from: number, to: number, within: KeyRange): Generator<ChangedNode> {
    if (from === to) return;
    for (const node of this.#nodes(zone, Math.min(from, to), Math.max(from, to), within)) {
      const { owner, before, after } = node;
      yield from < to ? { owner, before, after } : { owner, before: after, after: before };
    }
  }

  /**
   * Owners that the change which led to a serial touched: before it, after it, and now. Refused with VERSION_NOT_FOUND
   * when it, or a change since, is not retained. Costs the steps since.
   */
  touchedNodes(zone: Zone, serial: number): Generator<TouchedNode> {
    if (this.#userChanges.areRetained(zone.id, serial - 1)) {
      return this.#nodes(zone, serial - 1, serial);
    }
    throw new Problem('VERSION_NOT_FOUND', `the changes since serial ${serial} are not retained`);
  }

  /** The settings before and after the change that led to a serial; undefined when it is not retained. */
  settingsAround(zone: Zone, serial: number): ReturnType<typeof decodeSettings> | undefined {
    const row = this.#events.at(zone.id, serial);
    const payload = row === undefined ? null : payloadOf(this.#connection, row);
    return payload === null ? undefined : decodeSettings(payload);
  }

  *#nodes(zone: Zone, earlier: number, later: number, within?: KeyRange): Generator<TouchedNode> {
    const recordCount = zone.recordCount + zone.dnssecCount;
    for (const { owners } of this.#touched(zone, earlier, later, within)) {
      const nodesNow = new NodesNow(this.#blocks, zone.id, owners.length, recordCount);
      for (const [owner, touched] of owners) {
        const now = nodesNow.at(owner);
        const older = touched.before.recordsThen(now);
        const newer = touched.after?.recordsThen(now) ?? now;
        if (sameRecords(older, newer)) continue;
        yield { owner, before: older, after: newer, now };
      }
    }
  }

  #touched(zone: Zone, from: number, to: number, within?: KeyRange): Generator<TouchedRange> {
    const [changes, memory] = [this.#userChanges, this.#memoryBytes];
    return touchedRanges(changes, zone.id, { from, to }, memory, 'user', within);
  }

  #versionOf(zone: Zone, row: ZoneEventRow): ZoneVersion | undefined {
    const { serial, kind, at, changeSource, reason, reference } = row;
    const settings = this.#settingsOf(zone, row);
    if (serial === null || settings === undefined) return undefined;
    const why = { changeReason: reason, changeReference: reference };
    const who = { changeSource, changedBy: changedByOf(row), actor: actorOf(row), ...why };
    return { serial, createdAt: at, ...who, kind, settings };
  }

  /** Where the payload is deleted, the zone has the current ones, and the next step the oldest retained. */
  #settingsOf(zone: Zone, row: ZoneEventRow): ZoneSettings | undefined {
    const { serial } = row;
    const payload = payloadOf(this.#connection, row);
    if (payload !== null) return settingsAfter(payload);
    if (serial === null) return undefined;
    if (serial === zone.serial) return settingsOf(zone);
    if (serial !== this.#events.oldestRetained(zone.id)) return undefined;
    const next = this.#nextChange(zone, serial);
    const nextPayload = next === undefined ? null : payloadOf(this.#connection, next);
    const before = nextPayload === null ? null : decodeSettings(nextPayload).before;
    return before === null ? undefined : { ...before, serial };
  }

  /** The change after a serial. */
  #nextChange(zone: Zone, serial: number): ServedPayload | undefined {
    return this.#tables
      .select(zoneEventColumns)
      .from(event)
      .where(and(eq(event.stream, zone.id), gt(event.serial, serial), isNotNull(event.payload)))
      .orderBy(event.serial)
      .limit(1)
      .get();
  }

  /**
   * Refuses a serial that is no version, or since which a step is not retained any more, and any of a zone that was
   * purged since it was found: its events may be there for a while, its records are not.
   */
  #requireRetained(zone: Zone, serial: number): void {
    const isRetained =
      this.get(zone, serial) !== undefined && this.#userChanges.areRetained(zone.id, serial);
    if (!isRetained || this.#generation.get(zone.id) === null) throw noVersion(zone, serial);
  }
}

/** True when two versions of an owner have the same records with the same ids and TTLs. */
function sameRecords(a: readonly ZoneRecord[], b: readonly ZoneRecord[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((record, index) => {
    const other = b[index]!;
    const { id, type, ttl, rdata } = record;
    return other.id === id && other.ttl === ttl && other.type === type && rdata.equals(other.rdata);
  });
}
