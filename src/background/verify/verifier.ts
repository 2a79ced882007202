/**
 * Verifies the database in the background, in a thread that gives way to those that answer: the pages of its tables,
 * the chain of the journal and its end, and the checksums of blocks. What is found is logged, and told by metrics and
 * status; damaged blocks are repaired on the way (background/repair).
 *
 * That projections equal a rebuild is not compared here: `zonebook journal verify` does that on a copy.
 */
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type Clock, monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Periodic } from '../../base/periodic.ts';
import { startThread } from '../../base/thread.ts';
import { readEpochFile } from '../../journal/epoch-file.ts';
import type { Log } from '../../telemetry/log.ts';
import type { VerifyTotals } from '../../telemetry/metrics.ts';
import type { VerifyJob, VerifyReport } from './verify-thread.ts';

export interface VerifierServices {
  /** The database. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
}

const msPerHour = 3_600_000;

export class Verifier {
  readonly #services: VerifierServices;
  #verifying: Periodic | undefined;
  #worker: Worker | undefined;
  #last: VerifyTotals | undefined;
  #isStopped = false;

  constructor(services: VerifierServices) {
    this.#services = services;
  }

  /** What the last run came to; undefined before the first. */
  get last(): VerifyTotals | undefined {
    return this.#last;
  }

  /** Runs some minutes from now and then at every interval; never where that is 0. */
  start(intervalHours: number): void {
    const everyMs = intervalHours * msPerHour;
    const times = { everyMs, firstMs: limits.verifyFirstMs };
    this.#verifying = new Periodic(() => this.run(), { ...times, failed() {} });
    this.#verifying.start();
  }

  /** One run. What fails is logged and tried again with the next. */
  async run(): Promise<void> {
    const { file, clock, log } = this.#services;
    const startedMs = monotonicMs();
    try {
      const report = await this.#report({ file, served: readEpochFile(dirname(file))?.seq });
      const durationMs = Math.round(monotonicMs() - startedMs);
      this.#last = { atMs: clock(), findings: report.total, durationMs };
      for (const { code, seq, zones, problem } of report.findings) {
        log.error('database.damaged', { code, seq, zones: zones.join(), problem });
      }
      const { events, total } = report;
      log.info('database.verified', { events, findings: total, durationMs });
    } catch (error) {
      if (!this.#isStopped) log.error('database.not-verified', { error });
    }
  }

  async #report(job: VerifyJob): Promise<VerifyReport> {
    const worker = startThread(new URL('./verify-thread.ts', import.meta.url), { workerData: job });
    worker.unref();
    this.#worker = worker;
    try {
      const [report] = (await once(worker, 'message')) as [VerifyReport];
      return report;
    } finally {
      this.#worker = undefined;
      void worker.terminate();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // A run that is cut short tells nothing any more.
    void this.#verifying?.stop();
    await this.#worker?.terminate();
  }
}
