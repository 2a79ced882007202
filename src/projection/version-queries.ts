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
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { ZoneEventKind } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { settingsOf, type Zone, type ZoneSettings } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { decodeSettings, payloadOf, type ServedPayload } from '../journal/event-row.ts';
import {
  type EverRecord,
  type HistoryEntry,
  type HistoryFilter,
  HistoryQueries,
} from './history-queries.ts';
import type { Listed, Page } from './page.ts';
import { NodesNow, ZoneNow } from './version-now.ts';
import { sameRecords } from './version-past.ts';
import { recordsInStretch } from './version-records.ts';
import {
  type ChangedBy,
  changedByOf,
  oldestTold,
  settingsAfter,
  signerKind,
  type ZoneEventRow,
  zoneEventColumns,
} from './version-row.ts';
import { VersionSteps } from './version-steps.ts';
import { octetsPerStretch, type Stretch, touchedStretches } from './version-stretch.ts';
import { textOfStretches } from './version-text.ts';

export type { EverRecord, HistoryEntry, HistoryFilter } from './history-queries.ts';

export interface ZoneVersion {
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changeSource: string;
  readonly changedBy: ChangedBy;
  readonly kind: ZoneEventKind;
  readonly settings: ZoneSettings;
}

export interface VersionFilter {
  /** Lists past serials too at which only derived records changed. */
  readonly includeSignerSerials: boolean;
  /** Milliseconds since 1970: only the version that was current then. */
  readonly at?: number | undefined;
}

/** An owner whose user records differ between two serials, with those of each in canonical order. */
export interface ChangedNode {
  readonly owner: NameKey;
  readonly before: readonly ZoneRecord[];
  readonly after: readonly ZoneRecord[];
}

/**
 * Versions that are told: the oldest even when its own step is not, by the step after it, and the
 * current one always, from the zone itself.
 */
const listed = `stream = $zoneId AND serial >= $oldest
  AND (payload IS NOT NULL OR serial = $oldest OR serial = $current)
  AND (kind <> '${signerKind}' OR $signer = 1 OR serial = $current)`;

export class VersionQueries {
  readonly #memoryOctets: number;
  readonly #connection: Connection;
  readonly #page: Statement;
  readonly #count: Statement;
  readonly #bySerial: Statement;
  readonly #floor: Statement;
  readonly #toldFloor: Statement;
  readonly #wasDeleted: Statement;
  readonly #oldest: Statement;
  readonly #nextStep: Statement;
  readonly #zoneNow: ZoneNow;
  readonly #steps: VersionSteps;
  readonly #derivedSteps: VersionSteps;
  readonly #history: HistoryQueries;

