/** The two refusals of access: hidden things are missing, visible ones say which action is needed. */
import { Problem } from '../../base/problem.ts';
import { joinNames, type NameKey, printAbsoluteName } from '../../dns/name.ts';
import { printType } from '../../dns/rrtype.ts';
import type { Why } from '../why.ts';
import { apexOf, type Zone } from '../zone.ts';
import type { Action, RecordAction } from '../../base/action.ts';
import type { Rights } from './rights.ts';

function forbidden(action: Action, scope: string): Problem {
  return new Problem('FORBIDDEN', `action '${action}' is needed ${scope}`);
}

/** The refusal of a token that is unknown or has expired; a caller can not tell which. */
export function unknownToken(): Problem {
  return new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
}

/**
 * A reason, of roles that do nothing without one. Asked of any write, before what it is about; a dry run writes
 * nothing.
 */
export function requireReason(
  { reasonRequired }: Pick<Rights, 'reasonRequired'>,
  { why, dryRun }: { readonly why?: Why | undefined; readonly dryRun: boolean },
): void {
  if (!reasonRequired || dryRun || (why !== undefined && why.reason !== null)) return;
  throw new Problem(
    'REASON_REQUIRED',
    'the role of this caller gives a reason for every write: header Zonebook-Reason',
  );
}

/** An action in all zones, those to come included. */
export function requireEverywhere(rights: Rights, action: Action): void {
  if (!rights.everywhere(action)) throw forbidden(action, 'in all zones');
}

/** An action in one zone that the caller sees. */
export function requireInZone(rights: Rights, action: Action, zone: Zone): void {
  if (!rights.inZone(action, zone.id)) throw forbidden(action, `in zone '${zone.name}'`);
}

/** A record action on a name and type; without a type, on all types at the name. */
export function requireOnRecord(
  rights: Rights,
  action: RecordAction,
  zone: Zone,
  owner: NameKey,
  type: number | undefined,
): void {
  if (rights.onRecord(action, zone.id, owner, type)) return;
  const name = printAbsoluteName(joinNames(owner, apexOf(zone)));
  throw forbidden(action, `on ${name} ${type === undefined ? '(all types)' : printType(type)}`);
}

/** A record action in a zone with no narrowing of names or types. */
export function requireWhole(rights: Rights, action: RecordAction, zone: Zone): void {
  if (!rights.whole(action, zone.id)) {
    throw forbidden(action, `on all records of zone '${zone.name}'`);
  }
}
