/**
 * Verifies the database in the background, in a worker: the pages of its tables,
 * the chain of the journal and its end, and the checksums of blocks. What is found is logged, and reported by metrics
 * and status; damaged blocks are repaired on the way (background/repair).
 *
 * That projections equal a rebuild is not compared here: `zonebook journal verify` does that on a copy.
 */
import { dirname } from 'node:path';
import { type Clock, monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Periodic } from '../../base/periodic.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import { readEpochFile } from '../../journal/epoch-file.ts';
import type { Log } from '../../telemetry/log.ts';
import type { GaugeValues } from '../../telemetry/metrics.ts';
import type { VerifyJob, VerifyReport } from './verify-job.ts';

export interface VerifierServices {
  /** The database. */
  readonly file: string;
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
}

const msPerHour = 3_600_000;

/** What a verification came to. */
interface VerifyTotals {
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  /** How many were checked, from the first one on. */
  readonly events: number;
  readonly findings: number;
  readonly durationMs: number;
}

export class Verifier extends Periodic {
  readonly #services: VerifierServices;
  #job: Job<VerifyJob> | undefined;
  #last: VerifyTotals | undefined;

  /** Runs some minutes from the start and then at every interval; never where that is 0. */
  constructor(services: VerifierServices, intervalHours: number) {
    super(() => this.run(), { everyMs: intervalHours * msPerHour, firstMs: limits.verifyFirstMs });
    this.#services = services;
  }

  /** What the last run came to; undefined before the first. */
  get last(): VerifyTotals | undefined {
    return this.#last;
  }

  gauges(): GaugeValues {
    const { atMs = 0, durationMs = 0, events = 0, findings = 0 } = this.#last ?? {};
    return {
      verifiedAt: atMs / 1000,
      verifyDuration: durationMs / 1000,
      verifyEvents: events,
      verifyResults: findings,
    };
  }

  /** One run. What fails is logged and tried again with the next. */
  async run(): Promise<void> {
    const { file, clock, log } = this.#services;
    const startedMs = monotonicMs();
    try {
      const report = await this.#report(readEpochFile(dirname(file))?.seq);
      const durationMs = Math.round(monotonicMs() - startedMs);
      const { events, total } = report;
      this.#last = { atMs: clock(), events, findings: total, durationMs };
      for (const { code, seq, zones, problem } of report.findings) {
        log.error('database.damaged', { code, seq, zones: zones.join(), problem });
      }
      log.info('database.verified', { events, findings: total, durationMs });
    } catch (error) {
      if (!this.isStopped) log.error('database.not-verified', { error });
    }
  }

  async #report(served: number | undefined): Promise<VerifyReport> {
    const job = this.#services.workers.open<VerifyJob>('verify');
    this.#job = job;
    try {
      return await job.call('verify', served);
    } finally {
      this.#job = undefined;
      job.release();
    }
  }

  override stop(): Promise<void> {
    const stopped = super.stop();
    // It reads for minutes, and can not be asked to stop.
    this.#job?.end();
    return stopped;
  }
}
