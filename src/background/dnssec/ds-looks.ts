/**
 * Which zones' DS are to be looked at, each once a day: as many in a run of the scheduler as it takes to see
 * all of them within a day, those first that were not looked at for longest. After a start all are due.
 */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';

export class DsLooks {
  readonly #clock: Clock;
  /** By the ids of zones, in milliseconds since 1970. */
  #lookedAt = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A zone's parents are asked now, for whatever reason. */
  note(zoneId: number): void {
    this.#lookedAt.set(zoneId, this.#clock());
  }

  /** Those to look at in a run, of all that have parents; runs are `intervalMs` apart. */
  due(zoneIds: readonly number[], intervalMs: number): number[] {
    const now = this.#clock();
    const known = this.#lookedAt;
    // Zones that have gone are forgotten.
    this.#lookedAt = new Map(
      zoneIds.flatMap((id) => {
        const at = known.get(id);
        return at === undefined ? [] : [[id, at] as const];
      }),
    );
    const lookedAt = (id: number) => this.#lookedAt.get(id) ?? Number.NEGATIVE_INFINITY;
    const share = Math.ceil((zoneIds.length * intervalMs) / limits.dsLookMs);
    return zoneIds
      .filter((id) => Math.abs(now - lookedAt(id)) >= limits.dsLookMs)
      .sort((a, b) => lookedAt(a) - lookedAt(b))
      .slice(0, Math.max(limits.dsLooksPerRun, share));
  }
}
