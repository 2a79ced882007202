/**
 * Snapshots: one consistent state each, for as long as a transfer takes, on a read-only connection
 * of its own. Writers go on meanwhile; a transfer sees one serial from its first record to its last.
 *
 * Reads come in chunks, so that a transfer of a large zone gives the loop back between them. A
 * snapshot must be closed soon: an open one keeps the WAL from being checkpointed.
 */
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { soaRdata, type Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { openReader } from '../journal/reader-connection.ts';
import { placeOf, placesPerEvent, removedHalf } from '../journal/delta.ts';
import { decodeSettings } from '../journal/event-row.ts';
import { contentOfZone } from './block-row.ts';
import { CatalogQueries } from './catalog-queries.ts';
import { enclosingZone, type ZoneRow, zoneByApexQuery, zoneColumns, zoneOf } from './zone-row.ts';

/** Blocks read at a time: about 6,000 records, some hundred KB. */
const blocksPerChunk = 192;
/** Idle connections kept for the next snapshots. */
const keptConnections = 8;

export interface PackedBlock {
  readonly count: number;
  readonly records: Buffer;
}

type Chunk = PackedBlock & { readonly last: Buffer };

/** One serial step of a zone, without its records. SOA RDATA and TTLs are those of its two ends. */
export interface DeltaStep {
  /** The number its parts stand under. */
  readonly delta: number;
  readonly serialBefore: number;
  readonly serial: number;
  readonly soaBefore: Buffer;
  readonly soaAfter: Buffer;
  readonly soaTtlBefore: number;
  readonly soaTtlAfter: number;
  readonly removedCount: number;
  readonly addedCount: number;
  /** Bytes of the records in its largest part. */
  readonly largestPartBytes: number;
}

export interface DeltaRecords {
  readonly change: 'removed' | 'added';
  readonly count: number;
  readonly records: Buffer;
}

interface StepRow {
  readonly delta: number;
  readonly payload: string | null;
  readonly removedCount: number;
  readonly addedCount: number;
  readonly largestPartBytes: number;
}

class Statements {
  readonly connection: Connection;
  readonly zoneByApex: Statement;
  readonly zoneByName: Statement;
  readonly firstBlock: Statement;
  readonly blocks: Statement;
  readonly stepAt: Statement;
  readonly steps: Statement;
  readonly parts: Statement;
  readonly catalog: CatalogQueries;

  constructor(connection: Connection) {
    this.connection = connection;
    this.zoneByApex = connection.prepare(zoneByApexQuery);
    this.zoneByName = connection.prepare(`SELECT ${zoneColumns} FROM zone WHERE name = ?`);
    this.firstBlock = connection.prepare(
      `SELECT count, records FROM block
       WHERE content = ${contentOfZone} AND first = x''`,
    );
    // Joined by SQLite: as rows, each block would cost more to hand over than to read.
    this.blocks = connection.prepare(
      `SELECT sum(count) AS count, CAST(group_concat(records, '') AS BLOB) AS records,
        max(first) AS last
       FROM (SELECT first, count, records FROM block WHERE content = ${contentOfZone} AND first > ?
        ORDER BY first LIMIT ${blocksPerChunk})`,
    );
    this.stepAt = connection.prepare('SELECT 1 FROM event WHERE stream = ? AND serial = ?');
    this.steps = connection.prepare(
      `SELECT delta, payload,
        (SELECT coalesce(sum(count), 0) FROM event_delta
         WHERE place BETWEEN delta * ${placesPerEvent} AND (delta + 1) * ${placesPerEvent} - 1
          AND change = 0) AS removedCount,
        (SELECT coalesce(sum(count), 0) FROM event_delta
         WHERE place BETWEEN delta * ${placesPerEvent} AND (delta + 1) * ${placesPerEvent} - 1
          AND change = 1) AS addedCount,
        (SELECT coalesce(max(length(records)), 0) FROM event_delta
         WHERE place BETWEEN delta * ${placesPerEvent} AND (delta + 1) * ${placesPerEvent} - 1)
          AS largestPartBytes
       FROM event WHERE stream = ? AND serial > ? ORDER BY serial LIMIT ?`,
    );
    this.parts = connection.prepare(
      `SELECT place, change, count, records FROM event_delta
       WHERE place > ? AND place <= ? ORDER BY place LIMIT 16`,
    );
    this.catalog = new CatalogQueries(connection);
  }
}

export class Snapshot {
  readonly #statements: Statements;
  readonly #release: (statements: Statements) => void;
  #open = true;

  constructor(statements: Statements, release: (statements: Statements) => void) {
    this.#statements = statements;
    this.#release = release;
    // The first read fixes the state that the transaction sees.
    statements.connection.exec('BEGIN');
    statements.stepAt.get(0, 0);
  }

  /** The catalog of this state. */
  get catalog(): CatalogQueries {
    return this.#statements.catalog;
  }

  /** The deepest stored zone that encloses an absolute name, enabled or not. */
  findZone(name: NameKey): Zone | undefined {
    return enclosingZone(this.#statements.zoneByApex, name);
  }

  zoneByName(name: string): Zone | undefined {
    const row = this.#statements.zoneByName.get(name) as ZoneRow | undefined;
    return row && zoneOf(row);
  }

  /** The whole zone but its SOA, in canonical order, as packed records: many blocks at a time. */
  *blocks(zoneId: number): Generator<PackedBlock> {
    // The first block has the empty key: no key is greater than itself, so it is read on its own.
    const start = this.#statements.firstBlock.get(zoneId) as PackedBlock | undefined;
    if (start === undefined) return;
    if (start.count > 0) yield start;
    let last: Buffer = Buffer.alloc(0);
    while (true) {
      const chunk = this.#statements.blocks.get(zoneId, last) as Chunk | { last: null };
      if (chunk.last === null) return;
      yield chunk;
      last = chunk.last;
    }
  }

  /**
   * The steps from `fromSerial` to now, oldest first; undefined when the journal can not tell them:
   * a serial the zone never had, one from before the zone got its name, or more than `most` steps.
   */
  steps(zone: Zone, fromSerial: number, most = 100_000): readonly DeltaStep[] | undefined {
    if (fromSerial < zone.historyFromSerial || fromSerial > zone.serial) return undefined;
    if (this.#statements.stepAt.get(zone.id, fromSerial) === undefined) return undefined;
    const rows = this.#statements.steps.all(zone.id, fromSerial, most + 1) as StepRow[];
    if (rows.length > most) return undefined;
    const steps: DeltaStep[] = [];
    for (const row of rows) {
      if (row.payload === null) return undefined;
      const { before, after } = decodeSettings(row.payload);
      if (before === null || after === null) return undefined;
      steps.push({
        delta: row.delta,
        serialBefore: before.serial,
        serial: after.serial,
        soaBefore: soaRdata(before),
        soaAfter: soaRdata(after),
        soaTtlBefore: before.defaultTtl,
        soaTtlAfter: after.defaultTtl,
        removedCount: row.removedCount,
        addedCount: row.addedCount,
        largestPartBytes: row.largestPartBytes,
      });
    }
    return steps;
  }

  /** The records of a step in packed form, removed before added. */
  *parts(step: DeltaStep): Generator<DeltaRecords> {
    type Row = { place: number; change: number; count: number; records: Buffer };
    let last = placeOf(step.delta, -1);
    const end = placeOf(step.delta + 1, -1);
    while (true) {
      const rows = this.#statements.parts.all(last, end) as Row[];
      if (rows.length === 0) return;
      for (const { change, count, records } of rows) {
        yield { change: change === removedHalf ? 'removed' : 'added', count, records };
      }
      last = rows.at(-1)!.place;
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.connection.exec('COMMIT');
    this.#release(this.#statements);
  }
}

export class SnapshotPool {
  readonly #file: string;
  readonly #most: number;
  readonly #idle: Statements[] = [];
  #open = 0;
  #closed = false;

  /** `most`: snapshots that may be open at once. */
  constructor(file: string, most = 64) {
    this.#file = file;
    this.#most = most;
  }

  /** Opens the state of now; OVERLOADED when too many are open. */
  open(): Snapshot {
    if (this.#open >= this.#most) {
      throw new Problem('OVERLOADED', 'too many transfers are under way', 1);
    }
    const statements = this.#idle.pop() ?? new Statements(openReader(this.#file));
    const snapshot = new Snapshot(statements, (used) => this.#take(used));
    this.#open++;
    return snapshot;
  }

  #take(statements: Statements): void {
    this.#open--;
    if (this.#closed || this.#idle.length >= keptConnections) statements.connection.close();
    else this.#idle.push(statements);
  }

  close(): void {
    this.#closed = true;
    for (const statements of this.#idle.splice(0)) statements.connection.close();
  }
}
