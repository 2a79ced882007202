/**
 * Admits a caller to an operation before the body of its request is read (contract/admission.ts): every
 * request passes here, so nobody without the right for it makes the service read.
 *
 * Handlers and the law ask again, with the body at hand: this takes nothing off them, it only refuses early,
 * and in their words.
 */
import { excerpt, Problem, unreachable } from '../base/problem.ts';
import type { Admission, GuardedKind } from '../contract/admission.ts';
import type { Action } from '../domain/access/action.ts';
import {
  requireEverywhere,
  requireInZone,
  requireOnRecord,
  requireWhole,
} from '../domain/access/require.ts';
import type { Rights } from '../domain/access/rights.ts';
import { noPolicy } from '../domain/decide-policy.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { findZone, parseId } from './find.ts';
import type { Services } from './services.ts';

/** What a request says before its body. */
export interface Target {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * Throws what the caller is refused with: a missing thing, or FORBIDDEN. Returns what a body of more than
 * `limits.smallBodyOctets` is refused with, where a small one is read to tell which of the two it is.
 */
export function admit(
  admission: Admission,
  target: Target,
  rights: Rights,
  services: Services,
): Problem | undefined {
  if (rights.isFull) return undefined;
  if (admission.by === 'body') return admitSomewhere(admission, rights);
  admitTo(admission, target, rights, services);
  if (rights.grants.length > 0) return undefined;
  return new Problem('FORBIDDEN', 'a grant is needed to send as much as this');
}

function admitTo(
  admission: Exclude<Admission, { by: 'body' }>,
  target: Target,
  rights: Rights,
  services: Services,
): void {
  switch (admission.by) {
    case 'anyone':
    case 'token':
      return;
    case 'everywhere':
      return requireEverywhere(rights, admission.action);
    case 'zone':
      return admitToZone(admission, target, rights, services);
    case 'zone-or-catalog':
      return admitToCatalogOrZone(admission.action, target, rights, services);
    case 'import':
      return admitToImport(target, rights, services);
    case 'record':
      return admitToRecord(admission, target, rights, services);
    case 'record-ever':
      if (holds(rights, admission.action)) return;
      throw noRecord(parseId(target.params.id ?? ''));
    case 'secondary':
    case 'role':
    case 'api-token':
    case 'tsig-key':
    case 'policy':
      return admitToNamed(admission.by, admission.action, target, rights);
    default:
      return unreachable(admission);
  }
}

/** True when some grant has the action, wherever it reaches. */
function holds(rights: Rights, action: Action): boolean {
  return rights.grants.some((grant) => grant.actions.has(action));
}

function zoneNameOf({ params, query }: Target): string {
  return params.name ?? params.zone_name ?? String(query.zone_name);
}

function admitToZone(
  admission: Extract<Admission, { by: 'zone' }>,
  target: Target,
  rights: Rights,
  services: Services,
): void {
  const zone = findZone(services, rights, zoneNameOf(target));
  if (admission.action === undefined) return;
  if (admission.whole === true) requireWhole(rights, admission.action, zone);
  else requireInZone(rights, admission.action, zone);
}

function admitToCatalogOrZone(
  action: Action,
  target: Target,
  rights: Rights,
  services: Services,
): void {
  const { catalogZoneName } = services.options;
  const isCatalog = normaliseZoneName(zoneNameOf(target)) === catalogZoneName;
  if (isCatalog && rights.visibleZones() === undefined) return requireEverywhere(rights, action);
  requireInZone(rights, action, findZone(services, rights, zoneNameOf(target)));
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
  if (rights.grants.length === 0) {
    throw new Problem('ZONE_NOT_FOUND', 'the zone does not exist');
  }
  return new Problem('FORBIDDEN', `action '${action}' is needed in the zone`);
}

/** A zone may be made by who may do that and everything with it in all zones. */
function admitToImport(target: Target, rights: Rights, services: Services): void {
  if (rights.everywhere('zone:create') && rights.everywhere('record:create')) return;
  const zone = findZone(services, rights, zoneNameOf(target));
  requireWhole(rights, 'record:create', zone);
}

function noRecord(id: number): Problem {
  return new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
}

function admitToRecord(
  { action }: Extract<Admission, { by: 'record' }>,
  target: Target,
  rights: Rights,
  { records }: Services,
): void {
  const id = parseId(target.params.id ?? '');
  const { zone, record } = records.byId(id) ?? {};
  if (!zone || !record || !rights.seesRecord(zone.id, record.owner, record.type)) {
    throw noRecord(id);
  }
  requireOnRecord(rights, action, zone, record.owner, record.type);
}

interface Guarded {
  /** Actions any of which lets a caller know of it. */
  readonly seenBy: readonly Action[];
  /** As one that is missing is told of. */
  missing(name: string): Problem;
}

const guarded: Readonly<Record<GuardedKind, Guarded>> = {
  secondary: {
    seenBy: ['secondary:read', 'secondary:manage'],
    missing: (name) => new Problem('SECONDARY_NOT_FOUND', `secondary '${name}' does not exist`),
  },
  role: {
    seenBy: ['access:manage'],
    missing: (name) => new Problem('ROLE_NOT_FOUND', `role '${name}' does not exist`),
  },
  'api-token': {
    seenBy: ['access:manage'],
    missing: (name) => new Problem('TOKEN_NOT_FOUND', `token '${name}' does not exist`),
  },
  'tsig-key': {
    seenBy: ['access:manage'],
    missing: (name) => {
      const shown = name.replace(/\.$/, '');
      return new Problem('TSIG_KEY_NOT_FOUND', `TSIG key '${shown}' does not exist`);
    },
  },
  policy: { seenBy: ['dnssec:read', 'dnssec:manage'], missing: noPolicy },
};

function admitToNamed(kind: GuardedKind, action: Action, target: Target, rights: Rights): void {
  const { seenBy, missing } = guarded[kind];
  if (!seenBy.some((each) => rights.everywhere(each))) {
    throw missing(excerpt((target.params.name ?? '').trim().toLowerCase()));
  }
  // Whether it is there is the handler's to say; who manages may read it too.
  if (!action.endsWith(':read')) requireEverywhere(rights, action);
}
