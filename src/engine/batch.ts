/** The commands of one commit, and what is told of them once it is on disk. */
import { monotonicMs } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import type { Decision } from '../domain/decision.ts';
import { isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import { serialOf } from '../journal/event-row.ts';
import type { ProjectedState } from '../projection/state.ts';
import { type JournalledEvent, type ZoneChange, zoneChangeOf } from './submission.ts';
import { WholePassNeeded } from './zone-signer.ts';

/** A command that waits, or a piece of work of the service's own. */
export interface Submission {
  /** What is decided and written; `undefined` events change nothing. */
  readonly run: () => Decision<unknown>;
  /** Whether its commit may reach the disk later than its caller is answered. */
  readonly isPreparation: boolean;
  /** Whether another thread may write it: it reads nothing but what is kept in memory. */
  readonly isOrdinary: boolean;
  /** For a command whose zone has to be signed as a whole first. */
  readonly signAhead?: (() => Promise<unknown>) | undefined;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Settled {
  readonly submission: Submission;
  readonly outcome?: unknown;
  readonly error?: Problem | WholePassNeeded;
}

/** A command failed in a way that no rule foresees: what it changed until then must be undone. */
export class HalfWay extends Error {
  constructor(cause: unknown) {
    super('a command failed half-way', { cause });
  }
}

export function causeOf(error: unknown): unknown {
  return error instanceof HalfWay ? error.cause : error;
}

export class Batch {
  /** When it was begun, in milliseconds of the steady clock. */
  readonly begunAt = monotonicMs();
  /** Those that were run, or begun. */
  readonly taken: Submission[] = [];
  readonly #settled: Settled[] = [];
  readonly #zoneEvents: ZoneEvent[] = [];
  #events = 0;
  #changes: readonly ZoneChange[] = [];
  #journalled: readonly JournalledEvent[] = [];

  /** Events of its commands. */
  get events(): number {
    return this.#events;
  }

  get zoneEvents(): number {
    return this.#zoneEvents.length;
  }

  /** Events that are steps of a zone's serial. */
  get steps(): number {
    return this.#zoneEvents.filter((event) => serialOf(event) !== null).length;
  }

  get changes(): readonly ZoneChange[] {
    return this.#changes;
  }

  get journalled(): readonly JournalledEvent[] {
    return this.#journalled;
  }

  /** Decides a command. Throws HalfWay when it fails in any other way than by a refusal. */
  run(submission: Submission): void {
    this.taken.push(submission);
    try {
      const { outcome, event, more = [] } = submission.run();
      this.#settled.push({ submission, outcome });
      if (event === undefined) return;
      this.#events += 1 + more.length;
      if (isZoneEvent(event)) this.#zoneEvents.push(event);
      this.#zoneEvents.push(...more);
    } catch (error) {
      // Damage is met anywhere on the way, also when something has changed already.
      const isProblem = error instanceof Problem && error.code !== 'STORAGE_UNAVAILABLE';
      const isRefusal = isProblem || error instanceof WholePassNeeded;
      if (!isRefusal) throw new HalfWay(error);
      this.#settled.push({ submission, error });
    }
  }

  /** All of its commands are decided: notes what listeners are told, each zone as it is now. */
  close(state: ProjectedState, journalled: readonly JournalledEvent[]): void {
    this.#journalled = journalled;
    const changes: ZoneChange[] = [];
    for (const event of this.#zoneEvents) {
      const change = zoneChangeOf(event, state.zoneById(event.zoneId));
      if (change !== undefined) changes.push(change);
    }
    this.#changes = changes;
  }

  /** Answers the callers, in order: the commit is on disk. */
  answer(): void {
    for (const { submission, outcome, error } of this.#settled) {
      if (error === undefined) submission.resolve(outcome);
      else if (error instanceof WholePassNeeded && submission.signAhead !== undefined) {
        submission.signAhead().then(submission.resolve, submission.reject);
      } else submission.reject(error);
    }
  }

  reject(error: unknown): void {
    for (const submission of this.taken) submission.reject(causeOf(error));
  }
}
