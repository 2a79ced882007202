/** How far one secondary was behind in the last 24 hours: one value for each 10 minutes, whatever happens in them. */
import { limits } from '../base/limits.ts';

const spanMs = 10 * 60_000;
const spanCount = 144;

/** What was known at a moment: since when it is behind, null when it is with nothing; undefined when nobody knows. */
export type KnownLag = number | null | undefined;

export interface LagOfDay {
  /** Since when it has been counted, in milliseconds since 1970. */
  readonly countedSince: number;
  /** When the first of the spans began. */
  readonly firstAt: number;
  readonly spanSeconds: number;
  /** Oldest first, the current span last: the greatest lag in milliseconds; null where none was known. */
  readonly behindMs: readonly (number | null)[];
}

export class LagHistory {
  #countedSince = 0;
  /** By the number of the span since 1970, modulo their count. */
  readonly #greatest: (number | null)[] = Array.from({ length: spanCount }, () => null);
  #current = 0;
  /** When something was last seen of it. */
  #seenAt = 0;

  constructor(now: number) {
    this.#begin(now);
  }

  #begin(now: number): void {
    this.#greatest.fill(null);
    this.#countedSince = now;
    this.#seenAt = now;
    this.#current = Math.floor(now / spanMs);
  }

  /** Takes in what was just seen. */
  see(now: number, known: KnownLag): void {
    this.pass(now, undefined);
    this.#seenAt = now;
    this.pass(now, known);
  }

  /** Takes in that it has been like this until now. */
  pass(now: number, known: KnownLag): void {
    // Nothing would be counted until a clock that was set back by a day or more is there again.
    if (Math.floor(now / spanMs) <= this.#current - spanCount) this.#begin(now);
    const last = Math.max(this.#current, Math.floor(now / spanMs));
    for (let span = Math.max(this.#current, last - spanCount + 1); span <= last; span += 1) {
      const index = span % spanCount;
      if (span > this.#current) this.#greatest[index] = null;
      // Who is not asked any more is not known for ever.
      if (known === undefined || span * spanMs > this.#seenAt + 2 * limits.secondaryWatchMs)
        continue;
      const until = Math.min(now, (span + 1) * spanMs);
      const lag = known === null ? 0 : Math.max(0, until - known);
      this.#greatest[index] = Math.max(this.#greatest[index] ?? 0, lag);
    }
    this.#current = last;
  }

  day(): LagOfDay {
    const first = this.#current - spanCount + 1;
    const behindMs = Array.from({ length: spanCount }, (_, i) => {
      return this.#greatest[(first + i) % spanCount] ?? null;
    });
    const firstAt = first * spanMs;
    return { countedSince: this.#countedSince, firstAt, spanSeconds: spanMs / 1000, behindMs };
  }
}
