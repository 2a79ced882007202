/**
 * Bulk inserts of records that stay the octets they were written as: a thread reads and plans them and makes
 * the answer; this thread commits slices that no reader sees, and publishes them by one short command.
 *
 * For callers who may create and read any record of the zone, and zones that are not signed; others go the
 * way of bulk-creation.ts.
 */
import { assert, Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import { shownActions, tailText } from '../../contract/record-json.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { requireVisible } from '../../domain/zone-change.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SubmitOptions } from '../../engine/submission.ts';
import type { WrittenBulk } from '../../http/services.ts';
import { type BulkServices, holdStill } from './bulk-stage.ts';
import { type BulkThread, BulkThreads } from './bulk-threads.ts';

/** New records whose blocks change places in one go: some 20 ms of a commit. */
const mostAtOnce = 50_000;
/** How many times as many the zone has to hold before all the same more than those do. */
const mostTimes = 4;

export class WrittenBulks {
  readonly #services: BulkServices;
  readonly #threads: BulkThreads;
  /** By zone, the last insert that is planned or waits for its turn: two at once would be in each other's way. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(services: BulkServices & { readonly workers: Pick<WorkerPool, 'open'> }) {
    this.#services = services;
    this.#threads = new BulkThreads(services.workers);
  }

  /** The text of the answer; undefined when the records have to go another way. */
  async run(
    bulk: WrittenBulk,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const zone = this.#services.zones.byName(bulk.zoneName);
    requireVisible(rights, zone, bulk.zoneName);
    if (zone.derivedCount > 0 || !isSimple(rights, zone.id)) return undefined;
    return this.#threads.run(async (thread) => {
      await thread.read({ records: bulk.records, zone });
      const warnings = await this.#inTurn(bulk.zoneName, () =>
        this.#publish(thread, bulk, rights, options),
      );
      if (warnings === undefined) {
        thread.rest();
        return undefined;
      }
      const { count } = bulk.records;
      const { dryRun } = options;
      const head = { applied: !dryRun, added: count, dry_run: dryRun, warnings };
      return thread.text(Buffer.from(JSON.stringify(head).slice(0, -1)));
    });
  }

  async #inTurn<Result>(zoneName: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(zoneName);
    const result = (async () => {
      await before;
      return work();
    })();
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#last.set(zoneName, settled);
    try {
      return await result;
    } finally {
      if (this.#last.get(zoneName) === settled) this.#last.delete(zoneName);
    }
  }

  /** The warnings; undefined when the zone is none for this way any more. */
  async #publish(
    thread: BulkThread,
    bulk: WrittenBulk,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<readonly Warning[] | undefined> {
    const first = await this.#attempt(thread, bulk, rights, options);
    if (first !== 'moved') return first === 'unfit' ? undefined : first;
    const release = await holdStill(this.#services.engine, bulk.zoneName);
    try {
      const second = await this.#attempt(thread, bulk, rights, { ...options, isHolder: true });
      assert(second !== 'moved', 'a zone whose changes wait does not move');
      return second === 'unfit' ? undefined : second;
    } finally {
      release();
    }
  }

  async #attempt(
    thread: BulkThread,
    { zoneName, records: { count } }: WrittenBulk,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<readonly Warning[] | 'moved' | 'unfit'> {
    const { engine, zones, clock } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    if (zone.derivedCount > 0) return 'unfit';
    const isPatch = zone.recordCount > count * (count > mostAtOnce ? mostTimes : 1);
    const stage = options.dryRun
      ? undefined
      : await engine.operate({ kind: 'open-stage', zoneId: zone.id, records: count });
    const firstId = stage?.firstId ?? 0;
    try {
      const tail = tailOf(rights, zone);
      const sent = { rights: rights.message() };
      const job = { zone, firstId, createdAt: clock(), isPatch, tail, ...sent };
      const { partCount, partsDigest, added, warnings } = await thread.plan(job, (slice) =>
        engine.operate({ kind: 'put-slice', stage: stage!, slice }),
      );
      const { moved } = await engine.submit(
        {
          kind: 'publish-records',
          zoneName,
          zoneId: zone.id,
          atSerial: zone.serial,
          staged: {
            number: stage?.number ?? 0,
            partCount,
            partsDigest: Buffer.from(partsDigest),
            removed: 0,
            added,
            greatestId: firstId === 0 ? 0 : firstId + count - 1,
            isPatch,
          },
        },
        options,
      );
      return moved ? 'moved' : warnings;
    } catch (error) {
      // What a plan finds wrong may come of the zone having moved meanwhile.
      const isSame = zones.byName(zoneName)?.serial === zone.serial;
      if (!(error instanceof Problem) || isSame || options.isHolder) throw error;
      return 'moved';
    } finally {
      // What was not published is gradually deleted.
      if (stage !== undefined) engine.endStage(stage.number);
    }
  }
}

/** Whether a caller holds the same actions on all records of a zone, and may create and read each. */
function isSimple(rights: Rights, zoneId: number): boolean {
  if (!rights.whole('record:create', zoneId) || !rights.whole('record:read', zoneId)) return false;
  return shownActions.every(
    (action) => rights.whole(action, zoneId) || !rights.inZone(action, zoneId),
  );
}

function tailOf(rights: Rights, zone: Zone): string {
  return tailText(
    zone,
    shownActions.filter((action) => rights.whole(action, zone.id)),
  );
}
