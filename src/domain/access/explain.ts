/** Why somebody may do something, or which grant would be missing. Pure; judged by the rights that decide requests. */
import { type Action, allZonesOnly, isRecordAction } from '../../base/action.ts';
import { Problem } from '../../base/problem.ts';
import { joinNames, type NameKey, printAbsoluteName } from '../../dns/name.ts';
import { printType } from '../../dns/rrtype.ts';
import { apexOf, type Zone } from '../zone.ts';
import type { Grant } from './model.ts';
import { printExact } from './pattern.ts';
import { compileGrant, Rights } from './rights.ts';

/** An action: in all zones, in one, or on what stands at a name of it. */
export interface AccessQuestion {
  readonly action: Action;
  readonly zone: Zone | undefined;
  /** Relative; undefined for all names. */
  readonly owner: NameKey | undefined;
  /** Undefined for all types. */
  readonly type: number | undefined;
}

/** A grant that would allow it, and nothing besides. */
export interface NeededGrant {
  readonly zoneName: string | null;
  readonly actions: readonly [Action];
  readonly recordNamePattern: string;
  readonly recordTypes: string;
}

export function checkQuestion({ action, zone, owner, type }: AccessQuestion): void {
  if (owner === undefined && type !== undefined) {
    throw new Problem('INVALID_INPUT', "'type' goes with 'name' only");
  }
  if (owner !== undefined && (zone === undefined || !isRecordAction(action))) {
    throw new Problem('INVALID_INPUT', "'name' goes with actions on records only");
  }
}

export function allows(rights: Rights, { action, zone, owner, type }: AccessQuestion): boolean {
  if (zone === undefined) return rights.everywhere(action);
  if (!isRecordAction(action)) return rights.inZone(action, zone.id);
  if (owner === undefined) return rights.whole(action, zone.id);
  return rights.onRecord(action, zone.id, owner, type);
}

/** The first grant that allows it by itself: none of several together allows what each of them does not. */
export function allowingGrant(
  grants: readonly Grant[],
  question: AccessQuestion,
): Grant | undefined {
  const { zone } = question;
  return grants.find(
    (grant) =>
      (grant.zoneId === null || grant.zoneId === zone?.id) &&
      allows(new Rights([compileGrant(grant)]), question),
  );
}

export function neededGrant({ action, zone, owner, type }: AccessQuestion): NeededGrant {
  return {
    zoneName: zone === undefined || allZonesOnly.has(action) ? null : zone.name,
    actions: [action],
    recordNamePattern: owner === undefined ? '*' : owner === '' ? '@' : printExact(owner),
    recordTypes: type === undefined ? '*' : printType(type),
  };
}

/** What is asked for, as sentences say it. */
export function printQuestion({ action, zone, owner, type }: AccessQuestion): string {
  if (zone === undefined) return `${action} in all zones`;
  if (owner === undefined) return `${action} in zone '${zone.name}'`;
  const name = printAbsoluteName(joinNames(owner, apexOf(zone)));
  return `${action} on ${name} ${type === undefined ? '(all types)' : printType(type)}`;
}
