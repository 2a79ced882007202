/**
 * Puts damaged blocks of a zone right: they are made from its events again, in memory, and compared with what is
 * stored. Planning reads; `apply` writes, in one commit.
 *
 * A damaged block stays as it is until then, since whoever wants to change it has to read it. So what the journal
 * makes of it at one moment is right for as long as it is damaged.
 */
import type { Connection } from '../journal/database.ts';
import { Journal } from '../journal/journal.ts';
import {
  type BlockRow,
  checksumsOf,
  generationOfZoneEver,
  isIntact,
  type RawBlockRow,
  rawBlock,
  rawBlocks,
} from './block-row.ts';
import { rebuildZone } from './rebuild.ts';

/** A block as it has to be. */
export type RightBlock = Omit<BlockRow, 'id'>;

interface PlannedBlock {
  /** The row that is wrong, and its checksum; undefined where there is none. */
  readonly id: number | undefined;
  readonly seen: number | undefined;
  readonly block: RightBlock;
}

export interface RepairPlan {
  readonly zoneId: number;
  readonly content: number;
  /** Blocks to write over a row, or as a new one. */
  readonly blocks: readonly PlannedBlock[];
  /** Rows that belong to no block. */
  readonly extra: readonly number[];
}

/** The zone that shows a content, or showed it when it was deleted. */
export function zoneOfGeneration(
  connection: Connection,
  generation: number,
): { readonly id: number; readonly name: string } | undefined {
  return connection
    .prepare(
      `SELECT id, name FROM zone WHERE content = $content
       UNION ALL SELECT id, name FROM deleted_zone WHERE content = $content`,
    )
    .get({ content: generation }) as { readonly id: number; readonly name: string } | undefined;
}

const zoneFacts = `SELECT name, serial, record_count, derived_count FROM
  (SELECT id, name, serial, record_count, derived_count FROM zone
   UNION ALL SELECT id, name, serial, record_count, derived_count FROM deleted_zone) WHERE id = ?`;

/**
 * What is to be done for a zone. The connection has a transaction open, so that all of it is of one state. Throws an
 * Error that says why where the journal can not tell either.
 */
export function planRepair(connection: Connection, zoneId: number): RepairPlan {
  const generation = generationOf(connection, zoneId);
  if (generation === null) throw new Error('the zone no longer exists');
  const rebuilt = rebuildZone(connection, new Journal(connection), zoneId);
  try {
    const stored = connection.prepare(zoneFacts).raw().get(zoneId);
    const made = rebuilt.prepare(zoneFacts).raw().get(zoneId);
    if (JSON.stringify(stored) !== JSON.stringify(made)) {
      throw new Error('its events do not lead to the zone that is stored: some are missing');
    }
    return compare(connection, rebuilt, zoneId, generation);
  } finally {
    rebuilt.close();
  }
}

function generationOf(connection: Connection, zoneId: number): number | null {
  return connection.prepare(`SELECT ${generationOfZoneEver}`).pluck().get(zoneId) as number | null;
}

function compare(
  connection: Connection,
  rebuilt: Connection,
  zoneId: number,
  generation: number,
): RepairPlan {
  const stored = new Map<string, RawBlockRow>();
  const extra: number[] = [];
  for (const row of rawBlocks(connection, generation)) {
    const key = keyOf(row);
    if (stored.has(key)) extra.push(row.id);
    else stored.set(key, row);
  }
  const blocks: PlannedBlock[] = [];
  for (const { id: _, ...made } of rawBlocks(rebuilt, generationOf(rebuilt, zoneId)!)) {
    const block: RightBlock = { ...made, content: generation };
    const row = stored.get(keyOf(made));
    stored.delete(keyOf(made));
    if (row === undefined || !isIntact(row) || !isSame(row, block)) {
      blocks.push({ id: row?.id, seen: row?.checksum, block });
    }
  }
  extra.push(...[...stored.values()].map(({ id }) => id));
  return { zoneId, content: generation, blocks, extra };
}

function keyOf({ first }: Pick<RawBlockRow, 'first'>): string {
  return Buffer.isBuffer(first) ? first.toString('latin1') : `?${String(first)}`;
}

function isSame(a: RightBlock, b: RightBlock): boolean {
  const isNext = a.next === null || b.next === null ? a.next === b.next : a.next.equals(b.next);
  return isNext && a.count === b.count && a.records.equals(b.records) && a.ids.equals(b.ids);
}

/**
 * Writes what a plan says, as far as rows are still as damaged as they were. Returns the number of blocks that were
 * put right; undefined when the zone shows another content by now.
 */
export function applyRepair(connection: Connection, plan: RepairPlan): number | undefined {
  const { content: generation, zoneId, blocks, extra } = plan;
  if (generationOf(connection, zoneId) !== generation) return undefined;
  const insert = connection.prepare(
    `INSERT OR REPLACE INTO block
      (id, content, first, next, count, user_count, checksum, ids_checksum, records, ids)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = connection.prepare('DELETE FROM block WHERE id = ?');
  for (const id of extra) remove.run(id);
  let repaired = 0;
  for (const { id, seen, block } of blocks) {
    const row = id === undefined ? undefined : rawBlock(connection, id);
    // Somebody has written it since, who had it in memory.
    if (row !== undefined && isIntact(row) && row.checksum !== seen) continue;
    const { first, next, count, userCount, records, ids } = block;
    const [checksum, idsChecksum] = checksumsOf(block);
    const values = [generation, first, next, count, userCount, checksum, idsChecksum, records, ids];
    insert.run(id ?? null, ...values);
    repaired++;
  }
  return repaired + extra.length;
}
