/** What secondaries said to NOTIFY last, kept in memory. */
import type { Clock } from '../base/clock.ts';

export interface NotifyAnswer {
  readonly zoneName: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null when any of its addresses acknowledged. */
  readonly error: string | null;
}

export class NotifyAnswers {
  readonly #clock: Clock;
  /** By the names of secondaries. */
  readonly #last = new Map<string, NotifyAnswer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(secondaryName: string, zoneName: string, error: string | undefined): void {
    this.#last.set(secondaryName, { zoneName, at: this.#clock(), error: error ?? null });
  }

  /** Undefined when it got none since the start. */
  of(secondaryName: string): NotifyAnswer | undefined {
    return this.#last.get(secondaryName);
  }
}
