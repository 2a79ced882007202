/**
 * The rules of epochs (domain/epoch.ts): what the event that begins one holds, and the step that each zone
 * takes into it.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { requireEverywhere } from './access/require.ts';
import type { ZoneOutcome } from './command.ts';
import { settingsOf, settingsStep } from './decide-zone.ts';
import type { CounterName, Decision, DecisionContext, StateView } from './decision.ts';
import {
  type BeginEpoch,
  type EpochOutcome,
  idBeyond,
  type RecoverZone,
  type ServiceRecovered,
  type StoredCounter,
  serialBeyond,
} from './epoch.ts';
import { isSigned } from './signing.ts';
import { normaliseZoneName } from './zone.ts';

const identifiers: readonly CounterName[] = [
  'zone',
  'record',
  'secondary',
  'policy',
  'signing_key',
  'role',
  'grant',
  'token',
  'tsig_key',
];

export function decideBeginEpoch(
  command: BeginEpoch,
  { view, rights }: Pick<DecisionContext, 'view' | 'rights'>,
): Decision<EpochOutcome> {
  requireEverywhere(rights, 'zone:update');
  return { event: epochEvent(command, view), outcome: { epoch: command.epoch } };
}

/** The event that begins an epoch. */
export function epochEvent({ epoch, reason, seen }: BeginEpoch, view: StateView): ServiceRecovered {
  const counters: Partial<Record<StoredCounter, number>> = {};
  for (const name of identifiers) {
    counters[name] = idBeyond(Math.max(view.counter(name), seen.counters[name] ?? 0));
  }
  // A zone that was made in an event nobody has any more took a serial with each of those after it.
  const lost = Math.max(view.counter('lost_serial'), seen.counters.lost_serial ?? 0);
  counters.lost_serial = boundedBeyond(Math.min(lost + seen.lostEvents, limits.startingSerial));
  const catalog = Math.max(view.catalogSerial(), seen.catalogSerial);
  return {
    kind: 'service.recovered',
    epoch,
    reason,
    serials: seen.serials
      .filter(({ name, serial }) => isAhead(serial, knownSerial(view, name)))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    catalogSerial: boundedBeyond(catalog),
    counters,
  };
}

/** What no serial can follow was never served by us, and can not be passed. */
function isAhead(serial: number, known: number): boolean {
  return serial > known && serial < limits.serial;
}

function knownSerial(view: StateView, name: string): number {
  return Math.max(view.zoneByName(name)?.serial ?? 0, view.formerSerial(name) ?? 0);
}

function boundedBeyond(last: number): number {
  return serialBeyond(last) ?? last;
}

/**
 * The serial that a zone takes into the new epoch, undefined when none is left. `former` is what the event
 * of the epoch left for the name, beyond what was seen of it.
 */
export function recoveredSerial(serial: number, former: number | undefined): number | undefined {
  const next = serialBeyond(serial);
  return next === undefined ? undefined : Math.max(next, former ?? 0);
}

/** All signatures are made again in this version, and IXFR begins with it. */
export function decideRecoverZone(
  { zoneName }: RecoverZone,
  { view, rights }: DecisionContext,
): Decision<ZoneOutcome> {
  requireEverywhere(rights, 'zone:update');
  const zone = view.zoneByName(normaliseZoneName(zoneName));
  if (zone === undefined) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' does not exist`);
  }
  const serial = recoveredSerial(zone.serial, view.formerSerial(zone.name));
  if (serial === undefined) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' is at serial ${limits.serial}, the last one: no serial is left to pass what secondaries may hold`,
    );
  }
  const step = settingsStep(zone, { ...settingsOf(zone), serial }, 'zone.recovered');
  return isSigned(view.signing(zone.id)) ? { ...step, signing: { resign: true } } : step;
}
