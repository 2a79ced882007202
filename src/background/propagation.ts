/**
 * Whether secondaries serve a serial of a zone yet. Nobody says so by himself: each is asked for its SOA, at once,
 * then ever more seldom. When the zone was transferred all are asked again at once, also one whose answer is still
 * awaited, and often for a while: a secondary has a zone before it serves it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { SharedRoom } from '../base/shared-room.ts';
import { compareSerials } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone } from '../domain/zone.ts';
import type { ProbeOptions } from '../outbound/soa-probe.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import { type EarlierTransfer, EarlierTransfers, type Transferred } from './earlier-transfers.ts';
import type { AskedProbe, Prober } from './prober.ts';

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
  /** Milliseconds since 1970: since when it does not answer or is behind; null when it is reached. */
  readonly since: number | null;
  readonly error: string | null;
  /** The transfers of the zone that are known, by each of its addresses: oldest first. */
  readonly transfers: readonly (readonly EarlierTransfer[])[];
}

export interface Wait {
  /** Milliseconds that secondaries are given; 0 asks each once. */
  readonly withinMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
  /** Who waits: each holds half of the places at most, unless it is for one wait alone. */
  readonly owner: string;
}

interface WantedSerial {
  readonly zone: Zone;
  readonly serial: number;
}

export interface PropagationServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly prober: Pick<Prober, 'ask'>;
  readonly clock: () => number;
}

/** Milliseconds until a secondary is asked again; each time half as much more, up to the longest. */
const firstPauseMs = 50;
const longestPauseMs = 60_000;
/** Milliseconds after a transfer in which pauses stay short: nsd takes up to a second to serve what it has. */
const loadingMs = 2000;
/** Milliseconds that an answer is still awaited after a transfer; so one that is silent has few questions open. */
const graceMs = 50;
/** Milliseconds a secondary has for an answer while there is time to ask again. */
const answerMs = 1000;
/** The same where it is asked once. */
const onceOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

