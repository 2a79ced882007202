/** What one commit runs, and what is reported of it once it is on disk. */
import { monotonicMs } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import type { Decision, StateView } from '../domain/decision.ts';
import { isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import { serialOf } from '../journal/event-row.ts';
import {
  type CommitFigures,
  type JournalledEvent,
  type ZoneChange,
  zoneChangeOf,
} from './submission.ts';
import { WholePassNeeded } from './zone-signer.ts';

/** A command or an operation that waits. */
export interface Submission {
  /** Decides and writes; `undefined` events change nothing. */
  readonly run: () => Decision<unknown>;
  /** Whether its commit may reach the disk later than its caller is answered. */
  readonly isPreparation: boolean;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A command failed in a way that no rule foresees: what it changed until then must be undone. */
export class UnforeseenFailure extends Error {
  constructor(cause: unknown) {
    super('a command failed half-way', { cause });
  }
}

export function causeOf(error: unknown): unknown {
  return error instanceof UnforeseenFailure ? error.cause : error;
}

export class Batch {
  readonly #begunAt = monotonicMs();
  /** Those that were run, or begun. */
  readonly taken: Submission[] = [];
  readonly #answers: (() => void)[] = [];
  readonly #zoneEvents: ZoneEvent[] = [];
  /** What is reported to listeners, once all are run. */
  readonly changes: ZoneChange[] = [];
  journalled: readonly JournalledEvent[] = [];

  get figures(): CommitFigures {
    let serialChanges = 0;
    for (const event of this.#zoneEvents) if (serialOf(event) !== null) serialChanges++;
    return {
      commands: this.taken.length,
      events: this.journalled.length,
      serialChanges,
      milliseconds: monotonicMs() - this.#begunAt,
    };
  }

  /** Runs a submission. Throws UnforeseenFailure when it fails in any other way than by a refusal. */
  run(submission: Submission): void {
    this.taken.push(submission);
    try {
      const { outcome, event, more = [] } = submission.run();
      this.#answers.push(() => submission.resolve(outcome));
      if (event === undefined) return;
      if (isZoneEvent(event)) this.#zoneEvents.push(event);
      this.#zoneEvents.push(...more);
    } catch (error) {
      // Damage is met anywhere on the way, also when something has changed already.
      const isProblem = error instanceof Problem && error.code !== 'STORAGE_UNAVAILABLE';
      const isRejection = isProblem || error instanceof WholePassNeeded;
      if (!isRejection) throw new UnforeseenFailure(error);
      this.#answers.push(() => submission.reject(error));
    }
  }

  /** All are run: collects what is reported to listeners, each zone as it is now. */
  close(state: StateView, journalled: readonly JournalledEvent[]): void {
    this.journalled = journalled;
    for (const event of this.#zoneEvents) {
      const change = zoneChangeOf(event, state.zoneById(event.zoneId));
      if (change !== undefined) this.changes.push(change);
    }
  }

  /** Answers the callers, in order: the commit is on disk. */
  answer(): void {
    for (const answer of this.#answers) answer();
  }

  reject(error: unknown): void {
    for (const submission of this.taken) submission.reject(causeOf(error));
  }
}
