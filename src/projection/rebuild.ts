/**
 * Rebuilding the projections from the journal, and proving that they equal a rebuild.
 *
 * Both read every event in order through the same fold that runs in each commit. Where the content of a
 * zone's early events is deleted, only their headers are read, until the zone appears as its last checkpoint
 * has it. Of a zone that was purged nothing appears.
 */
import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ZoneEvent } from '../domain/event.ts';
import type { Connection } from '../journal/database.ts';
import {
  decodeEvent,
  decodeStandIn,
  type EventRow,
  hasRightHash,
  sha256,
} from '../journal/event-row.ts';
import { stageStates } from '../journal/history-drop.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqlite } from '../journal/sqlite.ts';
import { isEventIntact } from '../journal/verify.ts';
import { copyBlockKey, drawBlockKey } from './block-cut.ts';
import { Fold, projectionTables } from './fold.ts';
import { Pending } from './pending.ts';
import { deletedZone, zone } from './schema.ts';
import { emptySearchIndex } from './search-index.ts';
import { stateAsOfToday } from './signing-store.ts';

/** Events folded before what they changed is written. */
const eventsPerFlush = 256;

/**
 * Empties the projections and folds the whole journal into them, in one transaction. A database without a key for its
 * blocks (block-cut.ts) gets one.
 */
export function rebuildProjections(connection: Connection, journal: Journal): { events: number } {
  return connection.transaction(() => {
    drawBlockKey(connection);
    return refold(connection, journal);
  })();
}

/** In a transaction of its caller's. */
function refold(connection: Connection, journal: Journal): { events: number } {
  for (const table of projectionTables) connection.exec(`DELETE FROM ${table}`);
  // Made again in the background.
  connection.exec('DELETE FROM net_change; DELETE FROM net_change_part');
  emptySearchIndex(connection);
  // Nothing of what large changes replaced is there any more: a number may stand for new content soon.
  connection.exec(`DELETE FROM stage_place WHERE number IN
       (SELECT number FROM stage WHERE state = ${stageStates.published});
      DELETE FROM stage WHERE state = ${stageStates.published};
      UPDATE stage SET former_content = NULL WHERE state = ${stageStates.purged}`);
  return {
    events: foldAll(connection, journal.events(), journal, standInsOf(connection, journal)),
  };
}

/** Folds events, oldest first, into empty tables; returns how many. */
function foldAll(
  into: Connection,
  rows: Iterable<EventRow>,
  journal: Pick<Journal, 'parts'>,
  standIns: ReadonlyMap<number, StoodIn>,
): number {
  const pending = new Pending(into);
  const fold = new Fold(into, pending);
  let events = 0;
  for (const row of rows) {
    const standIn = standIns.get(row.stream);
    if (standIn !== undefined && row.seq <= standIn.upToSeq && row.seq !== standIn.row.seq) {
      fold.passOver(row);
      if (row.seq === standIn.upToSeq) {
        fold.establish(decodeEvent(standIn.row, journal.parts(standIn.row)) as ZoneEvent);
      }
    } else if (row.kind !== 'zone.checkpointed') {
      fold.apply(decodeEvent(row, journal.parts(row)), row);
    }
    events++;
    if (events % eventsPerFlush === 0) pending.flush();
  }
  pending.flush();
  return events;
}

/**
 * Makes one zone again in a database of its own, in memory, from its events alone. Each is compared with what was
 * hashed; an Error says which one does not fit. The caller closes the connection.
 */
export function rebuildZone(connection: Connection, journal: Journal, zoneId: number): Connection {
  const into = openSqlite(':memory:');
  try {
    for (const sql of tablesOf(connection)) into.exec(sql);
    copyBlockKey(connection, into);
    into.transaction(() => {
      const rows = provenEvents(journal, zoneId);
      foldAll(into, rows, journal, standInsOf(connection, journal, zoneId));
    })();
    return into;
  } catch (error) {
    into.close();
    throw error;
  }
}

function tablesOf(connection: Connection): string[] {
  const statements = connection.prepare(
    // The tables that FTS5 makes for itself come with its own.
    `SELECT sql FROM sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_text_%'`,
  );
  return statements.pluck().all() as string[];
}