export class Propagation {
  readonly #services: PropagationServices;
  /** Those who wait, by the name of their zone. */
  readonly #waiting = new Map<string, Set<Ear>>();
  readonly #transfers = new EarlierTransfers();
  readonly #room = new SharedRoom(limits.propagationWaits, (isOwn) => {
    const whose = isOwn
      ? 'too many requests of this caller'
      : `${limits.propagationWaits} requests`;
    return new Problem('OVERLOADED', `${whose} wait for secondaries`, 5);
  });

  constructor(services: PropagationServices) {
    this.#services = services;
  }

  /** Hears of every transfer that ended. */
  transferred(transfer: Transferred): void {
    this.#transfers.note(transfer);
    for (const ear of this.#waiting.get(transfer.zoneName) ?? []) ear.hear();
  }

  /** How many wait at this moment; one for each of their zones. */
  get waits(): number {
    return this.#room.held;
  }

  /** What each enabled secondary serves, once all serve this serial or a newer one, or the time is over; OVERLOADED. */
  async reach(zone: Zone, serial: number, wait: Wait): Promise<readonly SecondaryReach[]> {
    const [found] = await this.#reach([{ zone, serial }], wait);
    return found!;
  }

  /** Whether all enabled secondaries come to serve zones as they are, within the time; OVERLOADED. */
  async allReach(zones: readonly Zone[], wait: Wait): Promise<boolean> {
    const found = await this.#reach(
      zones.map((zone) => ({ zone, serial: zone.serial })),
      wait,
    );
    return found.flat().every(({ isReached }) => isReached);
  }

  async #reach(
    wanted: readonly WantedSerial[],
    wait: Wait,
  ): Promise<(readonly SecondaryReach[])[]> {
    const { length } = wanted;
    this.#room.take(wait.owner, length);
    try {
      const untilMs = monotonicMs() + wait.withinMs;
      const secondaries = this.#services.secondaries.enabled();
      const each = (one: WantedSerial) =>
        secondaries.map((secondary) => this.#follow(secondary, one, { ...wait, untilMs }));
      return await Promise.all(wanted.map((one) => Promise.all(each(one))));
    } finally {
      this.#room.give(wait.owner, length);
    }
  }

  async #follow(
    secondary: Secondary,
    { zone, serial }: WantedSerial,
    { withinMs, untilMs, signal }: Omit<Wait, 'owner'> & { readonly untilMs: number },
  ): Promise<SecondaryReach> {
    const ear = new Ear();
    const waiting = this.#waiting.get(zone.name) ?? new Set();
    this.#waiting.set(zone.name, waiting.add(ear));
    try {
      let pauseMs = firstPauseMs;
      while (true) {
        ear.listen();
        const leftMs = Math.max(firstPauseMs, untilMs - monotonicMs());
        const options =
          withinMs === 0 ? onceOptions : { tryMs: Math.min(answerMs, leftMs), tries: 1 };
        const asking = this.#services.prober.ask(secondary, zone, options);
        const asksAgain = await ear.hearsBefore(asking, leftMs);
        if (asksAgain) continue;
        const found = this.#judge(secondary, { zone, serial }, await asking);
        const restMs = untilMs - monotonicMs();
        if (found.isReached || restMs <= 0 || signal?.aborted) return found;
        if (ear.isLoading) pauseMs = firstPauseMs;
        await ear.pause(Math.min(pauseMs, restMs), signal);
        pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
      }
    } finally {
      waiting.delete(ear);
      if (waiting.size === 0) this.#waiting.delete(zone.name);
    }
  }

  #judge({ name, address }: Secondary, wanted: WantedSerial, probe: AskedProbe): SecondaryReach {
    const { zone, serial } = wanted;
    const { visibleSerial, lastTransfer, addresses, error } = probe;
    const isReached = visibleSerial !== null && !isOlder(visibleSerial, serial);
    // It serves a zone some milliseconds after it has it.
    const isTransferred = lastTransfer?.result === 'ok' && lastTransfer.serial === visibleSerial;
    const seen = isTransferred
      ? { seenAt: lastTransfer.at, how: 'transfer' as const }
      : { seenAt: this.#services.clock(), how: 'probe' as const };
    const transfers = addresses.map((each) =>
      this.#transfers.of({ zoneName: zone.name, address: each }),
    );
    const known = { name, address, visibleSerial, isReached, transfers };
    if (isReached) return { ...known, ...seen, since: null, error };
    return {
      ...known,
      seenAt: null,
      how: null,
      since: probe.since ?? null,
      error: error ?? failureOf(lastTransfer),
    };
  }
}

/** Why it got nothing when it asked last. */
function failureOf(last: TransferEntry | null): string | null {
  if (last === null || last.result === 'ok') return null;
  const verb = last.result === 'refused' ? 'was refused' : 'failed';
  return `its last transfer ${verb}${last.error === null ? '' : `: ${last.error}`}`;
}

/** What one who waits hears of transfers. */
class Ear {
  #transfer = Promise.withResolvers<void>();
  #transferredAtMs = Number.NEGATIVE_INFINITY;

  hear(): void {
    this.#transferredAtMs = monotonicMs();
    this.#transfer.resolve();
  }

  /** Begins to listen. */
  listen(): void {
    this.#transfer = Promise.withResolvers();
  }

  /** Whether somebody may be about to serve what he has transferred. */
  get isLoading(): boolean {
    return monotonicMs() - this.#transferredAtMs < loadingMs;
  }

  /** Waits for an answer; true when there was a transfer meanwhile, and still none, and time to ask again. */
  async hearsBefore(answer: Promise<unknown>, leftMs: number): Promise<boolean> {
    if (leftMs <= graceMs) return false;
    const startMs = monotonicMs();
    const answered = answer.then(() => false);
    if (!(await Promise.race([answered, this.#transfer.promise.then(() => true)]))) return false;
    if (monotonicMs() - startMs + 2 * graceMs > leftMs) return false;
    return Promise.race([answered, sleep(graceMs, true)]);
  }

  /** Waits until a transfer, one since it listens too. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const ended = new AbortController();
    const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
    const slept = sleep(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => {});
    await Promise.race([slept, this.#transfer.promise]);
    ended.abort();
  }
}

/** Half the circle away is neither before nor after, and no proof. */
function isOlder(visible: number, wanted: number): boolean {
  const comparison = compareSerials(visible, wanted);
  return comparison === undefined || comparison < 0;
}
