/**
 * Lints all zones in the background (query/lint-queries.ts), a part at a time in a worker: how many findings of
 * each kind there are, for the metrics. `zonebook zone lint` tells what they are.
 */
import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Periodic } from '../base/periodic.ts';
import { lintCodes, type WarningCode } from '../base/warning.ts';
import type { LintCounts } from '../query/lint-queries.ts';
import type { Reader } from '../query/reader.ts';
import type { Log } from '../telemetry/log.ts';
import type { GaugeValues } from '../telemetry/metrics.ts';

export interface LinterServices {
  readonly lint: Pick<Reader['lint'], 'counts'>;
  readonly log: Log;
}

const msPerHour = 3_600_000;

type Counts = Readonly<Record<WarningCode, number>>;

export class Linter extends Periodic {
  readonly #services: LinterServices;
  #last: Counts | undefined;

  /** Runs some minutes from the start and then at every interval; never where that is 0. */
  constructor(services: LinterServices, intervalHours: number) {
    super(() => this.run(), {
      everyMs: intervalHours * msPerHour,
      firstMs: limits.lintFirstMs,
      failed: (error) => services.log.error('zones.not-linted', { error }),
    });
    this.#services = services;
  }

  gauges(): GaugeValues {
    return { lintResults: this.#last };
  }

  async run(): Promise<void> {
    const { lint, log } = this.#services;
    const startedMs = monotonicMs();
    const counts = Object.fromEntries(lintCodes.map((code) => [code, 0])) as Record<
      WarningCode,
      number
    >;
    let next: LintCounts['next'] = null;
    do {
      const part: LintCounts = await lint.counts(next);
      for (const code of lintCodes) counts[code] += part.counts[code] ?? 0;
      next = part.next;
      await setImmediate();
    } while (next !== null && !this.isStopped);
    if (this.isStopped) return;
    this.#last = counts;
    const findings = Object.values(counts).reduce((sum, count) => sum + count, 0);
    log.info('zones.linted', { findings, durationMs: Math.round(monotonicMs() - startedMs) });
  }
}
