/**
 * What the adapter leaves out, so that the rest can be done: logged with its reason when it is met first, counted
 * each time, and listed until it is met no more.
 *
 * An adjustment has all that the controller's sources want, changes all that they miss; so what a call leaves out
 * takes the place of what the last call of its kind left out. Where two adjustments come without changes between them,
 * nothing was missing. Bodies are bounded, so this is too.
 */
import { type Clock, formatTime } from '../base/clock.ts';
import { excerpt } from '../base/problem.ts';
import type { AdapterMetrics, LeftOutReason } from '../telemetry/adapter-metrics.ts';
import type { Log } from '../telemetry/log.ts';
import type { Endpoint } from './endpoint.ts';
import type { Unfit } from './problem.ts';

/** The calls that leave something out. */
export type LeavingCall = 'adjustendpoints' | 'records_apply';

/** One endpoint that is left out. */
export interface LeftOut extends Unfit {
  readonly endpoint: Endpoint;
  /** `creates`, `deletes` or `updates`; undefined for an adjustment. */
  readonly list?: string;
}

/** As GET /problems shows it. */
interface ListedProblem {
  readonly call: LeavingCall;
  readonly list: string | null;
  readonly name: string;
  readonly type: string;
  readonly targets: readonly string[];
  readonly reason: LeftOutReason;
  readonly message: string;
  /** When it was met first. */
  readonly since: string;
}

/** Targets that are shown of one endpoint. */
const shownTargets = 3;

export class LeftOutList {
  readonly #log: Log;
  readonly #metrics: AdapterMetrics;
  readonly #clock: Clock;
  #adjusted = new Map<string, ListedProblem>();
  #applied = new Map<string, ListedProblem>();
  #hasApplied = false;

  constructor(log: Log, metrics: AdapterMetrics, clock: Clock) {
    this.#log = log;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Takes in what a call that went well has left out. */
  note(call: LeavingCall, leftOut: readonly LeftOut[]): void {
    if (call === 'adjustendpoints') {
      this.#adjusted = this.#replace(this.#adjusted, call, leftOut);
      if (!this.#hasApplied) this.#applied = this.#replace(this.#applied, 'records_apply', []);
      this.#hasApplied = false;
    } else {
      this.#applied = this.#replace(this.#applied, call, leftOut);
      this.#hasApplied = true;
    }
  }

  all(): readonly ListedProblem[] {
    return [...this.#adjusted.values(), ...this.#applied.values()];
  }

  #replace(
    before: ReadonlyMap<string, ListedProblem>,
    call: LeavingCall,
    leftOut: readonly LeftOut[],
  ): Map<string, ListedProblem> {
    const since = formatTime(this.#clock());
    const after = new Map<string, ListedProblem>();
    for (const each of leftOut) {
      this.#metrics.leftOut(each.reason);
      const problem = shown(call, each, since);
      const key = JSON.stringify({ ...problem, since: undefined });
      const known = before.get(key);
      after.set(key, known ?? problem);
      const { since: _, ...fields } = problem;
      // It comes again with every sync; one line is enough until something changes.
      if (known === undefined) this.#log.warn('external-dns.left-out', fields);
      else this.#log.debug('external-dns.left-out-again', fields);
    }
    for (const [key, { call: from, list, name, type }] of before) {
      if (after.has(key)) continue;
      this.#log.info('external-dns.left-out-no-more', { call: from, list, name, type });
    }
    return after;
  }
}

function shown(call: LeavingCall, leftOut: LeftOut, since: string): ListedProblem {
  const { endpoint, list = null, reason, message } = leftOut;
  const { dnsName, recordType, targets } = endpoint;
  return {
    call,
    list,
    name: excerpt(dnsName),
    type: excerpt(recordType),
    targets: targets.slice(0, shownTargets).map(excerpt),
    reason,
    message: excerpt(message),
    since,
  };
}
