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
import { blamesFile } from '../../journal/pages.ts';
import { type RepairPlan, zoneOfGeneration } from '../../projection/block-repair.ts';
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

interface Outcome {
  readonly blocks: number;
  readonly reindexed: boolean;
}

const restoreAdvice = 'the zone is refused until a backup is restored (zonebook restore)';

export class Repairer {
  readonly #services: RepairServices;
  /** Zones and deltas that were tried lately, and when it makes sense again. */
  readonly #notBefore = new Map<string, number>();
  #job: Job<RepairJob> | undefined;
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #stopListening: () => void;

  constructor(services: RepairServices) {
    this.#services = services;
    this.#stopListening = listenForDamage(services.connection.name, (row) => this.#hear(row));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    this.#job?.end();
    await this.#last;
  }

  #hear(row: DamagedRow): void {
    this.#services.metrics.checksumFailures.inc();
    const { table, ...which } = row;
    const key = `${table} ${Object.values(which).join()}`;
    if (this.#isStopped || monotonicMs() < (this.#notBefore.get(key) ?? 0)) return;
    this.#notBefore.set(key, Number.POSITIVE_INFINITY);
    this.#last = this.#last.then(async () => {
      const isRight = await this.#handle(row);
      if (isRight) this.#notBefore.delete(key);
      else this.#notBefore.set(key, monotonicMs() + limits.repairAgainMs);
    });
  }

  /** True when the row is right from now on. Never rejects. */
  async #handle(row: DamagedRow): Promise<boolean> {
    const { connection, log } = this.#services;
    if (row.table === 'event_delta') {
      log.error('journal.damaged', { delta: row.delta, whatToDo: 'zonebook journal verify' });
      return false;
    }
    if (this.#isStopped) return false;
    if (row.table === 'net_change') return this.#forgetNetChanges(row.zoneId);
    if (row.table === 'search_index') return this.#clearSearchIndex();
    const { content: generation } = row;
    try {
      const zone = zoneOfGeneration(connection, generation);
      // A stage that was not published, or a content that is being cleared away.
      if (zone === undefined) return true;
      log.error('block.damaged', { zone: zone.name, zoneId: zone.id });
      const { blocks, reindexed } = await this.#repair(zone.id);
      log.error('block.rebuilt', {
        zone: zone.name,
        zoneId: zone.id,
        blocks,
        reindexed,
      });
      return true;
    } catch (error) {
      if (this.#isStopped) return false;
      const reason = reasonOf(error);
      log.error('block.unrepairable', { content: generation, reason, whatToDo: restoreAdvice });
      return false;
    }
  }

  /** The past is read change by change then, until they are made again. */
  async #forgetNetChanges(zoneId: number): Promise<boolean> {
    try {
      await this.#services.writer.operate({ kind: 'forget-net-changes', zoneId });
      this.#services.log.error('net-change.damaged', { zoneId });
      return true;
    } catch (error) {
      this.#services.log.error('net-change.damaged', { zoneId, reason: reasonOf(error) });
      return false;
    }
  }

  /** It is made again in the background; searches find less until then. */
  async #clearSearchIndex(): Promise<boolean> {
    try {
      await this.#services.writer.operate({ kind: 'clear-search-index' });
      this.#services.log.error('search-index.damaged', {});
      return true;
    } catch (error) {
      this.#services.log.error('search-index.damaged', { reason: reasonOf(error) });
      return false;
    }
  }

  async #repair(zoneId: number): Promise<Outcome> {
    for (let reindexed = false; ; reindexed = true) {
      try {
        const blocks = await this.#services.writer.operate({
          kind: 'repair-blocks',
          plan: await this.#plan(zoneId),
        });
        if (blocks !== undefined) return { blocks, reindexed };
        if (reindexed) throw new Error('the zone changes faster than it can be read');
      } catch (error) {
        if (reindexed || !blamesFile(error)) throw error;
        // The index leads to wrong rows: it is made again from the rows.
      }
      await this.#services.writer.operate({ kind: 'reindex-blocks' });
    }
  }

  async #plan(zoneId: number): Promise<RepairPlan> {
    this.#job = this.#services.workers.open<RepairJob>('repair');
    try {
      return withBuffers(await this.#job.call('plan', zoneId));
    } finally {
      this.#job.release();
      this.#job = undefined;
    }
  }
}
