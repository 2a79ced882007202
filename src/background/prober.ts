/**
 * Questions to secondaries, live: which serial each serves, and whether one is set up as it should be
 * (interface 4.2 status, 4.4 check, decisions 16).
 *
 * A secondary with several addresses is one secondary: all are asked at once, and the oldest serial
 * that any of them serves is the one that counts, because clients may meet it.
 */
import pLimit from 'p-limit';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { reasonOf } from '../base/problem.ts';
import { compareSerials, olderSerial } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
import { type JudgedSerials, judgeSerials } from '../domain/seen-serials.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import { isOpen, type Outbound } from '../outbound/policy.ts';
import {
  type ProbeOptions,
  type ProbeOutcome,
  type ProbeTarget,
  probeAll,
  probeSoa,
  probeSoaOverTcp,
} from '../outbound/soa-probe.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import {
  noTransfers,
  type TransferQueries,
  type TransferSummary,
} from '../query/transfer-queries.ts';
import type { Notifier } from './notify.ts';
import type { NotifyAnswer, NotifyAnswers } from './notify-answers.ts';
import type { SecondaryWatch, SeenSecondary } from './secondary-watch.ts';
import { surveySecondaries } from './serial-survey.ts';

/** What a secondary serves of a zone, compared with us. */
export interface Probe {
  /** As it is registered. */
  readonly address: string;
  readonly status: 'in_sync' | 'lagging' | 'ahead' | 'reachable' | 'unreachable';
  readonly visibleSerial: number | null;
  /** The greatest serial that any of its addresses serves, when it is ahead of ours. */
  readonly aheadSerial?: number;
  readonly error: string | null;
  /** Milliseconds since 1970: since when it does not answer, or is behind. */
  readonly since?: number;
  readonly lastTransfer: TransferEntry | null;
}

export interface AskedProbe extends Probe {
  /** Of the secondary: resolved, without port. */
  readonly addresses: readonly string[];
}

export interface SecondaryCheck {
  /** Resolved, without port. */
  readonly addresses: readonly string[];
  readonly resolveError: string | null;
  readonly catalogZoneName: string;
  readonly catalogSerial: number;
  readonly catalog: Probe;
  /** What is wrong with our own DNS listener. */
  readonly listenerError: string | null;
  readonly notifies: readonly { readonly address: string; readonly error: string | null }[];
  readonly transfers: TransferSummary;
}

/** What is known of a secondary without asking it. */
export interface SecondaryState extends SeenSecondary {
  readonly name: string;
  /** Of whichever zone. */
  readonly lastTransfer: TransferEntry | null;
  readonly lastNotify: NotifyAnswer | null;
}

/** A zone that secondaries were behind with when they were last asked. */
export interface ZoneBehind {
  readonly zoneName: string;
  readonly secondaries: readonly {
    readonly name: string;
    readonly visibleSerial: number;
    readonly since: number;
  }[];
}

/** The address that the DNS listener was given, and its port. */
export interface ListenerAddress {
  readonly address: string;
  readonly port: number;
}

export interface ProberServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly outbound: Outbound;
  readonly transfers: Pick<TransferQueries, 'latest' | 'summary'>;
  readonly notifier: Pick<Notifier, 'tell'>;
  readonly notifyAnswers: Pick<NotifyAnswers, 'of'>;
  /** The catalog as it is now. */
  readonly catalog: () => Zone;
  /** Hears of every serial that a secondary serves; true when it is ahead of ours by now. */
  readonly watch: Pick<
    SecondaryWatch,
    'note' | 'noteAnswer' | 'since' | 'behind' | 'behindWith' | 'zonesBehind' | 'seen' | 'look'
  >;
  /** Where the service's own DNS listener can be asked from this host. */
  readonly listener: ProbeTarget;
  /** As it is configured. */
  readonly listens: ListenerAddress;
}

/** Two messages may be lost before a secondary counts as unreachable. */
const probeOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

/** Secondaries asked at a time. */
const probesAtOnce = 64;

/** The addresses of a secondary, or why there are none. */
interface Resolved {
  readonly addresses: readonly string[];
  readonly targets: readonly ProbeTarget[];
  readonly error: string | null;
}

/** Asks secondaries, live; every answer may take some seconds. */
export class Prober {
  readonly #services: ProberServices;