function* provenEvents(journal: Journal, zoneId: number): Generator<EventRow> {
  for (const row of journal.eventsOf(zoneId)) {
    const isWhole = row.payload === null || isEventIntact(row, row.payload, journal);
    if (!isWhole || !hasRightHash(row)) throw new Error(`event ${row.seq} is damaged too`);
    yield row;
  }
}

interface StoodIn {
  readonly row: EventRow;
  readonly upToSeq: number;
}

/** For each stream whose early events have lost content, the checkpoint or purge that replaces them. */
function standInsOf(
  connection: Connection,
  journal: Journal,
  stream?: number,
): Map<number, StoodIn> {
  const dropped = connection.prepare('SELECT DISTINCT stream FROM event WHERE payload IS NULL');
  const incomplete = new Set(dropped.pluck().all() as number[]);
  const standIns = new Map<number, StoodIn>();
  for (const row of journal.standIns()) {
    if (stream !== undefined && row.stream !== stream) continue;
    const isPurged = row.kind === 'zone.purged';
    if (!isPurged && !incomplete.has(row.stream)) continue;
    const upToSeq = isPurged ? row.seq : decodeStandIn(row.payload!).upToSeq;
    standIns.set(row.stream, { row, upToSeq });
  }
  return standIns;
}

/** Numbers of blocks and contents mean nothing: they are not compared, but the zones that show them. */
const generations = `(SELECT id, content FROM zone UNION ALL SELECT id, content FROM deleted_zone)`;

/** Rows that are compared in another way than as they are, in the order of their key, which comes first. */
const rowsOf: Partial<Record<(typeof projectionTables)[number], string>> = {
  zone: `SELECT ${columnsOf(zone)} FROM zone`,
  deleted_zone: `SELECT ${columnsOf(deletedZone)} FROM deleted_zone`,
  record: 'SELECT * FROM record WHERE zone_id IN (SELECT id FROM zone)',
  block: `SELECT zones.id, first, next, count, user_count, checksum - block.content, ids_checksum, records, ids
    FROM block JOIN ${generations} AS zones ON zones.content = block.content`,
  nsec3_owner: `SELECT zones.id, owner
    FROM nsec3_owner JOIN ${generations} AS zones ON zones.content = nsec3_owner.content`,
  zone_signing: 'SELECT zone_id, policy_id, as_of_today(state) FROM zone_signing',
};

/** All but the number of what a zone shows. */
function columnsOf(table: SQLiteTable): string {
  const names = Object.values(getTableColumns(table)).map(({ name }) => name);
  return names.filter((name) => name !== 'content').join(', ');
}

/** A digest of each projection's rows in the order of their key. */
function digestProjections(connection: Connection): Map<string, string> {
  const digests = new Map<string, string>();
  // What an older version has written stays as it is until the zone takes a step.
  connection.function('as_of_today', { deterministic: true }, stateAsOfToday);
  for (const table of projectionTables) {
    let digest: Buffer = Buffer.alloc(0);
    const select = rowsOf[table] ?? `SELECT * FROM ${table}`;
    const rows = connection.prepare(`${select} ORDER BY 1, 2`).raw();
    for (const row of rows.iterate() as IterableIterator<unknown[]>) {
      const cells = row.map((cell) => (Buffer.isBuffer(cell) ? `x${cell.toString('hex')}` : cell));
      digest = sha256(Buffer.concat([digest, Buffer.from(JSON.stringify(cells))]));
    }
    digests.set(table, digest.toString('hex'));
  }
  return digests;
}

/**
 * Names the projections that differ from a rebuild. The rebuild runs in a transaction that is
 * rolled back, so the tables stay as they are; it needs room for them in the WAL.
 */
export function verifyProjections(connection: Connection, journal: Journal): string[] {
  const live = digestProjections(connection);
  const differing: string[] = [];
  const rollback = new Error('verified');
  try {
    connection.transaction(() => {
      refold(connection, journal);
      const rebuilt = digestProjections(connection);
      for (const table of projectionTables) {
        if (live.get(table) !== rebuilt.get(table)) differing.push(table);
      }
      throw rollback;
    })();
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return differing;
}
