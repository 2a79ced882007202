/**
 * Keeps the index of searches (projection/search-index.ts): what is written now first, then what zones hold, then what
 * was removed before. A worker reads; the writer is given a batch at a time.
 *
 * ```
 *   committed ---> follow new events ---> a zone after the other ---> events before, newest first
 *                    ^                       | a batch each                | 2,000 each
 *                    +-----------------------+----------------------------+---> what retention has deleted
 * ```
 */
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { Periodic } from '../../base/periodic.ts';
import { SharedJob } from '../../base/shared-job.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import type { Log } from '../../telemetry/log.ts';
import type { IndexBatch } from '../../projection/search-index.ts';
import type { Operation, ResultOf } from '../../writer/operation.ts';
import type { Writer } from '../../writer/writer.ts';
import type { SearchJob } from './search-job.ts';

export interface SearchServices {
  readonly writer: Pick<Writer, 'operate' | 'onCommit'>;
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly log: Pick<Log, 'error'>;
}

/** Milliseconds from the start to the first look, unless somebody searches before, and from each to the next. */
const firstMs = 15_000;
const everyMs = 500;
/** Milliseconds between two commits, so that others come first; at most, while others write much. */
const pauseMs = 2;
const maxPauseMs = 2000;
/** Commits of others in a second from which on it takes a twentieth of the writer's time. */
const busyCommits = 50;
const busyShare = 20;

const restsAfterFailure = 60;

/** Milliseconds that a search waits for an index that is made for the first time: enough where zones hold little. */
const firstIndexMs = 1000;

interface Waiting {
  readonly seq: number;
  readonly sinceMs: number;
  release(): void;
}

export class SearchIndexer extends Periodic {
  readonly #services: SearchServices;
  readonly #firstWaitMs: number;
  /** Whether something may have been written since the last look. */
  #isBehind = true;
  /** Whether retention may have deleted something since it was looked for. */
  #isToSweep = true;
  /** Looks that are left out after a failure. */
  #rests = 0;
  /** Whoever waits until an event is taken in. */
  readonly #waiting = new Set<Waiting>();
  readonly #job: SharedJob<SearchJob>;
  #isRunning = false;
  /** Commits of others since its own last one, which was then. */
  #commits = 0;
  #lastMs = monotonicMs();

