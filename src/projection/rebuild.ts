/**
 * Rebuilding the projections from the journal, and proving that they equal a rebuild.
 *
 * Both read every event in order through the same fold that runs in each commit.
 */
import type { Connection } from '../journal/database.ts';
import { decodeEvent, sha256 } from '../journal/event-row.ts';
import type { Journal } from '../journal/journal.ts';
import { Fold, projectionTables } from './fold.ts';
import { Pending } from './pending.ts';
import { zoneColumns } from './zone-row.ts';

/** Events folded before what they changed is written. */
const eventsPerFlush = 256;

/** Empties the projections and folds the whole journal into them, in one transaction. */
export function rebuildProjections(connection: Connection, journal: Journal): { events: number } {
  let events = 0;
  connection.transaction(() => {
    for (const table of projectionTables) connection.exec(`DELETE FROM ${table}`);
    const pending = new Pending(connection);
    const fold = new Fold(connection, pending);
    for (const row of journal.events()) {
      fold.apply(decodeEvent(row, journal.parts(row)), row.at);
      events++;
      if (events % eventsPerFlush === 0) pending.flush();
    }
    pending.flush();
  })();
  return { events };
}

/** The rows of each projection in the order of their key; numbers of blocks and contents mean nothing. */
const rowsOf: Record<(typeof projectionTables)[number], string> = {
  zone: `SELECT ${zoneColumns} FROM zone ORDER BY id`,
  deleted_zone: `SELECT ${zoneColumns}, zone.deleted_at FROM deleted_zone AS zone ORDER BY id`,
  former_name: 'SELECT * FROM former_name ORDER BY name',
  record: 'SELECT * FROM record WHERE zone_id IN (SELECT id FROM zone) ORDER BY id',
  block: `SELECT zone.id, first, count, user_count, records, ids FROM block
    JOIN (SELECT id, content FROM zone UNION ALL SELECT id, content FROM deleted_zone) AS zone
     ON zone.content = block.content ORDER BY zone.id, first`,
  secondary: 'SELECT * FROM secondary ORDER BY id',
  role: 'SELECT * FROM role ORDER BY id',
  role_grant: 'SELECT * FROM role_grant ORDER BY id',
  token: 'SELECT * FROM token ORDER BY id',
  tsig_key: 'SELECT * FROM tsig_key ORDER BY id',
  counter: 'SELECT * FROM counter ORDER BY name',
};

/** A digest of each projection's rows in the order of their key. */
function digestProjections(connection: Connection): Map<string, string> {
  const digests = new Map<string, string>();
  for (const table of projectionTables) {
    let digest: Buffer = Buffer.alloc(0);
    const rows = connection.prepare(rowsOf[table]).raw();
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
      rebuildProjections(connection, journal);
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
