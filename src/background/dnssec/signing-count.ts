/**
 * Counts signed zones and their keys by state, for the metrics. A scrape must not read how every zone is
 * signed: with very many that takes seconds. So they are read once, a little at a time, and kept up with
 * what is committed.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { isDamage, storageProblemOf } from '../../base/storage-problem.ts';
import { isZoneEvent } from '../../domain/event.ts';
import { isSigned, type KeyState, type ZoneSigning } from '../../domain/signing.ts';
import type { Writer, JournalledEvent } from '../../writer/writer.ts';
import type { SigningQueries } from '../../projection/signing-store.ts';

/** Zones read in one turn of the loop. */
const zonesPerTurn = 500;
/** Milliseconds from a disk that could not be read to the next try. */
const againMs = 30_000;

type KeyCounts = Record<KeyState, number>;

interface ZoneCounts {
  readonly keys: KeyCounts;
  /** True while a parent serves a DS set that names no key of the zone. */
  readonly hasForeignDs: boolean;
}

export class SigningCount {
  readonly #signing: Pick<SigningQueries, 'of' | 'signedZones'>;
  readonly #zones = new Map<number, ZoneCounts>();
  readonly #keys: KeyCounts = { published: 0, active: 0, retired: 0 };
  #foreignDs = 0;
  /** From when on zones are read, by the monotonic clock: not again once they were, or are being read. */
  #readFromMs = 0;

  constructor(
    writer: Pick<Writer, 'onEvents'>,
    signing: Pick<SigningQueries, 'of' | 'signedZones'>,
  ) {
    this.#signing = signing;
    writer.onEvents((events) => this.#hear(events));
    this.#begin();
  }

  totals() {
    this.#begin();
    return { zones: this.#zones.size, keys: { ...this.#keys }, foreignDs: this.#foreignDs };
  }

  isSigned(zoneId: number): boolean {
    return this.#zones.has(zoneId);
  }

  /** Ids of zones a key of which comes or goes. */
  rolling(): number[] {
    return this.#idsOf(({ keys }) => keys.published + keys.retired > 0);
  }

  withForeignDs(): number[] {
    return this.#idsOf(({ hasForeignDs }) => hasForeignDs);
  }

  #idsOf(isWanted: (counts: ZoneCounts) => boolean): number[] {
    this.#begin();
    return [...this.#zones].filter(([, counts]) => isWanted(counts)).map(([id]) => id);
  }

  /** What a disk that failed kept from being read is read some time later, for the next who asks. */
  #begin(): void {
    if (monotonicMs() < this.#readFromMs) return;
    this.#readFromMs = Number.POSITIVE_INFINITY;
    this.#readAll().catch((error) => {
      // Damage does not pass. The database may be closed on the way: then nobody asks any more.
      const isToPass = storageProblemOf(error) !== undefined && !isDamage(error);
      if (isToPass) this.#readFromMs = monotonicMs() + againMs;
    });
  }

  async #readAll(): Promise<void> {
    let read = 0;
    for (const { zoneId, signing } of this.#signing.signedZones()) {
      this.#put(zoneId, signing);
      if (++read % zonesPerTurn === 0) await turnOfLoop();
    }
  }

  #hear(events: readonly JournalledEvent[]): void {
    for (const { event } of events) {
      if (!isZoneEvent(event) || event.kind === 'zone.checkpointed') continue;
      const { zoneId, isThere, signing, kind } = event;
      if (!isThere) this.#put(zoneId, undefined);
      else if (signing !== undefined) this.#put(zoneId, signing.state);
      // How it was signed before it was deleted stands in no event of the restore.
      else if (kind === 'zone.restored') this.#put(zoneId, this.#signing.of(zoneId));
    }
  }

  #put(zoneId: number, signing: ZoneSigning | undefined): void {
    const former = this.#zones.get(zoneId);
    this.#zones.delete(zoneId);
    this.#add(former, -1);
    if (!isSigned(signing)) return;
    const keys: KeyCounts = { published: 0, active: 0, retired: 0 };
    for (const { state } of signing.keys) keys[state]++;
    const counts = { keys, hasForeignDs: signing.foreignDsSince !== null };
    this.#zones.set(zoneId, counts);
    this.#add(counts, 1);
  }

  #add(counts: ZoneCounts | undefined, sign: 1 | -1): void {
    if (counts === undefined) return;
    for (const state of ['published', 'active', 'retired'] as const) {
      this.#keys[state] += sign * counts.keys[state];
    }
    if (counts.hasForeignDs) this.#foreignDs += sign;
  }
}
