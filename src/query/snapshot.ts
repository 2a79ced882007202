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
import { endReading, openReader } from '../journal/reader-connection.ts';
import { addedSet, partNumberOf, removedSet } from '../journal/delta.ts';
import { changeName, isOfEvent, PartQuery } from '../journal/delta-row.ts';
import { damageIn, StoredDamage } from '../journal/damage.ts';
import { decodeSettings, payloadOf } from '../journal/event-row.ts';
import { JoinedBlockQuery } from '../projection/block-row.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { FormerNames } from '../projection/former-names.ts';
import { partsOfEvent } from './version-changes.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Blocks read at a time: about 6,000 records, some hundred KB. */
const blocksPerChunk = 192;
/** Idle connections kept for the next snapshots. */
const keptConnections = 8;
/** Damaged deltas that are remembered: no incremental transfer leads over them. */
const kept = 10_000;

export interface PackedBlock {
  readonly count: number;
  readonly records: Buffer;
}

/** One serial step of a zone, without its records. SOA RDATA and TTLs are those of its two ends. */
export interface Difference {
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

interface DifferenceRow {
  readonly delta: number;
  readonly payload: string | null;
  readonly partCount: number;
  readonly payloadChecksum: number;
  /** Parts that are there, under its number. */
  readonly found: number;
  readonly removedCount: number;
  readonly addedCount: number;
  readonly largestPartBytes: number;
}

class Statements {
  readonly connection: Connection;
  readonly zones: ZoneQueries;
  readonly blocks: JoinedBlockQuery;
  readonly versionAt: Statement;
  readonly differences: Statement;
  readonly parts: PartQuery;
  readonly catalog: CatalogQueries;
  readonly formerNames: FormerNames;

  constructor(connection: Connection) {
    this.connection = connection;
    this.zones = new ZoneQueries(connection);
    this.blocks = new JoinedBlockQuery(connection, 'packed');
    this.versionAt = connection.prepare('SELECT 1 FROM event WHERE stream = ? AND serial = ?');
    this.differences = connection.prepare(
      `SELECT event.delta, payload, parts AS partCount, payload_checksum AS payloadChecksum,
        count(iif(${isOfEvent}, 1, NULL)) AS found,
        coalesce(sum(iif(change = ${removedSet}, count, 0)), 0) AS removedCount,
        coalesce(sum(iif(change = ${addedSet}, count, 0)), 0) AS addedCount,
        coalesce(max(length(records)), 0) AS largestPartBytes
       FROM event LEFT JOIN event_delta ON ${partsOfEvent}
       WHERE stream = ? AND serial > ? GROUP BY serial ORDER BY serial LIMIT ?`,
    );
    this.parts = new PartQuery(
      connection,
      'packed',
      'WHERE place > ? AND place <= ? ORDER BY place LIMIT 16',
    );
    this.catalog = new CatalogQueries(connection);
    this.formerNames = new FormerNames(connection);
  }
}

export class Snapshot {
  readonly #statements: Statements;
  readonly #release: (statements: Statements) => void;
  readonly #damaged: Set<number>;
  #open = true;

  constructor(
    statements: Statements,
    damaged: Set<number>,
    release: (statements: Statements) => void,
  ) {
    this.#statements = statements;
    this.#damaged = damaged;
    this.#release = release;
    // The first read fixes the state that the transaction sees.
    statements.connection.exec('BEGIN');
    statements.versionAt.get(0, 0);
  }

  /** The catalog of this state. */
  get catalog(): CatalogQueries {
    return this.#statements.catalog;
  }

  /** The deepest stored zone that encloses an absolute name, enabled or not. */
  findZone(name: NameKey): Zone | undefined {
    return this.#statements.zones.enclosing(name);
  }

  zoneByName(name: string): Zone | undefined {
    return this.#statements.zones.byName(name);
  }

  /** The whole zone but its SOA, in canonical order, as packed records: many blocks at a time. */
  *blocks(zoneId: number): Generator<PackedBlock> {
    for (const blocks of this.#statements.blocks.runs(zoneId, blocksPerChunk)) {
      if (blocks.count > 0) yield blocks;
    }
  }

