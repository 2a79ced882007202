/**
 * Questions to secondaries, live: which serial each serves, and whether one is set up as it should be
 * (interface 4.2 status, 4.4 check, decisions 16).
 *
 * A secondary with several addresses is one secondary: all are asked at once, and the oldest serial
 * that any of them serves is the one that counts, because clients may meet it.
 */
import pLimit from 'p-limit';
import { reasonOf } from '../base/problem.ts';
import { compareSerials, olderSerial } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
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
import type { SecondaryWatch } from './secondary-watch.ts';
import { greatestSerials, surveySecondaries } from './serial-survey.ts';

/** What a secondary serves of a zone, compared with us. */
export interface Probe {
  /** As it is registered. */
  readonly address: string;
  readonly status: 'in_sync' | 'lagging' | 'ahead' | 'reachable' | 'unreachable';
  readonly visibleSerial: number | null;
  /** The greatest serial that any of its addresses serves, when it is ahead of ours. */
  readonly aheadSerial?: number;
  readonly error: string | null;
  readonly lastTransfer: TransferEntry | null;
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

export interface ProberServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly outbound: Outbound;
  readonly transfers: Pick<TransferQueries, 'latest' | 'summary'>;
  readonly notifier: Pick<Notifier, 'tell'>;
  /** The catalog as it is now. */
  readonly catalog: () => Zone;
  /** Hears of every serial that a secondary serves; true when it is ahead of ours by now. */
  readonly watch: Pick<SecondaryWatch, 'note' | 'behind'>;
  /** Where the service's own DNS listener can be asked from this host. */
  readonly listener: ProbeTarget;
}

/** Two messages may be lost before a secondary counts as unreachable. */
const patience: ProbeOptions = { tryMs: 2000, tries: 2 };

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
    return limit.map(this.#services.secondaries.enabled(), (secondary) =>
      this.ask(secondary, zone),
    );
  }

  /** Asks one secondary for a zone. */
  async ask(secondary: Secondary, zone: Zone, options?: ProbeOptions): Promise<Probe> {
    return this.#probe(secondary, await this.#resolve(secondary), zone, options);
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
   * The greatest serials that enabled secondaries serve, by the names of zones; what nobody says within the
   * time is left out.
   */
  async seenSerials(
    zoneNames: readonly string[],
    withinMs: number,
  ): Promise<ReadonlyMap<string, number>> {
    const { catalog, secondaries, outbound } = this.#services;
    const question = { zoneNames, catalogName: catalog().name, withinMs };
    return greatestSerials(await surveySecondaries(secondaries.enabled(), question, outbound));
  }

  /** Names of the zones that an enabled secondary was behind with when it was last asked. */
  behind(): ReadonlySet<string> {
    return this.#services.watch.behind();
  }

  /** Its addresses in canonical spelling; none when its host does not resolve. */
  async addressesOf(secondary: Secondary): Promise<readonly string[]> {
    return (await this.#resolve(secondary)).addresses;
  }

  async #resolve({ address }: Secondary): Promise<Resolved> {
    const { host } = splitHostAndPort(address);
    try {
      // Who may register secondaries may name any address.
      const ways = await this.#services.outbound.waysTo(address, 'private');
      const refusals = ways.flatMap((way) => (isOpen(way) ? [] : [way.refusal]));
      const error = ways.length === 0 ? `${host} has no address` : refusals.join('; ') || null;
      return { addresses: ways.map((way) => way.address), targets: ways.filter(isOpen), error };
    } catch (error) {
      return { addresses: [], targets: [], error: `${host} does not resolve (${reasonOf(error)})` };
    }
  }

  async #probe(
    secondary: Secondary,
    resolved: Resolved,
    zone: Zone,
    options = patience,
  ): Promise<Probe> {
    const { addresses, targets } = resolved;
    const found = await probeAll(targets, zone.name, options);
    const serials = found.map((each) => ('serial' in each ? each.serial : null));
    const greatest = Math.max(...serials.map((serial) => serial ?? -1));
    const outcome = judged(found, zone.serial, resolved.error);
    const oldest = outcome.visibleSerial ?? greatest;
    const isAhead =
      greatest >= 0 && this.#services.watch.note(zone.name, secondary.address, greatest, oldest);
    // The zone has moved since, and it followed.
    const hasFollowed = outcome.status === 'ahead' && !isAhead;
    return {
      address: secondary.address,
      ...outcome,
      ...(hasFollowed && { status: 'in_sync' as const }),
      ...(isAhead && { aheadSerial: greatest }),
      lastTransfer: this.#services.transfers.latest(addresses, zone.name) ?? null,
    };
  }

  async #tell(secondary: Secondary, zone: Zone): Promise<SecondaryCheck['notifies']> {
    const soa = { ttl: zone.defaultTtl, rdata: soaRdata(zone) };
    try {
      return await this.#services.notifier.tell(secondary, { apex: apexOf(zone), soa });
    } catch (error) {
      return [{ address: secondary.address, error: reasonOf(error) }];
    }
  }

  async #listenerError(zoneName: string): Promise<string | null> {
    try {
      // Whatever it answers, it listens; it need not let this host have the catalog.
      await Promise.all([
        probeSoa(this.#services.listener, zoneName, patience),
        probeSoaOverTcp(this.#services.listener, zoneName, patience.tryMs),
      ]);
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  }
}

/** One verdict on what the addresses of a secondary said. */
function judged(
  findings: readonly ProbeOutcome[],
  ours: number,
  resolveError: string | null,
): Pick<Probe, 'status' | 'visibleSerial' | 'error'> {
  const complaints = findings
    .map((finding) => ('unreachable' in finding ? finding.unreachable : finding.reason))
    .filter((complaint) => complaint !== null);
  const complaint = resolveError ?? complaints.join('; ');
  const error = complaint === '' ? null : complaint;
  const visible = findings
    .map((finding) => ('unreachable' in finding ? null : finding.serial))
    .filter((serial) => serial !== null);
  const [first, ...others] = visible;
  if (first !== undefined) {
    const oldest = others.reduce(olderSerial, first);
    return { status: statusOf(oldest, ours), visibleSerial: oldest, error };
  }
  const answered = findings.some((finding) => !('unreachable' in finding));
  return { status: answered ? 'reachable' : 'unreachable', visibleSerial: null, error };
}

function statusOf(visible: number, ours: number): Probe['status'] {
  const comparison = compareSerials(visible, ours);
  // Half the circle away is neither before nor after.
  if (comparison === undefined) return 'reachable';
  if (comparison === 0) return 'in_sync';
  return comparison < 0 ? 'lagging' : 'ahead';
}
