/**
 * Transfers whose clients do not read, and who gives way when no snapshot is free for another.
 *
 * The one that has waited longest for its client goes on from a file at once, instead of when its
 * snapshot's time is over; its snapshot is the next one's. A client that reads never gives way.
 */
import { monotonicMs } from '../base/clock.ts';
import { nameserverLimits } from './limits.ts';

interface Stall {
  readonly sinceMs: number;
  /** Resolves when the snapshot is released; never rejects. */
  giveWay(): Promise<void>;
}

export class StalledTransfers {
  /** In the order they began, so the longest comes first. */
  readonly #stalls = new Set<Stall>();
  #leaving = false;

  /** A transfer waits for its client; the function returned says that the wait is over. */
  begin(giveWay: () => Promise<void>): () => void {
    const stall: Stall = { sinceMs: monotonicMs(), giveWay };
    this.#stalls.add(stall);
    return () => this.#stalls.delete(stall);
  }

  /**
   * Somebody waits for a snapshot. One transfer leaves at a time: writing its file takes a moment,
   * and whoever waits asks again.
   */
  makeRoom(): void {
    const [longest] = this.#stalls;
    if (this.#leaving || longest === undefined) return;
    if (monotonicMs() - longest.sinceMs < nameserverLimits.stalledMs) return;
    this.#stalls.delete(longest);
    this.#leaving = true;
    void longest.giveWay().then(() => {
      this.#leaving = false;
    });
  }
}