  /**
   * The steps from `fromSerial` to now, oldest first; undefined when the journal can not tell them:
   * a serial the zone never had, one from before the zone got its name, one that a zone which left the name may
   * have had, more than `max` of them, or damage in one of them.
   */
  differences(zone: Zone, fromSerial: number, max = 100_000): readonly Difference[] | undefined {
    try {
      return this.#differences(zone, fromSerial, max);
    } catch (error) {
      if (error instanceof StoredDamage) return undefined;
      throw error;
    }
  }

  #differences(zone: Zone, fromSerial: number, max: number): readonly Difference[] | undefined {
    if (fromSerial < zone.historyFromSerial || fromSerial > zone.serial) return undefined;
    // A zone that was made with a serial of its caller's choice may come by serials of another of its name.
    const former = this.#statements.formerNames.serialOf(zone.name) ?? 0;
    if (fromSerial <= former && fromSerial < zone.serial) return undefined;
    if (this.#statements.versionAt.get(zone.id, fromSerial) === undefined) return undefined;
    const rows = this.#statements.differences.all(zone.id, fromSerial, max + 1) as DifferenceRow[];
    if (rows.length > max) return undefined;
    const differences: Difference[] = [];
    for (const row of rows) {
      const payload = payloadOf(this.#statements.connection, row);
      const isMissing = row.found !== row.partCount || this.#damaged.has(row.delta);
      if (payload === null || isMissing) return undefined;
      const { before, after } = decodeSettings(payload);
      if (before === null || after === null) return undefined;
      differences.push({
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
    return differences;
  }

  /** The records of a step in packed form, removed before added. Throws StoredDamage, and knows of it later. */
  *parts(difference: Difference): Generator<DeltaRecords> {
    try {
      yield* this.#parts(difference);
    } catch (error) {
      if (error instanceof StoredDamage && this.#damaged.size < kept) {
        this.#damaged.add(difference.delta);
      }
      throw error;
    }
  }

  *#parts({ delta, removedCount, addedCount }: Difference): Generator<DeltaRecords> {
    let last = partNumberOf(delta, -1);
    const end = partNumberOf(delta + 1, -1);
    const found = { removed: 0, added: 0 };
    while (true) {
      const rows = this.#statements.parts.all(last, end);
      if (rows.length === 0) break;
      for (const { count, records, ...part } of rows) {
        const change = changeName(part.change);
        found[change] += count;
        yield { change, count, records };
      }
      last = rows.at(-1)!.place;
    }
    // Where a key is damaged, one search comes by a part and another does not.
    if (found.removed === removedCount && found.added === addedCount) return;
    throw damageIn(this.#statements.connection, { table: 'event_delta', delta });
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      endReading(this.#statements.connection);
    } finally {
      this.#release(this.#statements);
    }
  }
}

export class SnapshotPool {
  readonly #file: string;
  readonly #max: number;
  readonly #idle: Statements[] = [];
  readonly #damaged = new Set<number>();
  #open = 0;
  #closed = false;

  /** `max`: snapshots that may be open at once. */
  constructor(file: string, max = 64) {
    this.#file = file;
    this.#max = max;
  }

  /** Opens the state of now; OVERLOADED when too many are open. */
  open(): Snapshot {
    if (this.#open >= this.#max) {
      throw new Problem('OVERLOADED', 'too many transfers are in flight', 1);
    }
    const statements = this.#idle.pop() ?? this.#connect();
    try {
      const snapshot = new Snapshot(statements, this.#damaged, (used) => this.#take(used));
      this.#open++;
      return snapshot;
    } catch (error) {
      statements.connection.close();
      throw error;
    }
  }

  #connect(): Statements {
    const connection = openReader(this.#file);
    try {
      return new Statements(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #take(statements: Statements): void {
    this.#open--;
    const { connection } = statements;
    // One that still reads can not begin anew.
    const isKept = !connection.inTransaction && this.#idle.length < keptConnections;
    if (this.#closed || !isKept) connection.close();
    else this.#idle.push(statements);
  }

  close(): void {
    this.#closed = true;
    for (const statements of this.#idle.splice(0)) statements.connection.close();
  }
}
