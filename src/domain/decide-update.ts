/**
 * Dynamic update (RFC 2136 3): rights, prerequisites and steps in one decision, whole or nothing.
 *
 * ```
 *   rights of everything named      FORBIDDEN
 *   prerequisites                   NXDOMAIN, YXDOMAIN, NXRRSET, YXRRSET: nothing is done
 *   a fault behind them             FORMERR, NOTZONE: nothing is done
 *   types a client may not write    INVALID_RECORD_VALUE
 *   steps, in the message's order   what RFC 2136 3.4.2 passes over is passed over
 *   the state they end in           RECORD_CONFLICT and the like, as for every other change
 * ```
 * What ends as it was is no change at all. Records that are taken out and put back keep their ids.
 */
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { derivedTypes, isStorable, printType, rrtype } from '../dns/rrtype.ts';
import { requireInZone, requireOnRecord } from './access/require.ts';
import { judgePrerequisites } from './decide-update-prerequisites.ts';
import { ChangingZone } from './decide-update-steps.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { DynamicUpdate, UpdateOutcome, UpdateStep } from './dynamic-update.ts';
import { WorkingSet } from './working-set.ts';
import { normaliseZoneName, type Zone } from './zone.ts';

export function decideDynamicUpdate(
  command: DynamicUpdate,
  context: DecisionContext,
): Decision<UpdateOutcome> {
  const { prerequisites, steps, fault = 'NOERROR' } = command;
  const zone = findEnabledZone(command, context);
  requireRights(command, zone, context);
  const work = new WorkingSet(context, zone);
  loadTogether(command, work);
  const judged = judgePrerequisites(prerequisites, zone, (owner) => work.at(owner));
  const verdict = judged === 'NOERROR' ? fault : judged;
  if (verdict !== 'NOERROR') return { event: undefined, outcome: { verdict, zone } };
  for (const step of steps) refuseType(step);
  const changing = new ChangingZone(work, context);
  for (const step of steps) changing.take(step);
  return changing.decision();
}

function findEnabledZone({ zoneName }: DynamicUpdate, { view, rights }: DecisionContext): Zone {
  const zone = view.zoneByName(normaliseZoneName(zoneName));
  if (zone === undefined || !zone.enabled) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' is not served`);
  }
  if (!rights.sees(zone.id)) {
    throw new Problem('FORBIDDEN', `no grant reaches zone '${zoneName}'`);
  }
  return zone;
}

/** Everything that the message names has to be allowed, whether or not it changes anything. */
function requireRights(
  { prerequisites, steps }: DynamicUpdate,
  zone: Zone,
  { rights }: DecisionContext,
): void {
  if (rights.isFull) return;
  for (const prerequisite of prerequisites) {
    const type = 'type' in prerequisite ? prerequisite.type : undefined;
    requireOnRecord(rights, 'record:read', zone, prerequisite.owner, type);
  }
  for (const step of steps) {
    if (step.kind === 'add') {
      const { owner, type } = step.record;
      requireOnRecord(rights, 'record:create', zone, owner, type);
      // An SOA is an edit of the zone's settings, as by PUT.
      if (type === rrtype.SOA) requireInZone(rights, 'zone:update', zone);
    } else {
      const type = 'type' in step ? step.type : undefined;
      requireOnRecord(rights, 'record:delete', zone, step.owner, type);
    }
  }
}

/** Reads the owners of a longer message in one go. */
function loadTogether({ prerequisites, steps }: DynamicUpdate, work: WorkingSet): void {
  if (prerequisites.length + steps.length < 2) return;
  const owners = new Set<NameKey>();
  for (const { owner } of prerequisites) owners.add(owner);
  for (const step of steps) owners.add(ownerOf(step));
  if (owners.size > 1) work.load([...owners]);
}

function ownerOf(step: UpdateStep): NameKey {
  return step.kind === 'add' ? step.record.owner : step.owner;
}

/** What the signer makes is not the client's to change; other types may just not be stored. */
function refuseType(step: UpdateStep): void {
  if (step.kind === 'delete-name') return;
  const type = step.kind === 'add' ? step.record.type : step.type;
  const isRefused = step.kind === 'add' ? !isStorable(type) : derivedTypes.has(type);
  if (!isRefused || type === rrtype.SOA) return;
  throw new Problem(
    'INVALID_RECORD_VALUE',
    `type: ${printType(type)} can not be updated: it is not a record that callers store`,
  );
}