  /** `memoryOctets`: about what a read may hold of the steps at once; beyond it they are read again. */
  constructor(connection: Connection, memoryOctets = octetsPerStretch) {
    this.#connection = connection;
    this.#memoryOctets = memoryOctets;
    this.#page = connection.prepare(
      `SELECT ${zoneEventColumns} FROM event WHERE ${listed}
       ORDER BY serial DESC LIMIT $limit OFFSET $offset`,
    );
    this.#count = connection.prepare(`SELECT count(*) FROM event WHERE ${listed}`).pluck();
    this.#bySerial = connection.prepare(
      `SELECT ${zoneEventColumns} FROM event WHERE stream = ? AND serial = ?`,
    );
    this.#floor = connection.prepare(
      `SELECT seq, serial, at FROM event WHERE stream = ? AND serial <= ?
       ORDER BY serial DESC LIMIT 1`,
    );
    // Steps that only re-signed the zone may be gone; what users had put in was the same before them.
    this.#toldFloor = connection
      .prepare(
        `SELECT serial FROM event WHERE stream = ? AND serial <= ?
          AND (payload IS NOT NULL OR kind <> '${signerKind}') ORDER BY serial DESC LIMIT 1`,
      )
      .pluck();
    this.#wasDeleted = connection.prepare(
      `SELECT 1 FROM event WHERE stream = ? AND serial IS NULL AND kind = 'zone.deleted'
        AND seq > ? AND at <= ? LIMIT 1`,
    );
    this.#oldest = connection.prepare(`SELECT ${oldestTold('?')}`).pluck();
    this.#nextStep = connection.prepare(
      `SELECT payload, parts AS partCount, payload_checksum AS payloadChecksum, delta FROM event
       WHERE stream = ? AND serial > ? AND payload IS NOT NULL ORDER BY serial LIMIT 1`,
    );
    this.#zoneNow = new ZoneNow(connection);
    this.#steps = new VersionSteps(connection);
    this.#derivedSteps = new VersionSteps(connection, 'derived');
    this.#history = new HistoryQueries(connection);
  }

  /** Newest serial first. */
  list(zone: Zone, filter: VersionFilter, page: Page): Listed<ZoneVersion> {
    if (filter.at !== undefined) return this.#listAt(zone, filter.at, page);
    const signer = filter.includeSignerSerials ? 1 : 0;
    const oldest = this.#oldest.get(zone.id) as number;
    const bound = { zoneId: zone.id, current: zone.serial, oldest, signer };
    const rows = this.#page.all({ ...bound, ...page }) as ZoneEventRow[];
    const items = rows.map((row) => this.#versionOf(zone, row)!);
    return { items, total: this.#count.get(bound) as number };
  }

  #listAt(zone: Zone, timeMs: number, page: Page): Listed<ZoneVersion> {
    const serial = this.serialAt(zone, timeMs);
    const version = serial === undefined ? undefined : this.get(zone, serial);
    if (version === undefined) return { items: [], total: 0 };
    return { items: page.offset === 0 ? [version] : [], total: 1 };
  }

  /** The version of a serial; undefined when there was none or it is not told any more. */
  get(zone: Zone, serial: number): ZoneVersion | undefined {
    const row = this.#bySerial.get(zone.id, serial) as ZoneEventRow | undefined;
    return row && this.#versionOf(zone, row);
  }

  /**
   * The serial a zone was at or, when that one only re-signed it and is gone, the last one before that is
   * told; undefined before its first one and while it was deleted.
   */
  serialAt(zone: Zone, timeMs: number): number | undefined {
    const version = this.#versionAt(zone, timeMs);
    if (version === undefined || this.#wasDeleted.get(zone.id, version.seq, timeMs))
      return undefined;
    return this.#toldFloor.get(zone.id, version.serial) as number | undefined;
  }

  /** Events have an index by serial and none by time, but later serials never have earlier times. */
  #versionAt(zone: Zone, timeMs: number): { seq: number; serial: number } | undefined {
    let found: { seq: number; serial: number } | undefined;
    let low = 0;
    let high = zone.serial;
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#floor.get(zone.id, middle) as
        | { seq: number; serial: number; at: number }
        | undefined;
      if (row === undefined || row.at <= timeMs) {
        if (row !== undefined) found = row;
        low = middle + 1;
      } else {
        high = row.serial - 1;
      }
    }
    return found;
  }

  /** User records at a serial in canonical order, in batches. Costs the zone and the steps since. */
  records(zone: Zone, serial: number): Generator<readonly ZoneRecord[]> {
    this.#requireTold(zone, serial);
    return this.#records(zone, serial);
  }

  *#records(zone: Zone, serial: number): Generator<readonly ZoneRecord[]> {
    for (const stretch of this.#touched(zone, serial, limits.serial)) {
      yield* recordsInStretch(this.#zoneNow, zone.id, stretch);
    }
  }

  /** The same as the JSON text of an answer, without the brackets around it. */
  text(zone: Zone, serial: number): Generator<Uint8Array> {
    this.#requireTold(zone, serial);
    const stretches = this.#touched(zone, serial, limits.serial);
    return textOfStretches(this.#zoneNow, zone.id, stretches);
  }

  /**
   * The derived records in batches. Refused also where the signer steps since then are not told any more:
   * they are let go of earlier.
   */
  derivedRecords(zone: Zone, serial: number): Generator<readonly ZoneRecord[]> {
    this.#requireTold(zone, serial);
    if (!this.#derivedSteps.areTold(zone.id, serial)) {
      throw new Problem(
        'VERSION_NOT_FOUND',
        `zone '${zone.name}' has no signatures of the serial ${serial} any more`,
      );
    }
    return this.#derivedRecords(zone, serial);
  }

  *#derivedRecords(zone: Zone, serial: number): Generator<readonly ZoneRecord[]> {
    const steps = { from: serial, to: limits.serial };
    const memory = this.#memoryOctets;
    for (const stretch of touchedStretches(this.#derivedSteps, zone.id, steps, memory, 'derived')) {
      yield* recordsInStretch(this.#zoneNow, zone.id, stretch, 'derived');
    }
  }

  /**
   * Owners whose user records differ between two serials, in canonical order. Ids count as a difference:
   * a record that was deleted and made anew is another one. Costs the steps since the lesser serial.
   */
  changedNodes(zone: Zone, from: number, to: number): Generator<ChangedNode> {
    this.#requireTold(zone, from);
    this.#requireTold(zone, to);
    return this.#changedNodes(zone, from, to);
  }

  *#changedNodes(zone: Zone, from: number, to: number): Generator<ChangedNode> {
    if (from === to) return;
    const [earlier, later] = from < to ? [from, to] : [to, from];
    const recordCount = zone.recordCount + zone.derivedCount;
    for (const { owners } of this.#touched(zone, earlier, later)) {
      const nodesNow = new NodesNow(this.#zoneNow, zone.id, owners.length, recordCount);
      for (const [owner, touched] of owners) {
        const now = nodesNow.at(owner);
        const older = touched.before.recordsThen(now);
        const newer = touched.after?.recordsThen(now) ?? now;
        if (sameRecords(older, newer)) continue;
        if (from < to) yield { owner, before: older, after: newer };
        else yield { owner, before: newer, after: older };
      }
    }
  }

  #touched(zone: Zone, from: number, to: number): Generator<Stretch> {
    return touchedStretches(this.#steps, zone.id, { from, to }, this.#memoryOctets);
  }

  /** What changed, when and by whom, newest first; with a filter, only steps that touch what it asks for. */
  history(rights: Rights, zone: Zone, filter: HistoryFilter, page: Page): Listed<HistoryEntry> {
    return this.#history.list(rights, zone, filter, page);
  }

  /** A record that stands in a stored zone, or one deleted from it since, when the caller sees it. */
  recordEver(rights: Rights, id: number): EverRecord | undefined {
    return this.#history.recordEver(rights, id);
  }

  #versionOf(zone: Zone, row: ZoneEventRow): ZoneVersion | undefined {
    const { serial, kind, at, changeSource } = row;
    const settings = this.#settingsOf(zone, row);
    if (serial === null || settings === undefined) return undefined;
    return { serial, createdAt: at, changeSource, changedBy: changedByOf(row), kind, settings };
  }

  /** Where the payload is gone, the zone tells the current ones, and the next step the oldest told. */
  #settingsOf(zone: Zone, row: ZoneEventRow): ZoneSettings | undefined {
    const { serial } = row;
    const payload = payloadOf(this.#connection, row);
    if (payload !== null) return settingsAfter(payload);
    if (serial === null) return undefined;
    if (serial === zone.serial) return settingsOf(zone);
    if (serial !== this.#oldest.get(zone.id)) return undefined;
    const next = this.#nextStep.get(zone.id, serial) as ServedPayload | undefined;
    const told = next === undefined ? null : payloadOf(this.#connection, next);
    const before = told === null ? null : decodeSettings(told).before;
    return before === null ? undefined : { ...before, serial };
  }

  /** Refuses a serial that is no version, or since which a step is not told any more. */
  #requireTold(zone: Zone, serial: number): void {
    if (this.get(zone, serial) !== undefined && this.#steps.areTold(zone.id, serial)) return;
    throw new Problem(
      'VERSION_NOT_FOUND',
      `zone '${zone.name}' has no version with the serial ${serial}`,
    );
  }
}
