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

/** Targets that are listed of one endpoint. */
const maxTargets = 3;

export class LeftOutList {
  readonly #log: Log;
  readonly #metrics: AdapterMetrics;
  readonly #clock: Clock;
  readonly #problems = new Map<LeavingCall, ReadonlyMap<string, ListedProblem>>();
  #last: LeavingCall | undefined;

  constructor(log: Log, metrics: AdapterMetrics, clock: Clock) {
    this.#log = log;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Takes in what a call that went well has left out. */
  note(call: LeavingCall, leftOut: readonly LeftOut[]): void {
    this.#replace(call, leftOut);
    if (call === 'adjustendpoints' && this.#last !== 'records_apply') {
      this.#replace('records_apply', []);
    }
    this.#last = call;
  }

  all(): readonly ListedProblem[] {
    const calls: readonly LeavingCall[] = ['adjustendpoints', 'records_apply'];
    return calls.flatMap((call) => [...(this.#problems.get(call)?.values() ?? [])]);
  }

  #replace(call: LeavingCall, leftOut: readonly LeftOut[]): void {
    const before = this.#problems.get(call) ?? new Map<string, ListedProblem>();
    const since = formatTime(this.#clock());
    const after = new Map<string, ListedProblem>();
    for (const each of leftOut) {
      this.#metrics.leftOut(each.reason);
      const problem = presented(call, each, since);
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
    this.#problems.set(call, after);
  }
}

function presented(call: LeavingCall, leftOut: LeftOut, since: string): ListedProblem {
  const { endpoint, list = null, reason, message } = leftOut;
  const { dnsName, recordType, targets } = endpoint;
  return {
    call,
    list,
    name: excerpt(dnsName),
    type: excerpt(recordType),
    targets: targets.slice(0, maxTargets).map(excerpt),
    reason,
    message: excerpt(message),
    since,
  };
}
