/**
 * Repairs blocks that do not fit their checksums: they are made from the journal again, by a thread, and written
 * by one commit that has no event. Until then whoever reads the zone is refused (STORAGE_UNAVAILABLE, SERVFAIL).
 *
 * ```
 *   damage is read -> reported -> planned in a thread -> written -> block.rebuilt
 *                                   |                      `- SQLite refuses: the index is made again, and planned anew
 *                                   `- the journal can not tell either: block.unrepairable, and refused on
 * ```
 *
 * A damaged part of a delta is not repaired: nothing but the journal knows it. It is logged and counted. Net changes
 * of a zone are forgotten, and made again some time.
 */
import { monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { reasonOf } from '../../base/problem.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import type { Writer } from '../../writer/writer.ts';
import { withBuffers } from '../../base/message-bytes.ts';
import { type DamagedRow, listenForDamage } from '../../journal/damage.ts';
import type { Connection } from '../../journal/database.ts';
import { isSqliteError } from '../../journal/pages.ts';
import { type RepairPlan, zoneOfContent } from '../../projection/block-repair.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RepairJob } from './repair-job.ts';

export interface RepairServices {
  readonly writer: Pick<Writer, 'operate'>;
  readonly connection: Connection;
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly metrics: Pick<Metrics, 'checksumFailures'>;
  readonly log: Log;
}

export interface Repairer {
  stop(): Promise<void>;
}

interface Outcome {
  readonly blocks: number;
  readonly reindexed: boolean;
}

const restoreAdvice = 'the zone is refused until a backup is restored (zonebook restore)';

export function startRepairer(services: RepairServices): Repairer {
  const { connection, writer, log, metrics } = services;
  /** Zones and deltas that were tried lately, and when it makes sense again. */
  const notBefore = new Map<string, number>();
  let job: Job<RepairJob> | undefined;
  let last: Promise<void> = Promise.resolve();
  let isStopped = false;

  const stopListening = listenForDamage(connection.name, (row) => {
    metrics.checksumFailures.inc();
    const { table, ...which } = row;
    const key = `${table} ${Object.values(which).join()}`;
    if (isStopped || monotonicMs() < (notBefore.get(key) ?? 0)) return;
    notBefore.set(key, Number.POSITIVE_INFINITY);
    last = last.then(async () => {
      const isRight = await handle(row);
      if (isRight) notBefore.delete(key);
      else notBefore.set(key, monotonicMs() + limits.repairAgainMs);
    });
  });

  /** True when the row is right from now on. Never rejects. */
  async function handle(row: DamagedRow): Promise<boolean> {
    if (row.table === 'event_delta') {
      log.error('journal.damaged', { delta: row.delta, whatToDo: 'zonebook journal verify' });
      return false;
    }
    if (isStopped) return false;
    if (row.table === 'net_change') return forgetNetChanges(row.zoneId);
    if (row.table === 'search_index') return clearSearchIndex();
    const { content } = row;
    try {
      const zone = zoneOfContent(connection, content);
      // A stage that was not published, or a content that is being cleared away.
      if (zone === undefined) return true;
      log.error('block.damaged', { zone: zone.name, zoneId: zone.id });
      const { blocks, reindexed } = await repair(zone.id);
      log.error('block.rebuilt', { zone: zone.name, zoneId: zone.id, blocks, reindexed });
      return true;
    } catch (error) {
      if (isStopped) return false;
      const reason = reasonOf(error);
      log.error('block.unrepairable', { content, reason, whatToDo: restoreAdvice });
      return false;
    }
  }

  /** The past is read change by change then, until they are made again. */
  async function forgetNetChanges(zoneId: number): Promise<boolean> {
    try {
      await writer.operate({ kind: 'forget-net-changes', zoneId });
      log.error('net-change.damaged', { zoneId });
      return true;
    } catch (error) {
      log.error('net-change.damaged', { zoneId, reason: reasonOf(error) });
      return false;
    }
  }

  /** It is made again in the background; searches find less until then. */
  async function clearSearchIndex(): Promise<boolean> {
    try {
      await writer.operate({ kind: 'clear-search-index' });
      log.error('search-index.damaged', {});
      return true;
    } catch (error) {
      log.error('search-index.damaged', { reason: reasonOf(error) });
      return false;
    }
  }

  async function repair(zoneId: number): Promise<Outcome> {
    for (let reindexed = false; ; reindexed = true) {
      try {
        const blocks = await writer.operate({ kind: 'repair-blocks', plan: await plan(zoneId) });
        if (blocks !== undefined) return { blocks, reindexed };
        if (reindexed) throw new Error('the zone changes faster than it can be read');
      } catch (error) {
        if (reindexed || !isSqliteError(error)) throw error;
        // The index leads to wrong rows: it is made again from the rows.
      }
      await writer.operate({ kind: 'reindex-blocks' });
    }
  }

  async function plan(zoneId: number): Promise<RepairPlan> {
    job = services.workers.open<RepairJob>('repair');
    try {
      return withBuffers(await job.call('plan', zoneId));
    } finally {
      job.release();
      job = undefined;
    }
  }

  return {
    async stop() {
      isStopped = true;
      stopListening();
      job?.end();
      await last;
    },
  };
}
