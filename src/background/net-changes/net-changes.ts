/**
 * Makes net changes of zones with a long history (projection/net-change-store.ts), so that the past costs what is asked
 * for and not how old it is. A worker reads and computes; the writer is given a part at a time.
 *
 * ```
 *   a minute after the start: all zones --+
 *   a serial passes the end of a span ----+--> due spans of a zone, short ones first --> parts --> the span counts
 * ```
 */
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { withBuffers } from '../../base/message-bytes.ts';
import { Periodic } from '../../base/periodic.ts';
import { Problem } from '../../base/problem.ts';
import { isTransient } from '../../base/storage-problem.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import type { SerialSpan } from '../../projection/net-change-store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Writer } from '../../writer/writer.ts';
import type { NetChangesJob } from './net-changes-job.ts';

export interface NetChangeServices {
  readonly writer: Pick<Writer, 'operate' | 'onCommit'>;
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly log: Pick<Log, 'error'>;
}

/** Serials of a span: one is made of four shorter ones. */
const spanLengths = [4096, 16_384, 65_536, 262_144, 1_048_576];
/** Milliseconds from the start to the look at all zones, and from each to the next. */
const firstMs = 60_000;
const everyMs = 6 * 3_600_000;
/** Milliseconds between two commits, so that others come first. */
const pauseMs = 2;

type Opened = ReturnType<typeof openJob>;

const openJob = (workers: Pick<WorkerPool, 'open'>) => workers.open<NetChangesJob>('net-changes');

export class NetChanges extends Periodic {
  readonly #services: NetChangeServices;
  readonly #lengths: readonly number[];
  /** How many spans of the shortest length a zone has behind it, of zones that changed since the start. */
  readonly #passed = new Map<number, number>();
  /** Zones to be looked at, the next one first. */
  readonly #waiting = new Set<number>();
  /** Zones that failed: they wait for the look at all zones, or until a disk that failed can be written again. */
  readonly #failed = new Set<number>();
  /** The last look at all zones failed, or is going on. */
  #isLookOwed = false;
  /** When all zones are to be looked at, by the monotonic clock. */
  #allFromMs = monotonicMs() + firstMs;
  #job: Opened | undefined;

  constructor(services: NetChangeServices, lengths: readonly number[] = spanLengths) {
    const failed = (error: unknown) => services.log.error('net-changes.failed', { error });
    const afterFailureMs = () => this.#dueMs(this.#waiting.size > 0 ? firstMs : everyMs);
    super(() => this.#run(), { everyMs, firstMs, failed, afterFailureMs });
    this.#services = services;
    this.#lengths = lengths;
    services.writer.onCommit((changes) => {
      for (const { zone } of changes) this.#heed(zone);
    });
  }

  /** Makes all that is due, of all zones. */
  run(): Promise<void> {
    this.#allFromMs = 0;
    return this.wake();
  }

  resume(): void {
    for (const id of this.#failed) this.#waiting.add(id);
    this.#failed.clear();
    if (this.#isLookOwed) this.#allFromMs = 0;
    if (this.#isLookOwed || this.#waiting.size > 0) void this.wake();
  }

  override stop(): Promise<void> {
    const stopped = super.stop();
    this.#job?.end();
    return stopped;
  }

  #heed({ id, serial }: { readonly id: number; readonly serial: number }): void {
    const passed = Math.floor(serial / this.#lengths[0]!);
    const before = this.#passed.get(id);
    this.#passed.set(id, passed);
    if (before === undefined || before === passed || this.isStopped) return;
    if (this.#failed.has(id)) return;
    this.#waiting.add(id);
    void this.wake();
  }

  async #run(): Promise<number> {
    const job = openJob(this.#services.workers);
    this.#job = job;
    try {
      if (monotonicMs() >= this.#allFromMs) await this.#lookAtAll(job);
      await this.#makeWaiting(job);
      job.release();
    } catch (error) {
      job.end();
      if (!this.isStopped) throw error;
    } finally {
      this.#job = undefined;
    }
    return this.#dueMs();
  }

  /** Milliseconds to the next look at all zones. */
  #dueMs(maxMs = everyMs): number {
    return Math.min(maxMs, Math.max(0, this.#allFromMs - monotonicMs()));
  }

  async #lookAtAll(job: Opened): Promise<void> {
    this.#allFromMs = monotonicMs() + everyMs;
    this.#isLookOwed = true;
    for (const id of await job.call('zones', this.#lengths[0]!)) this.#waiting.add(id);
    this.#failed.clear();
    this.#isLookOwed = false;
  }

  /** Throws the first failure at the end: a zone that fails is in the way of no other. */
  async #makeWaiting(job: Opened): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const zoneId of [...this.#waiting]) {
      this.#waiting.delete(zoneId);
      try {
        await this.#makeAll(job, zoneId);
      } catch (error) {
        failure ??= { error };
        const isOfZone = !isOfMoment(error);
        this.#waiting.delete(zoneId);
        (isOfZone ? this.#failed : this.#waiting).add(zoneId);
        // The others would fail too: they wait for the next run.
        if (!isOfZone || !job.isThere) break;
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  async #makeAll(job: Opened, zoneId: number): Promise<void> {
    const { writer } = this.#services;
    while (!this.isStopped) {
      const due = await job.call('due', { zoneId, lengths: this.#lengths });
      if (due === undefined) return;
      await this.#make(job, zoneId, due.span);
      await writer.operate({ kind: 'put-net-change', zoneId, ...due });
    }
  }

  async #make(job: Opened, zoneId: number, span: SerialSpan): Promise<void> {
    const { writer } = this.#services;
    const put = { kind: 'put-net-parts', zoneId, span } as const;
    let from = 0;
    await writer.operate({ ...put, from, parts: [] });
    for await (const part of job.stream('make', { zoneId, span })) {
      await writer.operate({ ...put, from, parts: [withBuffers(part)] });
      from++;
      await wait(pauseMs);
    }
  }
}

/** Whether a failure says nothing of the zone that it came with: the disk, or the writer, can take nothing now. */
function isOfMoment(error: unknown): boolean {
  return isTransient(error) || (error instanceof Problem && error.code === 'OVERLOADED');
}
