/**
 * Secondaries that serve other serials than we do. Every so often all are asked for all zones; whoever asks one for
 * another reason tells what was seen too.
 *
 * One that is ahead holds serials that this database never had: it was taken back without anybody noticing (a machine
 * that was reset takes its epoch file along), or the zone came from another primary. One that is behind gets NOTIFY
 * again: it missed the first, or was not ready for it, and would ask by itself only after the refresh of the SOA.
 *
 * One that is new, or served nothing when it was asked, need not wait for the next round: somebody who looks at it has
 * it asked (`look`).
 */
import { type Clock, monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Periodic } from '../base/periodic.ts';
import { isNewerSerial } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone } from '../domain/zone.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Outbound } from '../outbound/policy.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import type { Log } from '../telemetry/log.ts';
import { type KnownLag, LagHistory, type LagOfDay } from './lag-history.ts';
import type { Notifier } from './notify.ts';
import { greatestSerials, type SurveyedSecondary, surveySecondaries } from './serial-survey.ts';

export interface WatchServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly zones: {
    byName(name: string): Zone | undefined;
    inOrder(descending: boolean, only: 'all'): Iterable<Zone>;
  };
  /** The catalog as it is now. */
  readonly catalog: () => Zone;
  readonly outbound: Outbound;
  readonly notifier: Pick<Notifier, 'notifyAgain'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

type Transferred = Pick<TransferEntry, 'zoneName' | 'address' | 'result' | 'serial'>;

/** A zone and the serial that it is served at. */
type Served = readonly [zoneName: string, serial: number];

interface Seen {
  readonly zoneName: string;
  readonly address: string;
  readonly serial: number;
}

/** A serial that is older than ours. */
interface Behind {
  readonly serial: number;
  /** Milliseconds since 1970: when it was first seen behind. */
  readonly since: number;
}

/** Since when a secondary does not answer at all, and what is said of it. */
export interface Silence {
  readonly since: number;
  readonly error: string;
}

interface Round {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** On the monotonic clock: when the survey began. */
  readonly askedMs: number;
  readonly answered: number;
}

/** Milliseconds in which a question has ended, and the look-up of its address. */
const longestQuestionMs = 60_000;

/** What one secondary was last seen with. */
export interface SeenSecondary {
  /** When it was asked for its serials last, in milliseconds since 1970; null until then. */
  readonly askedAt: number | null;
  /** Zones that it served at their latest serial; null until it is asked. */
  readonly inSync: number | null;
  /** Zones that it was behind with. */
  readonly behind: number;
  readonly silence: Silence | null;
  /** Null until something was seen of it. */
  readonly lag: LagOfDay | null;
}

export class SecondaryWatch extends Periodic {
  readonly #services: WatchServices;
  readonly #ahead = new Map<string, Seen>();
  /** By address and zone: what was behind when it was last seen, and has not transferred the zone since. */
  readonly #behind = new Map<string, Map<string, Behind>>();
  readonly #silent = new Map<string, Silence>();
  /** By address: when it was asked for all its serials, and how many it served. */
  readonly #rounds = new Map<string, Round>();
  /** By address. */
  readonly #lags = new Map<string, LagHistory>();
  /** By address, or zone and address: when what is known of it alone was asked for, the last to be known last. */
  readonly #askedMs = new Map<string, number>();
  /** Asks those that need not wait for the next round. */
  readonly #again: Periodic;

  constructor(services: WatchServices) {
    const failed = (error: unknown) => services.log.warn('secondary.not-asked', { error });
    const { secondaryWatchMs: everyMs, secondaryWatchFirstMs: firstMs } = limits;
    super(() => this.runOnce(), { everyMs, firstMs, failed });
    this.#again = new Periodic(() => this.#askAgain(), { everyMs: 0, failed });
    this.#services = services;
  }

  /** Does not wait for pending answers. */
  override async stop(): Promise<void> {
    void super.stop();
    void this.#again.stop();
  }

