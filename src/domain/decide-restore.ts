/**
 * Restore: a deleted zone comes back with its settings and records, its ids and its history.
 *
 * Its serial goes on above the last that its name was served under, by it or by a zone that came
 * after it. Grants do not come back.
 */
import { excerpt, Problem } from '../base/problem.ts';
import { requireEverywhere } from './access/require.ts';
import type { RestoreZone, ZoneOutcome } from './command.ts';
import {
  apexWarnings,
  lastServedSerial,
  nextReservedSerial,
  outcomeOf,
  refuseTakenName,
  settingsOf,
} from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { type DeletedZone, normaliseZoneName, type Zone } from './zone.ts';

export function decideRestoreZone(
  command: RestoreZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  requireEverywhere(context.rights, 'zone:create');
  const { deletedAt: _, ...deleted } = findDeletedZone(command, context);
  refuseTakenName(context, deleted.name);
  const former = lastServedSerial(context.view, deleted.name);
  const last = Math.max(deleted.serial, former);
  const before = settingsOf(deleted);
  const after = { ...before, serial: nextReservedSerial({ name: deleted.name, serial: last }) };
  const event: ZoneEvent = {
    kind: 'zone.restored',
    zoneId: deleted.id,
    before,
    after,
    delta: emptyDelta,
  };
  // What secondaries hold under the name may be another zone's by now: they transfer the whole.
  const zone: Zone = { ...deleted, ...after, historyFromSerial: after.serial };
  return { event, outcome: outcomeOf(zone, apexWarnings(zone, context)) };
}

/** The deleted zone that a command names. */
export function findDeletedZone(
  { name, id }: Pick<RestoreZone, 'name' | 'id'>,
  context: DecisionContext,
): DeletedZone {
  const normalised = normaliseZoneName(name);
  const deleted = context.view.deletedZone(normalised, id);
  if (deleted !== undefined) return deleted;
  const which = id === undefined ? '' : ` with id ${id}`;
  throw new Problem('ZONE_NOT_FOUND', `no deleted zone '${excerpt(normalised)}'${which} exists`);
}
