/**
 * Bulk inserts: a thread reads and plans the records and makes the text of the answer; this thread commits slices that
 * no reader sees, and publishes them by one short command.
 *
 * A signed zone is published as a whole: few records for a large one go in by one command.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { requireVisible } from '../../domain/zone-change.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import type { BulkJob, BulkReadJob } from './bulk-job.ts';
import type { BulkRecords } from './requests.ts';
import { inStage, stagedDelta, type StagingServices, untilPublished } from './staged-change.ts';

/** New records whose blocks change places in one go: some 20 ms of a commit. */
const maxPatchRecords = 50_000;
/** How many times the new records a zone may hold that is written as a whole all the same. */
const maxTimes = 4;

/** Inserts that are read or planned at once; others wait their turn. */
const maxAtOnce = 2;
/** Records that are copied in one go: some milliseconds. */
const inputsAtOnce = 2000;

type Published = { readonly warnings: readonly Warning[] } | 'unfit';

interface BulkServices extends StagingServices {
  readonly workers: Pick<WorkerPool, 'open'>;
}

export class BulkInserts {
  readonly #services: BulkServices;
  readonly #limit = pLimit(maxAtOnce);
  /** By zone: two inserts that are planned at once would be in each other's way. */
  readonly #turns = new Map<string, LimitFunction>();

  constructor(services: BulkServices) {
    this.#services = services;
  }

  /** The text of the answer; undefined when one command has to make the records. */
  async run(
    bulk: BulkRecords,
    rightsAsCame: Rights,
    options: SubmitOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { zoneName, records, isMinimal, rightsNow = () => rightsAsCame } = bulk;
    const { writer, zones } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rightsAsCame, zone, zoneName);
    const count = 'bytes' in records ? records.count : records.length;
    if (!fits(zone, count)) return undefined;
    const { dryRun } = options;
    return this.#limit(async () => {
      const rights = rightsNow();
      requireVisible(rights, zone, zoneName);
      const asked = { zone, rights: rights.message() };
      const job = this.#services.workers.open<BulkJob>('bulk');
      try {
        await read(job, records, asked);
        const published = await this.#inTurn(zoneName, () =>
          untilPublished(writer, { zoneName, dryRun }, (heldName) =>
            this.#attempt(job, { zoneName, count }, rights, { ...options, heldName }),
          ),
        );
        if (published === 'unfit') {
          job.release();
          return undefined;
        }
        const counts = { applied: !dryRun, added: count, dry_run: dryRun };
        const head = JSON.stringify({ ...counts, ...published });
        if (isMinimal) {
          job.release();
          return once(Buffer.from(head));
        }
        // When it is sent, or nobody wants the rest, the worker is free.
        const over = () => job.release();
        return job.lastStream('text', undefined, over, [Buffer.from(head.slice(0, -1))]);
      } catch (error) {
        job.release();
        throw error;
      }
    });
  }

  async #inTurn<Result>(zoneName: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(zoneName) ?? pLimit(1);
    this.#turns.set(zoneName, turn);
    try {
      return await turn(work);
    } finally {
      if (turn.activeCount + turn.pendingCount === 0) this.#turns.delete(zoneName);
    }
  }

  /** Plans and publishes once; undefined when the zone has moved in between. */
  async #attempt(
    job: Job<BulkJob>,
    { zoneName, count }: { readonly zoneName: string; readonly count: number },
    rights: Rights,
    options: SubmitOptions,
  ): Promise<Published | undefined> {
    const { writer, zones, clock } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    if (!fits(zone, count)) return 'unfit';
    const { id: zoneId, serial: atSerial } = zone;
    const opened = { zoneId, records: count, dryRun: options.dryRun };
    return inStage(writer, opened, async (stage) => {
      try {
        const isPatch = patches(zone, count);
        const { firstId } = stage;
        const order = { zone, firstId, createdAt: clock(), isPatch };
        const planned = await job.call('plan', order, { take: stage.put });
        const { records, warnings } = planned;
        const greatestId = firstId === 0 ? 0 : firstId + count - 1;
        const staged = { ...stagedDelta(stage, planned, greatestId), isPatch };
        const asked = records === undefined ? {} : { records };
        const outcome = await writer.submit(
          { kind: 'publish-records', zoneName, zoneId, atSerial, staged, ...asked },
          options,
        );
        if (outcome.moved) return undefined;
        return { warnings: [...outcome.warnings, ...warnings] };
      } catch (error) {
        // What a plan finds wrong may come of the zone having moved meanwhile.
        const isSame = zones.byName(zoneName)?.serial === zone.serial;
        if (!(error instanceof Problem) || isSame || options.heldName !== undefined) throw error;
        return undefined;
      }
    });
  }
}

/** What is not plain is sent a little at a time: copying all of it would hold up everybody. */
async function read(
  job: Job<BulkJob>,
  records: BulkRecords['records'],
  asked: Omit<BulkReadJob, 'records'>,
): Promise<void> {
  if ('bytes' in records) return job.call('read', { ...asked, records });
  for (let start = 0; start < records.length; start += inputsAtOnce) {
    await job.call('add', records.slice(start, start + inputsAtOnce));
    await nextTurn();
  }
  return job.call('read', { ...asked, records: undefined });
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

/** Whether only the blocks that get new records are written. */
function patches({ recordCount, dnssecCount }: Zone, count: number): boolean {
  const times = count > maxPatchRecords ? maxTimes : 1;
  return dnssecCount === 0 && recordCount > count * times;
}

function fits(zone: Zone, count: number): boolean {
  return patches(zone, count) || zone.recordCount + zone.dnssecCount <= maxTimes * count;
}