  constructor(services: ProberServices) {
    this.#services = services;
  }

  /** Asks every enabled secondary for a zone. */
  status(zone: Zone): Promise<readonly Probe[]> {
    const limit = pLimit(probesAtOnce);
    return limit.map(this.#services.secondaries.enabled(), async (secondary) =>
      this.#probe(secondary, await this.#resolve(secondary), zone),
    );
  }

  /** Asks one secondary for a zone. */
  async ask(secondary: Secondary, zone: Zone, options?: ProbeOptions): Promise<AskedProbe> {
    const resolved = await this.#resolve(secondary);
    const probe = await this.#probe(secondary, resolved, zone, options);
    return { ...probe, addresses: resolved.addresses };
  }

  /** Tries everything that a secondary needs; a disabled one is tried too. */
  async check(secondary: Secondary): Promise<SecondaryCheck> {
    const { catalog, transfers } = this.#services;
    const zone = catalog();
    const resolved = await this.#resolve(secondary);
    const { addresses } = resolved;
    const hasAddress = addresses.length > 0;
    const [found, notifies, problem, summary] = await Promise.all([
      this.#probe(secondary, resolved, zone),
      hasAddress ? this.#tell(secondary, zone) : [],
      this.#listenerError(zone.name),
      hasAddress ? transfers.summary({ addresses }) : noTransfers,
    ]);
    return {
      addresses,
      resolveError: resolved.error,
      catalogZoneName: zone.name,
      catalogSerial: zone.serial,
      catalog: found,
      listenerError: problem,
      notifies,
      transfers: summary,
    };
  }

  /**
   * The greatest serials of zones that enabled secondaries serve, and those that are ignored; what nobody says within
   * the time is left out.
   */
  async seenSerials(
    zones: readonly Pick<Zone, 'name' | 'serial'>[],
    withinMs: number,
  ): Promise<JudgedSerials> {
    const { catalog, secondaries, outbound } = this.#services;
    const own = new Map(zones.map(({ name, serial }) => [name, serial]));
    const question = { zoneNames: [...own.keys()], catalogName: catalog().name, withinMs };
    const surveyed = await surveySecondaries(secondaries.enabled(), question, outbound);
    const ofZones = surveyed.map(({ name, serials }) => {
      return { name, serials: serials.filter(([zone]) => own.has(zone)) };
    });
    return judgeSerials(ofZones, (name) => own.get(name)!);
  }

  /** Names of the zones that an enabled secondary was behind with when it was last asked. */
  behind(): ReadonlySet<string> {
    return this.#services.watch.behind();
  }

  /** What is known of some secondaries, and the zones that any of them is behind with. */
  async known(secondaries: readonly Secondary[]): Promise<{
    readonly states: readonly SecondaryState[];
    readonly zones: readonly ZoneBehind[];
  }> {
    const { watch, transfers, notifyAnswers } = this.#services;
    const enabled = secondaries.filter((each) => each.enabled);
    const states = secondaries.map(async (secondary): Promise<SecondaryState> => {
      const addresses = await this.addressesOf(secondary);
      // By an index for each address.
      const latest = addresses.map((address) => transfers.latest([address]));
      const found = latest.filter((each) => each !== undefined);
      return {
        name: secondary.name,
        ...(secondary.enabled ? watch.seen(secondary) : unseen),
        lastTransfer: found.toSorted((one, other) => other.at - one.at)[0] ?? null,
        lastNotify: notifyAnswers.of(secondary.name) ?? null,
      };
    });
    if (enabled.length > 0) void watch.look();
    const zones = watch.zonesBehind(enabled, limits.zonesBehindListed).map((zoneName) => ({
      zoneName,
      secondaries: enabled.flatMap((secondary) => {
        const behind = watch.behindWith(secondary, zoneName);
        if (behind === undefined) return [];
        const { serial: visibleSerial, since } = behind;
        return [{ name: secondary.name, visibleSerial, since }];
      }),
    }));
    return { states: await Promise.all(states), zones };
  }

  /** Where secondaries ask for zones. */
  get listens(): ListenerAddress {
    return this.#services.listens;
  }

