/**
 * How far back the history of a zone is retained, and what of that is older than some moment: what retention
 * asks before it deletes anything. All questions are answered by indexes, whatever the length of the journal.
 */
import {
  and,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  max,
  min,
  ne,
  notInArray,
  or,
  sql,
  type SQL,
} from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Forgettable } from '../domain/decision.ts';
import type { ZoneEventKind } from '../base/event-kind.ts';
import type { Forgotten } from '../domain/event.ts';
import { sightings } from '../domain/signing.ts';
import type { Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { replacedBy } from '../journal/history-drop.ts';
import { event } from '../journal/schema.ts';
import { deletedZone, zone, zoneSigning } from '../projection/schema.ts';
import { countOf, type Tables, tablesOf } from '../projection/tables.ts';
import { signerKind, ZoneEvents } from './zone-events.ts';

/** What a checkpoint that is there replaces. */
interface Base {
  readonly seq: number;
  readonly upToSeq: number;
  readonly serial: number;
  /** Checkpoints that are there. */
  readonly count: number;
}

interface SignerEvent {
  readonly seq: number;
  /** The step after it; null for the last one. */
  readonly replacedBy: number | null;
}

/** A zone that is to be purged. By its serial a later deletion is known from the one that was found. */
export type DeletionDue = Pick<Zone, 'id' | 'name' | 'serial'>;

/** SQLite, with STAT4 as it is built here, plans again for every value that is bound in a comparison. */
const bound = '(? + 0)';

/** Kinds of events that take no serial and that somebody causes; what the service has seen by itself is left out. */
const settingKinds: ZoneEventKind[] = [
  'zone.tagged',
  'zone.desired-assigned',
  'zone.signing-noted',
];

/** Zones looked at in one go: some milliseconds. */
const zonesPerGo = 50;

export class ZoneHistory {
  readonly #tables: Tables;
  readonly #events: ZoneEvents;
  readonly #base: Statement;
  readonly #eventsAfter: Statement;
  readonly #signerEventAfter: Statement;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#events = new ZoneEvents(connection);
    // By hand, for a pass of retention asks them of every zone there is.
    this.#base = connection.prepare(
      `SELECT max(seq) AS seq, payload ->> '$.standIn.upToSeq' AS upToSeq,
        payload ->> '$.zone.serial' AS serial, count(*) AS count FROM event
       WHERE stream = ${bound} AND serial IS NULL AND kind = 'zone.checkpointed'
        AND payload IS NOT NULL`,
    );
    this.#eventsAfter = connection
      .prepare(
        `SELECT seq FROM event WHERE stream = ${bound} AND serial > ${bound} AND payload IS NOT NULL
          AND kind <> '${signerKind}' ORDER BY serial LIMIT 2`,
      )
      .pluck();
    this.#signerEventAfter = connection.prepare(
      `SELECT seq, ${replacedBy} AS replacedBy FROM event WHERE stream = ${bound}
        AND serial > ${bound} AND payload IS NOT NULL AND kind = '${signerKind}'
       ORDER BY serial LIMIT 1`,
    );
  }

  /** True when a zone may have something to delete up to an event: cheap, for zones that have not. */
  isLong(zoneId: number, upToSeq: number): boolean {
    const oldest = this.#events.oldestRetained(zoneId);
    const [first] = this.#eventsAfter.all(zoneId, oldest) as number[];
    return first !== undefined && first <= upToSeq;
  }

  /**
   * True when a zone has steps, up to an event, that no checkpoint replaces. A zone's only step says
   * no more than a checkpoint would, so that it counts only when `everyEvent` does.
   */
  needsCheckpoint(zoneId: number, upToSeq: number, everyEvent: boolean): boolean {
    const base = this.#baseOf(zoneId);
    const seqs = this.#eventsAfter.all(zoneId, base?.serial ?? -1) as number[];
    const old = seqs.filter((seq) => seq <= upToSeq).length;
    return old >= (base === undefined && !everyEvent ? 2 : 1);
  }

  /** Up to which event a zone can delete what its versions hold; undefined where that is nothing. */
  droppable(zoneId: number, upToSeq: number): number | undefined {
    const base = this.#baseOf(zoneId);
    if (base === undefined) return undefined;
    const limit = Math.min(upToSeq, base.upToSeq);
    const oldest = this.#events.oldestRetained(zoneId);
    const [first] = this.#eventsAfter.all(zoneId, oldest) as number[];
    return (first !== undefined && first <= limit) || base.count > 1 ? limit : undefined;
  }

  /**
   * The same of steps that re-signed a zone. One that still is what the zone serves, or was at that event,
   * counts for nothing.
   */
  needsSignerCheckpoint(zoneId: number, upToSeq: number): boolean {
    const covered = this.#baseOf(zoneId)?.serial ?? -1;
    return this.#replacedAfter(zoneId, covered, upToSeq) !== undefined;
  }

  /** True when a zone has such versions that a checkpoint replaces. */
  hasDroppableSignerEvents(zoneId: number, upToSeq: number): boolean {
    const base = this.#baseOf(zoneId);
    if (base === undefined) return false;
    const first = this.#replacedAfter(zoneId, -1, upToSeq);
    return first !== undefined && first <= base.upToSeq;
  }

  /** The first step after a serial that re-signed a zone, if another replaced it up to an event. */
  #replacedAfter(zoneId: number, afterSerial: number, upToSeq: number): number | undefined {
    const row = this.#signerEventAfter.get(zoneId, afterSerial) as SignerEvent | undefined;
    if (row === undefined || row.replacedBy === null || row.replacedBy > upToSeq) return undefined;
    return row.seq;
  }

  #baseOf(zoneId: number): Base | undefined {
    const base = this.#base.get(zoneId) as Base;
    return base.count === 0 ? undefined : base;
  }

  /**
   * What is left of a zone's versions when those go that were replaced up to some event: the oldest one,
   * and how many go. Those that only re-signed it are not counted.
   */
  before({ id, serial }: Pick<Zone, 'id' | 'serial'>, upToSeq: number): Forgotten {
    const last = this.#events.lastPassing(id, serial, ({ seq }) => seq <= upToSeq);
    const { stream, serial: version, kind } = event;
    const versions = and(eq(stream, id), ne(kind, signerKind));
    const found = this.#serial(max(version), and(versions, lte(version, last?.serial ?? 0))) ?? 0;
    const oldest = this.#events.oldestRetained(id);
    const deletable = and(versions, gte(version, oldest), lt(version, found));
    const kept = and(eq(stream, id), gte(version, Math.max(found, oldest)));
    return {
      versions: found > oldest ? countOf(this.#tables, event, deletable) : 0,
      oldestSerial: this.#serial(min(version), kept)!,
    };
  }

  /** Whether there are events of a zone after one that take no serial and say what somebody has set. */
  isSetSince(id: number, seq: number): boolean {
    const { stream, serial, kind } = event;
    const reason = sql`${event.payload} ->> '$.signing.reason'`;
    const isSet = or(isNull(event.payload), isNull(reason), notInArray(reason, [...sightings]));
    const after = and(
      eq(stream, id),
      isNull(serial),
      gt(event.seq, seq),
      inArray(kind, settingKinds),
      isSet,
    );
    return (
      this.#tables.select({ seq: event.seq }).from(event).where(after).limit(1).get() !== undefined
    );
  }

  /** The same as `before`, and whether anything of it can go by the checkpoints that there are. */
  forgettable(of: Pick<Zone, 'id' | 'serial'>, upToSeq: number): Forgettable {
    const hasAny =
      this.droppable(of.id, upToSeq) !== undefined || this.hasDroppableSignerEvents(of.id, upToSeq);
    const needsCheckpoint = this.needsCheckpointForAll(of.id, upToSeq);
    return { ...this.before(of, upToSeq), upToSeq, hasAny, needsCheckpoint };
  }

  /** True when something up to an event, of users or of the signer, can go only once another checkpoint is there. */
  needsCheckpointForAll(zoneId: number, upToSeq: number): boolean {
    return (
      this.needsCheckpoint(zoneId, upToSeq, true) || this.needsSignerCheckpoint(zoneId, upToSeq)
    );
  }

  #serial(of: SQL<number | null>, where: SQL | undefined): number | null {
    return this.#tables.select({ serial: of }).from(event).where(where).get()!.serial;
  }

  /** False for a zone that is deleted. */
  isThere(zoneId: number): boolean {
    return (
      this.#tables.select({ id: zone.id }).from(zone).where(eq(zone.id, zoneId)).get() !== undefined
    );
  }

  /** The ids of some zones after one. */
  zonesAfter(id: number): number[] {
    return this.#ids(zone.id, zone, gt(zone.id, id));
  }

  /** Of those, only zones that are signed or were. */
  onceSignedAfter(id: number): number[] {
    const { zoneId } = zoneSigning;
    const stored = inArray(zoneId, this.#tables.select({ id: zone.id }).from(zone));
    return this.#ids(zoneId, zoneSigning, and(gt(zoneId, id), stored));
  }

  #ids(id: SQLiteColumn, table: SQLiteTable, where: SQL | undefined): number[] {
    const ids = this.#tables.select({ id }).from(table).where(where).orderBy(id).limit(zonesPerGo);
    return ids.all().map((row) => row.id as number);
  }

  deletedBefore(timeMs: number): DeletionDue[] {
    const { id, name, serial, deletedAt } = deletedZone;
    const zones = this.#tables.select({ id, name, serial }).from(deletedZone);
    return zones.where(lt(deletedAt, timeMs)).orderBy(id).limit(zonesPerGo).all();
  }
}
