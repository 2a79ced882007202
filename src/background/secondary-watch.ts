/**
 * Secondaries that serve other serials than we do. Every so often all are asked for all zones; whoever asks one for
 * another reason tells what was seen too.
 *
 * One that is ahead holds serials that this database never had: it was taken back without anybody noticing (a machine
 * that was reset takes its epoch file along), or the zone came from another primary. One that is behind gets NOTIFY
 * again: it missed the first, or was not ready for it, and would ask by itself only after the refresh of the SOA.
 */
import { limits } from '../base/limits.ts';
import { Periodic } from '../base/periodic.ts';
import { isNewerSerial } from '../dns/serial.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone } from '../domain/zone.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Outbound } from '../outbound/policy.ts';
import type { TransferEntry } from '../projection/activity-log.ts';
import type { Log } from '../telemetry/log.ts';
import type { Notifier } from './notify.ts';
import { surveySecondaries } from './serial-survey.ts';

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

export class SecondaryWatch extends Periodic {
  readonly #services: WatchServices;
  readonly #ahead = new Map<string, Seen>();
  /** What was behind when it was last seen, and has not transferred the zone since. */
  readonly #behind = new Map<string, Seen>();

  constructor(services: WatchServices) {
    super(() => this.runOnce(), {
      everyMs: limits.secondaryWatchMs,
      firstMs: limits.secondaryWatchFirstMs,
      failed: (error) => services.log.warn('secondary.not-asked', { error }),
    });
    this.#services = services;
  }

  /** Does not wait for answers that are on their way. */
  override async stop(): Promise<void> {
    void super.stop();
  }

  /** Asks all of them once, slowly. */
  async runOnce(): Promise<void> {
    const { secondaries, zones, catalog, outbound } = this.#services;
    const zoneNames = [...zones.inOrder(false, 'all')]
      .filter(({ enabled }) => enabled)
      .map(({ name }) => name);
    const question = { catalogName: catalog().name, withinMs: limits.epochSurveyMs, inFlight: 16 };
    const isBackground = true;
    const surveyed = await surveySecondaries(
      secondaries.enabled(),
      { ...question, zoneNames, isBackground },
      outbound,
    );
    if (this.isStopped) return;
    for (const { name, address, serials } of surveyed) {
      const ahead = [...serials].filter(([zone, serial]) => this.note(zone, address, serial));
      this.#log('warn', 'secondary.ahead', name, ahead);
      const behind = [...serials].filter(([zone, serial]) => this.#isBehind(zone, serial));
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

  /** Takes in the newest and the oldest serial that a secondary serves; returns whether it is ahead of us. */
  note(zoneName: string, address: string, serial: number, oldest = serial): boolean {
    const key = keyOf(zoneName, address);
    const isAhead = this.#isAhead(zoneName, serial);
    if (isAhead) this.#ahead.set(key, { zoneName, address, serial });
    else this.#ahead.delete(key);
    if (this.#isBehind(zoneName, oldest)) {
      this.#behind.set(key, { zoneName, address, serial: oldest });
    } else {
      this.#behind.delete(key);
    }
    return isAhead;
  }

  /** Hears of every transfer that ended. */
  transferred({ zoneName, address: from, result, serial }: Transferred): void {
    if (this.#behind.size === 0 || result !== 'ok' || serial === null) return;
    if (this.#isBehind(zoneName, serial)) return;
    for (const { address } of this.#services.secondaries.enabled()) {
      if (splitHostAndPort(address).host === from) this.#behind.delete(keyOf(zoneName, address));
    }
  }

  /** Names of the zones that an enabled secondary is behind with, as far as it was asked. */
  behind(): ReadonlySet<string> {
    const addresses = new Set(this.#services.secondaries.enabled().map(({ address }) => address));
    for (const [key, { address }] of this.#behind) {
      if (!addresses.has(address)) this.#behind.delete(key);
    }
    return new Set([...this.#behind.values()].map(({ zoneName }) => zoneName));
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
