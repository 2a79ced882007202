/**
 * Whether secondaries serve a serial of a zone yet. Nobody says so by himself: each is asked for its SOA, at once,
 * then ever more seldom. Whoever has just transferred the zone is asked again at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { compareSerials } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone } from '../domain/zone.ts';
import type { ProbeOptions } from '../outbound/soa-probe.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import type { Probe, Prober } from './prober.ts';

/** What one secondary serves. */
export interface SecondaryReach {
  readonly name: string;
  /** As it is registered. */
  readonly address: string;
  /** The oldest that any of its addresses serves. */
  readonly visibleSerial: number | null;
  readonly isReached: boolean;
  /** Milliseconds since 1970; when it transferred the serial, or was first seen with it in this wait. */
  readonly seenAt: number | null;
  readonly how: 'transfer' | 'probe' | null;
  readonly error: string | null;
}

export interface Wait {
  /** Milliseconds that secondaries are given; 0 asks each once. */
  readonly withinMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

export interface PropagationServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly prober: Pick<Prober, 'ask'>;
  readonly clock: () => number;
}

/** Milliseconds until a secondary is asked again; each time half as much more, up to the longest. */
const firstPauseMs = 50;
const longestPauseMs = 60_000;
/** Milliseconds a secondary has for an answer while there is time to ask again. */
const answerMs = 1000;
/** The same where it is asked once. */
const onceOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

export class Propagation {
  readonly #services: PropagationServices;
  /** Those who wait, by the name of their zone: they ask again at once when it was transferred. */
  readonly #waiting = new Map<string, Set<AbortController>>();
  #waits = 0;

  constructor(services: PropagationServices) {
    this.#services = services;
  }

  /** Hears of every transfer that ended. */
  transferred({ zoneName }: Pick<TransferEntry, 'zoneName'>): void {
    for (const pause of this.#waiting.get(zoneName) ?? []) pause.abort();
  }

  /** What each enabled secondary serves, once all serve this serial or a newer one, or the time is over; OVERLOADED. */
  async reach(zone: Zone, serial: number, wait: Wait): Promise<readonly SecondaryReach[]> {
    if (this.#waits >= limits.propagationWaits) {
      throw new Problem(
        'OVERLOADED',
        `${limits.propagationWaits} requests wait for secondaries`,
        5,
      );
    }
    this.#waits++;
    try {
      const untilMs = monotonicMs() + wait.withinMs;
      const secondaries = this.#services.secondaries.enabled();
      return await Promise.all(
        secondaries.map((secondary) => this.#follow(secondary, zone, serial, { ...wait, untilMs })),
      );
    } finally {
      this.#waits--;
    }
  }

  async #follow(
    secondary: Secondary,
    zone: Zone,
    serial: number,
    { withinMs, untilMs, signal }: Wait & { readonly untilMs: number },
  ): Promise<SecondaryReach> {
    let pauseMs = firstPauseMs;
    while (true) {
      const leftMs = Math.max(firstPauseMs, untilMs - monotonicMs());
      const options =
        withinMs === 0 ? onceOptions : { tryMs: Math.min(answerMs, leftMs), tries: 1 };
      const found = this.#judge(
        secondary,
        serial,
        await this.#services.prober.ask(secondary, zone, options),
      );
      const restMs = untilMs - monotonicMs();
      if (found.isReached || restMs <= 0 || signal?.aborted) return found;
      const isCalled = await this.#pause(zone.name, Math.min(pauseMs, restMs), signal);
      pauseMs = isCalled ? firstPauseMs : Math.min(pauseMs * 1.5, longestPauseMs);
    }
  }

  /** Waits; true when a transfer ended it. */
  async #pause(zoneName: string, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    const pause = new AbortController();
    const pauses = this.#waiting.get(zoneName) ?? new Set();
    this.#waiting.set(zoneName, pauses.add(pause));
    const signals = signal === undefined ? [pause.signal] : [pause.signal, signal];
    try {
      await sleep(ms, undefined, { signal: AbortSignal.any(signals) });
    } catch {
      // It ends early.
    } finally {
      pauses.delete(pause);
      if (pauses.size === 0) this.#waiting.delete(zoneName);
    }
    return pause.signal.aborted;
  }

  #judge({ name, address }: Secondary, serial: number, probe: Probe): SecondaryReach {
    const { visibleSerial, lastTransfer, error } = probe;
    const isReached = visibleSerial !== null && !isOlder(visibleSerial, serial);
    // It serves a zone some milliseconds after it has it.
    const isTransferred = lastTransfer?.result === 'ok' && lastTransfer.serial === visibleSerial;
    const seen = isTransferred
      ? { seenAt: lastTransfer.at, how: 'transfer' as const }
      : { seenAt: this.#services.clock(), how: 'probe' as const };
    const unseen = { seenAt: null, how: null };
    return { name, address, visibleSerial, isReached, ...(isReached ? seen : unseen), error };
  }
}

/** Half the circle away is neither before nor after, and no proof. */
function isOlder(visible: number, wanted: number): boolean {
  const comparison = compareSerials(visible, wanted);
  return comparison === undefined || comparison < 0;
}
