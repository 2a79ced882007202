/**
 * The rules of epochs (domain/epoch.ts): what the event that begins one holds, and the step that each zone
 * takes into it.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { requireEverywhere } from './access/require.ts';
import { signingByClock } from './decide-signing.ts';
import { outcomeOf, type ZoneOutcome } from './decide-zone.ts';
import type { Decision, DecisionContext, StateView } from './decision.ts';
import {
  type BeginEpoch,
  type EpochOutcome,
  idBeyond,
  identifiers,
  type RecoverZone,
  type SeenSerial,
  type ServiceRecovered,
  type StoredCounter,
  serialBeyond,
} from './epoch.ts';
import { isPassable } from './seen-serials.ts';
import { isSigned, withWaitsAgain } from './signing.ts';
import { normaliseZoneName, noZone } from './zone.ts';
import { changeZone } from './zone-change.ts';

function decideBeginEpoch(
  command: BeginEpoch,
  { view, rights }: Pick<DecisionContext, 'view' | 'rights'>,
): Decision<EpochOutcome> {
  requireEverywhere(rights, 'zone:update');
  return { event: epochEvent(command, view), outcome: { epoch: command.epoch } };
}

/** The event that begins an epoch. */
export function epochEvent({ epoch, reason, seen }: BeginEpoch, view: StateView): ServiceRecovered {
  // A zone that this database does not know as it was last may have taken a serial with each lost event.
  const lost = seen.lostEvents > limits.epochJump / 2 ? seen.lostEvents : 0;
  const jump = limits.epochJump + lost + seen.missedJumps;
  const moves = new Moves(jump);
  const counters: Partial<Record<StoredCounter, number>> = {};
  for (const name of identifiers) {
    const known = view.counter(name);
    const next = Math.max(idBeyond(known, jump), idBeyond(seen.counters[name] ?? 0));
    counters[name] = moves.take(known, next);
  }
  const takeSerial = (known: number, elsewhere: number) => {
    const seen = isPassable(elsewhere, known) ? elsewhere : 0;
    return moves.take(known, Math.max(beyond(known, jump), beyond(seen)));
  };
  counters.lost_serial = takeSerial(view.counter('lost_serial'), seen.counters.lost_serial ?? 0);
  const serials: SeenSerial[] = [];
  for (const { name, serial } of seen.serials) {
    const known = knownSerial(view, name);
    if (serial <= known || !isPassable(serial, known)) continue;
    moves.take(known, beyond(serial));
    serials.push({ name, serial });
  }
  serials.sort((one, other) => (one.name < other.name ? -1 : 1));
  const catalogSerial = takeSerial(view.catalogSerial(), seen.catalogSerial);
  // Further than any state that was served before, also one that this database has nothing of.
  const before = Math.max(seen.counters.jumped ?? 0, view.counter('jumped') + seen.missedJumps);
  counters.jumped = Math.max(view.counter('jumped') + moves.furthest, before + limits.epochJump);
  return { kind: 'service.recovered', epoch, reason, jump, serials, catalogSerial, counters };
}

/**
 * How far an epoch moves anything. What is moved a great deal further than anything else was seen at a
 * secondary that has it from elsewhere; nobody else has to go so far because of it.
 */
class Moves {
  furthest: number;

  constructor(jump: number) {
    this.furthest = jump;
  }

  /** Returns `next`. */
  take(known: number, next: number): number {
    const move = next - known;
    if (move > this.furthest && move <= limits.epochMove) this.furthest = move;
    return next;
  }
}

function knownSerial(view: StateView, name: string): number {
  return Math.max(view.zoneByName(name)?.serial ?? 0, view.formerSerial(name) ?? 0);
}

/** Where no serial is left, the last one. */
function beyond(last: number, jump?: number): number {
  return serialBeyond(last, jump) ?? last;
}

/**
 * The serial that a zone takes into the new epoch, undefined when none is left. `former` is what the event
 * of the epoch left for the name, beyond what was seen of it, or an earlier zone of the name: no zone follows that into
 * the last million, where it can not be changed any more, unless it is there already.
 */
export function recoveredSerial(
  serial: number,
  former: number | undefined,
  jump: number,
): number | undefined {
  const next = serialBeyond(serial, jump);
  const last = serial < limits.maxSerial ? limits.maxSerial : limits.serial;
  const isUsable = former !== undefined && former < last;
  return next !== undefined && isUsable ? Math.max(next, former) : next;
}

/** All signatures are made again in this version, IXFR begins with it, and what keys wait for begins again. */
function decideRecoverZone(
  { zoneName, jump }: RecoverZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  const { view, rights, clockNow } = context;
  requireEverywhere(rights, 'zone:update');
  const zone = view.zoneByName(normaliseZoneName(zoneName));
  if (zone === undefined) throw noZone(zoneName);
  const serial = recoveredSerial(zone.serial, view.formerSerial(zone.name), jump);
  if (serial === undefined) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' is at serial ${limits.serial}, the last one: no serial ` +
        `is left to pass what secondaries may hold`,
    );
  }
  const signing = signingByClock(context, zone);
  if (!isSigned(signing)) return outcomeOf(changeZone('zone.recovered', zone, serial));
  const state = withWaitsAgain(signing, zone, serial, clockNow);
  const fact = state === signing ? {} : { signing: { reason: 'zone-changed', state } as const };
  const decided = outcomeOf(changeZone('zone.recovered', zone, serial, fact));
  return { ...decided, signing: { resign: true } };
}

export const epochDecisions = {
  'begin-epoch': decideBeginEpoch,
  'recover-zone': decideRecoverZone,
};