  /** Its addresses in canonical spelling; none when its host does not resolve. */
  async addressesOf(secondary: Secondary): Promise<readonly string[]> {
    return (await this.#resolve(secondary)).addresses;
  }

  async #resolve({ address }: Secondary): Promise<Resolved> {
    const { host } = splitHostAndPort(address);
    try {
      // Who may register secondaries may name any address.
      const destinations = await this.#services.outbound.destinationsTo(address, 'private');
      const problems = destinations.flatMap((destination) =>
        isOpen(destination) ? [] : [destination.problem],
      );
      const error =
        destinations.length === 0 ? `${host} has no address` : problems.join('; ') || null;
      return {
        addresses: destinations.map((destination) => destination.address),
        targets: destinations.filter(isOpen),
        error,
      };
    } catch (error) {
      return { addresses: [], targets: [], error: `${host} does not resolve (${reasonOf(error)})` };
    }
  }

  async #probe(
    secondary: Secondary,
    resolved: Resolved,
    zone: Zone,
    options = probeOptions,
  ): Promise<Probe> {
    const { addresses, targets } = resolved;
    const askedMs = monotonicMs();
    const found = await probeAll(targets, zone.name, options);
    const serials = found.map((each) => ('serial' in each ? each.serial : null));
    const greatest = Math.max(...serials.map((serial) => serial ?? -1));
    const outcome = judged(found, zone.serial, resolved.error);
    const oldest = outcome.visibleSerial ?? greatest;
    const isSilent = outcome.status === 'unreachable';
    const { watch } = this.#services;
    watch.noteAnswer(secondary.address, isSilent ? (outcome.error ?? '') : null, askedMs);
    const isAhead =
      greatest >= 0 && watch.note(zone.name, secondary.address, greatest, oldest, askedMs);
    // The zone has moved since, and it followed.
    const hasFollowed = outcome.status === 'ahead' && !isAhead;
    const since = watch.since(secondary, zone.name);
    return {
      address: secondary.address,
      ...outcome,
      ...(hasFollowed && { status: 'in_sync' as const }),
      ...(isAhead && { aheadSerial: greatest }),
      ...(since !== undefined && { since }),
      lastTransfer: this.#services.transfers.latest(addresses, zone.name) ?? null,
    };
  }

  async #tell(secondary: Secondary, zone: Zone): Promise<SecondaryCheck['notifies']> {
    const soa = { ttl: zone.defaultTtl, rdata: soaRdata(zone) };
    try {
      const said = await this.#services.notifier.tell(secondary, { apex: apexOf(zone), soa });
      return said.map(({ address, error }) => ({ address, error }));
    } catch (error) {
      return [{ address: secondary.address, error: reasonOf(error) }];
    }
  }

  async #listenerError(zoneName: string): Promise<string | null> {
    try {
      // Whatever it answers, it listens; it need not let this host have the catalog.
      await Promise.all([
        probeSoa(this.#services.listener, zoneName, probeOptions),
        probeSoaOverTcp(this.#services.listener, zoneName, probeOptions),
      ]);
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  }
}

const unseen: SeenSecondary = { askedAt: null, inSync: null, behind: 0, silence: null, lag: null };

/** One verdict on what the addresses of a secondary said. */
function judged(
  results: readonly ProbeOutcome[],
  ours: number,
  resolveError: string | null,
): Pick<Probe, 'status' | 'visibleSerial' | 'error'> {
  const complaints = results
    .map((result) => ('unreachable' in result ? result.unreachable : result.reason))
    .filter((complaint) => complaint !== null);
  const complaint = resolveError ?? complaints.join('; ');
  const error = complaint === '' ? null : complaint;
  const visible = results
    .map((result) => ('unreachable' in result ? null : result.serial))
    .filter((serial) => serial !== null);
  const [first, ...others] = visible;
  if (first !== undefined) {
    const oldest = others.reduce(olderSerial, first);
    return { status: statusOf(oldest, ours), visibleSerial: oldest, error };
  }
  const answered = results.some((result) => !('unreachable' in result));
  return { status: answered ? 'reachable' : 'unreachable', visibleSerial: null, error };
}

function statusOf(visible: number, ours: number): Probe['status'] {
  const comparison = compareSerials(visible, ours);
  // Half the circle away is neither before nor after.
  if (comparison === undefined) return 'reachable';
  if (comparison === 0) return 'in_sync';
  return comparison < 0 ? 'lagging' : 'ahead';
}
