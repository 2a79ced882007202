/**
 * Bulk inserts: a thread reads and plans the records and makes the text of the answer; this thread commits slices that
 * no reader sees, and publishes them by one short command.
 *
 * A signed zone is published as a whole: few records for a large one go in by one command.
 */
import { Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { requireVisible } from '../../domain/zone-change.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import type { BulkRecords } from './requests.ts';
import { type BulkThread, BulkThreads } from './bulk-threads.ts';
import { inStage, stagedDelta, type StagingServices, untilPublished } from './staged-change.ts';

/** New records whose blocks change places in one go: some 20 ms of a commit. */
const maxPatchRecords = 50_000;
/** How many times the new records a zone may hold that is written as a whole all the same. */
const maxTimes = 4;

type Published = { readonly warnings: readonly Warning[] } | 'unfit';

export class BulkInserts {
  readonly #services: StagingServices;
  readonly #threads: BulkThreads;
  /** By zone, the last insert that is planned or waits for its turn: two at once would be in each other's way. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(services: StagingServices & { readonly workers: Pick<WorkerPool, 'open'> }) {
    this.#services = services;
    this.#threads = new BulkThreads(services.workers);
  }

  /** The text of the answer; undefined when one command has to make the records. */
  async run(
    bulk: BulkRecords,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { zoneName, records, isMinimal } = bulk;
    const { writer, zones } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    const count = 'bytes' in records ? records.count : records.length;
    if (!fits(zone, count)) return undefined;
    return this.#threads.run(async (thread) => {
      await thread.read(records, { zone, rights: rights.message() });
      const published = await this.#inTurn(zoneName, () =>
        untilPublished(writer, zoneName, (isHolder) =>
          this.#attempt(thread, { zoneName, count }, rights, { ...options, isHolder }),
        ),
      );
      if (published === 'unfit') {
        thread.rest();
        return undefined;
      }
      const { dryRun } = options;
      const head = { applied: !dryRun, added: count, dry_run: dryRun, ...published };
      if (isMinimal) {
        thread.rest();
        return once(Buffer.from(JSON.stringify(head)));
      }
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

  /** Plans and publishes once; undefined when the zone has moved in between. */
  async #attempt(
    thread: BulkThread,
    { zoneName, count }: { readonly zoneName: string; readonly count: number },
    rights: Rights,
    options: SubmitOptions,
  ): Promise<Published | undefined> {
    const { writer, zones, clock } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    if (!fits(zone, count)) return 'unfit';
    const { id: zoneId, serial: atSerial } = zone;
    const order = { zoneId, records: count, dryRun: options.dryRun };
    return inStage(writer, order, async (stage) => {
      try {
        const isPatch = patches(zone, count);
        const { firstId } = stage;
        const job = { zone, firstId, createdAt: clock(), isPatch };
        const planned = await thread.plan(job, stage.put);
        const { records, warnings } = planned;
        const greatestId = firstId === 0 ? 0 : firstId + count - 1;
        const staged = { ...stagedDelta(stage, planned, greatestId), isPatch };
        const asked = records === undefined ? {} : { records };
        const { moved } = await writer.submit(
          { kind: 'publish-records', zoneName, zoneId, atSerial, staged, ...asked },
          options,
        );
        return moved ? undefined : { warnings };
      } catch (error) {
        // What a plan finds wrong may come of the zone having moved meanwhile.
        const isSame = zones.byName(zoneName)?.serial === zone.serial;
        if (!(error instanceof Problem) || isSame || options.isHolder) throw error;
        return undefined;
      }
    });
  }
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

/** Whether only the blocks that get new records are written. */
function patches({ recordCount, derivedCount }: Zone, count: number): boolean {
  const times = count > maxPatchRecords ? maxTimes : 1;
  return derivedCount === 0 && recordCount > count * times;
}

function fits(zone: Zone, count: number): boolean {
  return patches(zone, count) || zone.recordCount + zone.derivedCount <= maxTimes * count;
}
