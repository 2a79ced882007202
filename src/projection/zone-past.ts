/**
 * How far back a zone is told, and what of that is older than some moment: what retention asks before it
 * lets anything go. All questions are answered by indexes, whatever the length of the journal.
 */
import type { Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { replacedBy } from '../journal/history-drop.ts';
import { oldestTold, signerKind } from './version-row.ts';

/** What a checkpoint that is there stands in for. */
interface Base {
  readonly seq: number;
  readonly upToSeq: number;
  readonly serial: number;
  /** Checkpoints that are there. */
  readonly count: number;
}

interface SignerStep {
  readonly seq: number;
  /** The step after it; null for the last one. */
  readonly replacedBy: number | null;
}

/** What goes when the history of a zone before some moment does. */
export interface Forgetting {
  /** Versions that are told no more. */
  readonly versions: number;
  /** The oldest one that is still told: it was in force at that moment, or came after it. */
  readonly oldestSerial: number;
}

/** SQLite, with STAT4 as it is built here, plans anew for every value that it is shown in a comparison. */
const bound = '(? + 0)';

/** Zones looked at in one go: some milliseconds. */
const zonesPerGo = 50;

export class ZonePast {
  readonly #firstEvent: Statement;
  readonly #lastSeq: Statement;
  readonly #base: Statement;
  readonly #stepsAfter: Statement;
  readonly #signerStepAfter: Statement;
  readonly #oldest: Statement;
  readonly #floor: Statement;
  readonly #userFloor: Statement;
  readonly #count: Statement;
  readonly #first: Statement;
  readonly #zone: Statement;
  readonly #zones: Statement;
  readonly #onceSigned: Statement;
  readonly #deletedBefore: Statement;

  constructor(connection: Connection) {
    this.#firstEvent = connection.prepare('SELECT at FROM event WHERE seq = ?').pluck();
    this.#lastSeq = connection.prepare('SELECT max(seq) FROM event').pluck();
    this.#base = connection.prepare(
      `SELECT max(seq) AS seq, payload ->> '$.standIn.upToSeq' AS upToSeq,
        payload ->> '$.zone.serial' AS serial, count(*) AS count FROM event
       WHERE stream = ${bound} AND serial IS NULL AND kind = 'zone.checkpointed'
        AND payload IS NOT NULL`,
    );
    this.#stepsAfter = connection
      .prepare(
        `SELECT seq FROM event WHERE stream = ${bound} AND serial > ${bound} AND payload IS NOT NULL
          AND kind <> '${signerKind}' ORDER BY serial LIMIT 2`,
      )
      .pluck();
    this.#signerStepAfter = connection.prepare(
      `SELECT seq, ${replacedBy} AS replacedBy FROM event WHERE stream = ${bound}
        AND serial > ${bound} AND payload IS NOT NULL AND kind = '${signerKind}'
       ORDER BY serial LIMIT 1`,
    );
    this.#oldest = connection.prepare(`SELECT ${oldestTold(bound)}`).pluck();
    this.#floor = connection.prepare(
      `SELECT seq, serial FROM event WHERE stream = ? AND serial <= ?
       ORDER BY serial DESC LIMIT 1`,
    );
    this.#userFloor = connection
      .prepare(
        `SELECT serial FROM event WHERE stream = ? AND serial <= ? AND kind <> '${signerKind}'
         ORDER BY serial DESC LIMIT 1`,
      )
      .pluck();
    this.#count = connection
      .prepare(
        `SELECT count(*) FROM event WHERE stream = ? AND serial >= ? AND serial < ?
          AND kind <> '${signerKind}'`,
      )
      .pluck();
    this.#first = connection
      .prepare('SELECT min(serial) FROM event WHERE stream = ? AND serial >= ?')
      .pluck();
    this.#zone = connection.prepare('SELECT 1 FROM zone WHERE id = ?');
    this.#zones = connection
      .prepare(`SELECT id FROM zone WHERE id > ? ORDER BY id LIMIT ${zonesPerGo}`)
      .pluck();
    this.#onceSigned = connection
      .prepare(
        `SELECT zone_id FROM zone_signing WHERE zone_id > ? AND zone_id IN (SELECT id FROM zone)
         ORDER BY zone_id LIMIT ${zonesPerGo}`,
      )
      .pluck();
    this.#deletedBefore = connection.prepare(
      `SELECT id, name FROM deleted_zone WHERE deleted_at < ? ORDER BY id LIMIT ${zonesPerGo}`,
    );
  }

  /** The last event before a moment, 0 when there is none: later events never have earlier times. */
  lastSeqBefore(timeMs: number): number {
    let low = 0;
    let high = (this.#lastSeq.get() as number | null) ?? 0;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#firstEvent.get(middle) as number) < timeMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** True when a zone may have something to let go of up to an event: cheap, for zones that have not. */
  isLong(zoneId: number, upToSeq: number): boolean {
    const oldest = this.#oldest.get(zoneId) as number;
    const [first] = this.#stepsAfter.all(zoneId, oldest) as number[];
    return first !== undefined && first <= upToSeq;
  }

  /**
   * True when a zone has steps up to an event that no checkpoint stands in for. A zone's only step says
   * no more than a checkpoint would, so that it counts only when `everyStep` does.
   */
  needsCheckpoint(zoneId: number, upToSeq: number, everyStep: boolean): boolean {
    const base = this.#baseOf(zoneId);
    const seqs = this.#stepsAfter.all(zoneId, base?.serial ?? -1) as number[];
    const old = seqs.filter((seq) => seq <= upToSeq).length;
    return old >= (base === undefined && !everyStep ? 2 : 1);
  }

  /** Up to which event a zone can let go of what its steps hold; undefined when nothing is there to go. */
  droppable(zoneId: number, upToSeq: number): number | undefined {
    const base = this.#baseOf(zoneId);
    if (base === undefined) return undefined;
    const limit = Math.min(upToSeq, base.upToSeq);
    const oldest = this.#oldest.get(zoneId) as number;
    const [first] = this.#stepsAfter.all(zoneId, oldest) as number[];
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

  /** True when a zone has such steps that a checkpoint stands in for. */
  hasDroppableSignerSteps(zoneId: number, upToSeq: number): boolean {
    const base = this.#baseOf(zoneId);
    if (base === undefined) return false;
    const first = this.#replacedAfter(zoneId, -1, upToSeq);
    return first !== undefined && first <= base.upToSeq;
  }

  /** The first step after a serial that re-signed a zone, if another replaced it up to an event. */
  #replacedAfter(zoneId: number, afterSerial: number, upToSeq: number): number | undefined {
    const row = this.#signerStepAfter.get(zoneId, afterSerial) as SignerStep | undefined;
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
  before({ id, serial }: Pick<Zone, 'id' | 'serial'>, upToSeq: number): Forgetting {
    let found = 0;
    let low = 0;
    let high = serial;
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#floor.get(id, middle) as { seq: number; serial: number } | undefined;
      if (row === undefined || row.seq <= upToSeq) {
        found = row?.serial ?? found;
        low = middle + 1;
      } else {
        high = row.serial - 1;
      }
    }
    found = (this.#userFloor.get(id, found) as number | undefined) ?? 0;
    const oldest = this.#oldest.get(id) as number;
    const versions = found > oldest ? (this.#count.get(id, oldest, found) as number) : 0;
    const oldestSerial = this.#first.get(id, Math.max(found, oldest)) as number;
    return { versions, oldestSerial };
  }

  /** False for a zone that is deleted. */
  isThere(zoneId: number): boolean {
    return this.#zone.get(zoneId) !== undefined;
  }

  /** The ids of some zones after one. */
  zonesAfter(id: number): number[] {
    return this.#zones.all(id) as number[];
  }

  /** Of those, only zones that are signed or were. */
  onceSignedAfter(id: number): number[] {
    return this.#onceSigned.all(id) as number[];
  }

  deletedBefore(timeMs: number): { id: number; name: string }[] {
    return this.#deletedBefore.all(timeMs) as { id: number; name: string }[];
  }
}