  /**
   * Somebody looks: those that were never asked are asked now, and those that served nothing when they were, unless
   * that was a moment ago (`secondaryAskedAgainMs`). Resolves when they have been.
   */
  async look(): Promise<void> {
    if (this.#due().length > 0) await this.#again.wake();
  }

  /** Asks all of them once, slowly. */
  async runOnce(): Promise<void> {
    const secondaries = this.#services.secondaries.enabled();
    for (const kept of [this.#rounds, this.#silent, this.#lags]) {
      for (const address of kept.keys()) {
        if (secondaries.every((each) => each.address !== address)) kept.delete(address);
      }
    }
    this.#takeIn(await this.#survey(secondaries, this.#zoneNames().toArray()));
  }

  #due(): readonly Secondary[] {
    const before = this.#services.clock() - limits.secondaryAskedAgainMs;
    return this.#services.secondaries.enabled().filter(({ address }) => {
      const round = this.#rounds.get(address);
      return round === undefined || (round.answered === 0 && round.at <= before);
    });
  }

  /** For some zones at first: whoever may look must not have many questions asked in vain. */
  async #askAgain(): Promise<void> {
    const some = this.#zoneNames().take(limits.zonesAskedAgain).toArray();
    const surveyed = await this.#survey(this.#due(), some);
    const isAll = some.length < limits.zonesAskedAgain;
    const serving = isAll ? [] : surveyed.filter(({ serials }) => serials.length > 0);
    this.#takeIn(surveyed.filter((each) => !serving.includes(each)));
    if (serving.length === 0) return;
    this.#takeIn(await this.#survey(serving, this.#zoneNames().toArray()));
  }

  /** Names of the zones that secondaries should serve. */
  #zoneNames(): IteratorObject<string> {
    const zones = Iterator.from(this.#services.zones.inOrder(false, 'all'));
    return zones.filter(({ enabled }) => enabled).map(({ name }) => name);
  }

  #survey(
    secondaries: readonly Pick<Secondary, 'name' | 'address'>[],
    zoneNames: readonly string[],
  ): Promise<readonly SurveyedSecondary[]> {
    const { catalog, outbound } = this.#services;
    const question = { catalogName: catalog().name, withinMs: limits.epochSurveyMs, inFlight: 16 };
    return surveySecondaries(secondaries, { ...question, zoneNames, isBackground: true }, outbound);
  }

  #takeIn(surveyed: readonly SurveyedSecondary[]): void {
    if (this.isStopped) return;
    const catalogName = this.#services.catalog().name;
    for (const { name, address, error, askedMs, ...said } of surveyed) {
      const all = greatestSerials(said.serials);
      const last = this.#rounds.get(address) ?? { askedMs: 0, answered: 0 };
      // Somebody looked meanwhile, and learned no less.
      if (askedMs < last.askedMs && all.size <= last.answered) continue;
      const isTaken = this.noteAnswer(address, all.size > 0 ? null : error, askedMs);
      if (isTaken) {
        const round = { at: this.#services.clock(), answered: all.size };
        this.#rounds.set(address, { ...round, askedMs: Math.max(askedMs, last.askedMs) });
      }
      const serials = [...all].filter(
        ([zone, serial]) =>
          !this.#isBehind(zone, serial) || this.#isNews(keyOf(zone, address), askedMs),
      );
      const known = this.#behind.get(address) ?? new Map<string, Behind>();
      for (const zone of known.keys()) {
        if (zone !== catalogName && !this.#services.zones.byName(zone)?.enabled) known.delete(zone);
      }
      const ahead = serials.filter(([zone, serial]) => this.note(zone, address, serial));
      this.#log('warn', 'secondary.ahead', name, ahead);
      const behind = serials.filter(([zone, serial]) => this.#isBehind(zone, serial));
      this.#log('info', 'secondary.behind', name, behind);
      for (const [zone] of drawn(behind)) this.#services.notifier.notifyAgain(zone, name);
    }
  }

  #log(level: 'info' | 'warn', event: string, secondary: string, found: readonly Served[]): void {
    const [first] = found;
    if (first === undefined) return;
    const [zone, serial] = first;
    const ours = this.#serialOf(zone);
    this.#services.log[level](event, { secondary, zones: found.length, zone, serial, ours });
  }

  /** False for an answer that was asked for before what is known: good news is taken in, the bad may be over. */
  #isNews(key: string, askedMs: number): boolean {
    return askedMs >= (this.#askedMs.get(key) ?? 0);
  }

  /** Kept for as long as a question of before may be in flight. */
  #noteAsked(key: string, askedMs: number): void {
    if (!this.#isNews(key, askedMs)) return;
    this.#askedMs.delete(key);
    this.#askedMs.set(key, askedMs);
    const before = monotonicMs() - longestQuestionMs;
    for (const [each, at] of this.#askedMs) {
      if (at >= before) break;
      this.#askedMs.delete(each);
    }
  }

  /** Takes in the newest and the oldest serial that a secondary serves; returns whether it is ahead of us. */
  note(zoneName: string, address: string, serial: number, oldest = serial, askedMs?: number) {
    const key = keyOf(zoneName, address);
    const isAhead = this.#isAhead(zoneName, serial);
    if (askedMs !== undefined) {
      if (!this.#isNews(key, askedMs) && this.#isBehind(zoneName, oldest)) return isAhead;
      this.#noteAsked(key, askedMs);
    }
    if (isAhead) this.#ahead.set(key, { zoneName, address, serial });
    else this.#ahead.delete(key);
    this.#passLag(address);
    const behind = this.#behind.get(address) ?? new Map<string, Behind>();
    this.#behind.set(address, behind);
    if (this.#isBehind(zoneName, oldest)) {
      behind.set(zoneName, { serial: oldest, since: this.#earliest(behind.get(zoneName)) });
    } else {
      behind.delete(zoneName);
    }
    this.#seeLag(address);
    return isAhead;
  }

  /** Takes in that a secondary does not answer, and why; null when it does. False where it is known to answer since. */
  noteAnswer(address: string, error: string | null, askedMs = monotonicMs()): boolean {
    if (!this.#isNews(address, askedMs) && error !== null) return false;
    this.#noteAsked(address, askedMs);
    this.#passLag(address);
    if (error === null) this.#silent.delete(address);
    else this.#silent.set(address, { error, since: this.#earliest(this.#silent.get(address)) });
    this.#seeLag(address);
    return true;
  }

  /** Since when it has been so; not later than now, though the clock was ahead at first. */
  #earliest(before: { readonly since: number } | undefined): number {
    const now = this.#services.clock();
    return Math.min(before?.since ?? now, now);
  }

  /** What a secondary was last seen with. */
  seen({ address }: Pick<Secondary, 'address'>): SeenSecondary {
    const round = this.#rounds.get(address);
    const behind = this.#behind.get(address)?.size ?? 0;
    this.#passLag(address);
    const ahead = [...this.#ahead.values()].filter((seen) => seen.address === address).length;
    return {
      askedAt: round?.at ?? null,
      inSync: round === undefined ? null : Math.max(0, round.answered - behind - ahead),
      behind,
      silence: this.#silent.get(address) ?? null,
      lag: this.#lags.get(address)?.day() ?? null,
    };
  }

  /** What is known of a secondary has been so until now. */
  #passLag(address: string): void {
    this.#lags.get(address)?.pass(this.#services.clock(), this.#lagOf(address));
  }

  /** Something was just seen of a secondary. */
  #seeLag(address: string): void {
    const now = this.#services.clock();
    const history = this.#lags.get(address) ?? new LagHistory(now);
    this.#lags.set(address, history);
    history.see(now, this.#lagOf(address));
  }

  #lagOf(address: string): KnownLag {
    if (this.#silent.has(address)) return undefined;
    const behind = this.#behind.get(address) ?? [];
    // The first of them is behind for longest.
    for (const [zoneName, { since }] of behind) {
      if (this.#serialOf(zoneName) !== undefined) return since;
    }
    return null;
  }

  /** Since when a secondary does not answer, or else is behind with a zone; undefined when it is not. */
  since(secondary: Pick<Secondary, 'address'>, zoneName: string): number | undefined {
    const silence = this.#silent.get(secondary.address);
    return (silence ?? this.behindWith(secondary, zoneName))?.since;
  }

  /** Names of the zones that any of some secondaries is behind with, those first that are for long. */
  zonesBehind(
    secondaries: readonly Pick<Secondary, 'address'>[],
    limit: number,
  ): readonly string[] {
    const names = new Set<string>();
    for (const { address } of secondaries) {
      for (const name of this.#behind.get(address)?.keys() ?? []) {
        if (names.size === limit) return [...names];
        if (this.#serialOf(name) !== undefined) names.add(name);
      }
    }
    return [...names];
  }

  /** How far behind a secondary is with a zone; undefined when it is not, as far as it was asked. */
  behindWith({ address }: Pick<Secondary, 'address'>, zoneName: string): Behind | undefined {
    return this.#behind.get(address)?.get(zoneName);
  }

  /** Hears of every transfer that ended. */
  transferred({ zoneName, address: from, result, serial }: Transferred): void {
    if (result !== 'ok' || serial === null) return;
    if (this.#isBehind(zoneName, serial)) return;
    for (const { address } of this.#services.secondaries.enabled()) {
      if (splitHostAndPort(address).host !== from) continue;
      this.#passLag(address);
      this.#behind.get(address)?.delete(zoneName);
      this.#noteAsked(keyOf(zoneName, address), monotonicMs());
    }
  }

  /** Names of the zones that an enabled secondary is behind with, as far as it was asked. */
  behind(): ReadonlySet<string> {
    const addresses = new Set(this.#services.secondaries.enabled().map(({ address }) => address));
    for (const address of this.#behind.keys()) {
      if (!addresses.has(address)) this.#behind.delete(address);
    }
    return new Set([...this.#behind.values()].flatMap((zones) => [...zones.keys()]));
  }

  /** Zones of secondaries that were ahead when last seen, and are still. */
  count(): number {
    const addresses = new Set(this.#services.secondaries.enabled().map(({ address }) => address));
    for (const [key, { zoneName, address, serial }] of this.#ahead) {
      if (!addresses.has(address) || !this.#isAhead(zoneName, serial)) this.#ahead.delete(key);
    }
    return this.#ahead.size;
  }

  #isAhead(zoneName: string, serial: number): boolean {
    const ours = this.#serialOf(zoneName);
    return ours !== undefined && isNewerSerial(serial, ours);
  }

  #isBehind(zoneName: string, serial: number): boolean {
    const ours = this.#serialOf(zoneName);
    return ours !== undefined && isNewerSerial(ours, serial);
  }

  #serialOf(zoneName: string): number | undefined {
    const { zones, catalog } = this.#services;
    const computed = catalog();
    return zoneName === computed.name ? computed.serial : zones.byName(zoneName)?.serial;
  }
}

function keyOf(zoneName: string, address: string): string {
  return `${zoneName} ${address}`;
}

/** As many as a round sends NOTIFY of again: from anywhere, so that none is left out for ever. */
function drawn(behind: readonly Served[]): readonly Served[] {
  const from = Math.floor(Math.random() * behind.length);
  return [...behind.slice(from), ...behind.slice(0, from)].slice(0, limits.zonesNotifiedAgain);
}
