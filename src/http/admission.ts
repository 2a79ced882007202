/**
 * Admits a caller to an operation before the body of its request is read (contract/admission.ts): every
 * request passes here, so nobody without the right for it makes the service read.
 *
 * Handlers and the law ask again, with the body at hand: this takes nothing off them, it only refuses early,
 * and in their words.
 */
import { Problem, unreachable } from '../base/problem.ts';
import type { Admission, GuardedKind } from '../contract/admission.ts';
import type { Action, RecordAction } from '../domain/access/action.ts';
import {
  requireEverywhere,
  requireInZone,
  requireOnRecord,
  requireWhole,
} from '../domain/access/require.ts';
import type { Rights } from '../domain/access/rights.ts';
import {
  noPolicy,
  noRecord,
  noRole,
  noSecondary,
  noToken,
  noTsigKey,
  seesAccess,
  seesPolicies,
  seesSecondaries,
} from '../domain/access/visibility.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf, normaliseZoneName, type Zone } from '../domain/zone.ts';
import { parseType } from '../dns/rrtype.ts';
import type { FoundRecord } from '../projection/record-queries.ts';
import { parseId } from './path-values.ts';

/** What a request says before its body. */
export interface Target {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** What a caller is admitted to. */
export interface Sight {
  /** The zone of a name as it is written; throws when it is missing, or no grant of the caller reaches it. */
  zone(written: string): Zone;
  /** The record of an id; throws when it is missing, or no record grant of the caller reaches it. */
  record(id: number): FoundRecord;
  readonly catalogZoneName: string;
}

/**
 * Throws what the caller is refused with: a missing thing, or FORBIDDEN. Returns what a body of more than
 * `limits.smallBodyOctets` is refused with, where a small one is read to tell which of the two it is.
 */
export function admit(
  admission: Admission,
  target: Target,
  rights: Rights,
  sight: Sight,
): Problem | undefined {
  if (rights.isFull) return undefined;
  if (admission.by === 'body') return admitSomewhere(admission, rights);
  admitTo(admission, target, rights, sight);
  if (hasGrants(rights)) return undefined;
  return new Problem('FORBIDDEN', 'a grant is needed to send as much as this');
}

function admitTo(
  admission: Exclude<Admission, { by: 'body' }>,
  target: Target,
  rights: Rights,
  sight: Sight,
): void {
  switch (admission.by) {
    case 'anyone':
    case 'token':
      break;
    case 'everywhere':
      requireEverywhere(rights, admission.action);
      break;
    case 'zone':
      admitToZone(admission, target, rights, sight);
      break;
    case 'records':
      admitToRecords(admission.action, target, rights, sight);
      break;
    case 'zone-or-catalog':
      admitToCatalogOrZone(admission.action, target, rights, sight);
      break;
    case 'import':
      admitToImport(target, rights, sight);
      break;
    case 'record':
      admitToRecord(admission, target, rights, sight);
      break;
    case 'record-ever':
      // Where it stood is looked up later: whoever sees that, by a grant of any action, is told what is missing.
      if (!hasGrants(rights)) throw noRecord(parseId(target.params.id ?? ''));
      break;
    case 'secondary':
    case 'role':
    case 'api-token':
    case 'tsig-key':
    case 'policy':
      admitToNamed(admission.by, admission.action, target, rights);
      break;
    default:
      unreachable(admission);
  }
}

/** True when some grant has the action, wherever it reaches. */
function holds(rights: Rights, action: Action): boolean {
  if (rights.actionsIn(null).actions.includes(action)) return true;
  return [...rights.namedZones()].some((zoneId) => rights.inZone(action, zoneId));
}

function hasGrantsEverywhere(rights: Rights): boolean {
  return rights.actionsIn(null).actions.length > 0;
}

function hasGrants(rights: Rights): boolean {
  return hasGrantsEverywhere(rights) || rights.namedZones().size > 0;
}

function zoneNameOf({ params, query }: Target): string {
  return params.name ?? params.zone_name ?? String(query.zone_name);
}

function admitToZone(
  admission: Extract<Admission, { by: 'zone' }>,
  target: Target,
  rights: Rights,
  sight: Sight,
): void {
  const zone = sight.zone(zoneNameOf(target));
  if (admission.action === undefined) return;
  if (admission.whole === true) requireWhole(rights, admission.action, zone);
  else requireInZone(rights, admission.action, zone);
}

/** A type that is none is refused in the words of the law. */
function admitToRecords(action: RecordAction, target: Target, rights: Rights, sight: Sight): void {
  const { name, type } = target.query;
  const zone = sight.zone(zoneNameOf(target));
  const owner = parseOwner(String(name), apexOf(zone));
  const wanted = type === undefined ? undefined : parseType(String(type));
  if (type !== undefined && wanted === undefined) requireInZone(rights, action, zone);
  else requireOnRecord(rights, action, zone, owner, wanted);
}

function admitToCatalogOrZone(action: Action, target: Target, rights: Rights, sight: Sight): void {
  const isCatalog = normaliseZoneName(zoneNameOf(target)) === sight.catalogZoneName;
  if (isCatalog && hasGrantsEverywhere(rights)) requireEverywhere(rights, action);
  else requireInZone(rights, action, sight.zone(zoneNameOf(target)));
}

/**
 * Who sees no zone at all is told what it would be told of any. Who holds the action in none is refused
 * anyhow; whether the zone is there for it stands in the body.
 */
function admitSomewhere(
  { action, or }: Extract<Admission, { by: 'body' }>,
  rights: Rights,
): Problem | undefined {
  if (holds(rights, action) || (or !== undefined && holds(rights, or))) return undefined;
  if (!hasGrants(rights)) {
    throw new Problem('ZONE_NOT_FOUND', 'the zone does not exist');
  }
  return new Problem('FORBIDDEN', `action '${action}' is needed in the zone`);
}

/** A zone may be made by who may do that and everything with it in all zones. */
function admitToImport(target: Target, rights: Rights, sight: Sight): void {
  if (rights.everywhere('zone:create') && rights.everywhere('record:create')) return;
  const zone = sight.zone(zoneNameOf(target));
  requireWhole(rights, 'record:create', zone);
}

function admitToRecord(
  { action }: Extract<Admission, { by: 'record' }>,
  target: Target,
  rights: Rights,
  sight: Sight,
): void {
  const { zone, record } = sight.record(parseId(target.params.id ?? ''));
  requireOnRecord(rights, action, zone, record.owner, record.type);
}

interface Guarded {
  /** Whether a caller knows of them. */
  sees(rights: Rights): boolean;
  /** As one that is missing is told of. */
  missing(name: string): Problem;
}

const guarded: Readonly<Record<GuardedKind, Guarded>> = {
  secondary: { sees: seesSecondaries, missing: noSecondary },
  role: { sees: seesAccess, missing: noRole },
  'api-token': { sees: seesAccess, missing: noToken },
  'tsig-key': { sees: seesAccess, missing: (name) => noTsigKey(name.replace(/\.$/, '')) },
  policy: { sees: seesPolicies, missing: noPolicy },
};

function admitToNamed(kind: GuardedKind, action: Action, target: Target, rights: Rights): void {
  const { sees, missing } = guarded[kind];
  if (!sees(rights)) throw missing((target.params.name ?? '').trim().toLowerCase());
  // Whether it is there is the handler's to say; who manages may read it too.
  if (!action.endsWith(':read')) requireEverywhere(rights, action);
}