  /** `firstWaitMs`: how long searches wait for an index that is made for the first time. */
  constructor(services: SearchServices, firstWaitMs = firstIndexMs) {
    const failed = (error: unknown) => services.log.error('search-index.failed', { error });
    super(() => this.#run(), { everyMs, firstMs, failed });
    this.#services = services;
    this.#firstWaitMs = firstWaitMs;
    this.#job = new SharedJob(services.workers, 'search');
    services.writer.onCommit(() => {
      this.#isBehind = true;
      this.#commits++;
    });
  }

  /** Takes in all that is there. */
  run(): Promise<void> {
    this.#isBehind = true;
    this.#rests = 0;
    return this.wake();
  }

  /** Retention has deleted something: what names it goes with the next look. */
  sweepLater(): void {
    this.#isToSweep = true;
    this.#isBehind = true;
  }

  /**
   * Waits until an event is taken in: `maxMs` milliseconds at most, and a second while the index is made for the first
   * time, which can take minutes.
   */
  async reach(seq: number, maxMs: number): Promise<void> {
    if (!this.#isBehind && !this.#isRunning) return;
    await new Promise<void>((resolve) => {
      const release = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        resolve();
      };
      const timer = setTimeout(release, maxMs);
      const waiting = { seq, sinceMs: monotonicMs(), release };
      this.#waiting.add(waiting);
      this.#isBehind = true;
      // A failure is reported where all are, and the wait ends by its time.
      this.wake().catch(() => {});
    });
  }

  #release(upTo: number): void {
    for (const { seq, release } of [...this.#waiting]) if (seq <= upTo) release();
  }

  /** While the index is made for the first time. */
  #releaseImpatient(): void {
    const beforeMs = monotonicMs() - this.#firstWaitMs;
    for (const { sinceMs, release } of [...this.#waiting]) if (sinceMs <= beforeMs) release();
  }

  override stop(): Promise<void> {
    const stopped = super.stop();
    this.#release(Number.POSITIVE_INFINITY);
    return stopped;
  }

  async #run(): Promise<void> {
    if (!this.#isBehind || this.#rests-- > 0) {
      this.#release(Number.POSITIVE_INFINITY);
      return;
    }
    this.#rests = 0;
    this.#isBehind = false;
    this.#isRunning = true;
    try {
      while (!this.isStopped && (await this.#goOn()));
    } catch (error) {
      this.#isBehind = true;
      this.#rests = restsAfterFailure;
      if (!this.isStopped) throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Does some of what is left; false when nothing is. */
  async #goOn(): Promise<boolean> {
    const { writer } = this.#services;
    const { progress, last } = await this.#job.call('state', undefined);
    if (progress === undefined) {
      await writer.operate({ kind: 'begin-search-index', followed: last });
      return true;
    }
    if (progress.zoneId === null) this.#release(progress.followed);
    else this.#releaseImpatient();
    if (progress.followed < last) return this.#take('follow', progress.followed);
    if (progress.zoneId !== null) {
      if (await this.#take('zone', progress.zoneId)) return true;
      // A stop says nothing of what is left: the next start goes on with this zone.
      if (this.isStopped) return false;
      const batch = { owners: [], isHistory: false, progress: { zoneId: null } };
      await writer.operate({ kind: 'put-search-index', batch });
      return true;
    }
    if (progress.recalled > 1) return this.#take('recall', progress.recalled);
    if (this.#isToSweep) await this.#sweep();
    return false;
  }

  async #sweep(): Promise<void> {
    // More may be deleted meanwhile: that is for another look.
    this.#isToSweep = false;
    try {
      for await (const stale of this.#job.stream('sweep', undefined)) {
        if (this.isStopped) return;
        await this.#write({ kind: 'sweep-search-index', stale });
      }
    } catch (error) {
      this.#isToSweep = true;
      throw error;
    }
  }

  /** Whether there was anything. */
  async #take(what: 'follow' | 'zone' | 'recall', from: number): Promise<boolean> {
    const { writer } = this.#services;
    let isAny = false;
    for await (const { purged, batch } of this.#job.stream(what, from)) {
      if (this.isStopped) break;
      isAny = true;
      if (purged !== undefined) {
        while (await writer.operate({ kind: 'forget-search-index', zoneId: purged })) {
          if (this.isStopped) return false;
          await wait(pauseMs);
        }
      }
      const missed = await this.#write({ kind: 'put-search-index', batch });
      if (missed.length > 0) return this.#passOver(missed, batch);
    }
    return isAny;
  }

  /** Takes in what zones have whose events were deleted before they were followed, and goes on after these events. */
  async #passOver(missed: readonly number[], { progress }: IndexBatch): Promise<boolean> {
    for (const zoneId of missed) {
      for await (const { batch, stale } of this.#job.stream('compare', zoneId)) {
        if (this.isStopped) return false;
        await this.#write({ kind: 'put-search-index', batch });
        if (stale !== undefined) await this.#write({ kind: 'sweep-search-index', stale });
      }
    }
    // More may be deleted meanwhile: then it is followed from the same event again.
    const batch = { owners: [], isHistory: false, progress, compared: missed };
    await this.#write({ kind: 'put-search-index', batch });
    return true;
  }

  async #write<O extends Operation>(operation: O): Promise<ResultOf<O>> {
    const startMs = monotonicMs();
    const result = await this.#services.writer.operate(operation);
    await this.#pause(monotonicMs() - startMs);
    return result;
  }

  async #pause(busyMs: number): Promise<void> {
    const nowMs = monotonicMs();
    const isBusy = this.#commits > (busyCommits * (nowMs - this.#lastMs)) / 1000;
    const ms = isBusy ? Math.min(maxPauseMs, (busyShare - 1) * busyMs) : 0;
    this.#commits = 0;
    this.#lastMs = nowMs;
    await wait(Math.max(pauseMs, ms));
  }
}
