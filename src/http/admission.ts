/**
 * Admits a caller to an operation before the body of its request is read (contract/route.ts): every
 * request passes here, so nobody without the right for it makes the service read.
 *
 * Handlers and the domain rules check again, with the body: this saves them nothing, it only refuses early,
 * and in their words.
 */
import { limits } from '../base/limits.ts';
import { Problem, unreachable } from '../base/problem.ts';
import type { Admission, GuardedKind } from '../contract/route.ts';
import { parseType } from '../dns/rrtype.ts';
import type { Action, RecordAction } from '../base/action.ts';
import {
  requireEverywhere,
  requireInZone,
  requireOnRecord,
  requireWhole,
} from '../domain/access/require.ts';
import type { Rights } from '../domain/access/rights.ts';
import {
  missing,
  type NamedKind,
  noEvent,
  noRecord,
  policies,
  roles,
  secondaries,
  tokens,
  tsigKeys,
  webhooks,
} from '../domain/access/visibility.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf, normaliseZoneName, type Zone } from '../domain/zone.ts';
import { parseId } from './request-source.ts';
import type { CallerView } from './view/view.ts';

/** What is asked for before the body is known, by whom, and what the caller sees. */
export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly rights: Rights;
  readonly view: Pick<CallerView, 'zones' | 'records'>;
  readonly catalogZoneName: string;
}

/**
 * Throws what the caller is refused with: a missing thing, or FORBIDDEN. Returns what a body of more than
 * `limits.smallBodyBytes` is refused with, where a small one is read to find out which of the two it is.
 */
export function admit(admission: Admission, asked: Asked): Problem | undefined {
  const { rights } = asked;
  if (rights.isFull) return undefined;
  if (admission.by === 'body') return admitSomewhere(admission, rights);
  admitTo(admission, asked);
  if (hasGrants(rights)) return undefined;
  if (admission.by === 'anyone') {
    return new Problem('PAYLOAD_TOO_LARGE', `body: more than ${limits.smallBodyBytes} bytes`);
  }
  return new Problem('FORBIDDEN', 'a grant is needed to send as much as this');
}

function admitTo(admission: Exclude<Admission, { by: 'body' }>, asked: Asked): void {
  const { rights } = asked;
  switch (admission.by) {
    case 'anyone':
    case 'token':
      break;
    case 'everywhere':
      requireEverywhere(rights, admission.action);
      break;
    case 'zone':
      admitToZone(admission, asked);
      break;
    case 'records':
      admitToRecords(admission.action, asked);
      break;
    case 'zone-or-catalog':
      admitToCatalogOrZone(admission.action, asked);
      break;
    case 'import':
      admitToImport(asked);
      break;
    case 'record': {
      const { zone, record } = asked.view.records.seen(idOf(asked));
      requireOnRecord(rights, admission.action, zone, record.owner, record.type);
      break;
    }
    case 'record-ever':
      // Where it stood is looked up later: whoever sees that, by a grant of any action, learns what is missing.
      if (!hasGrants(rights)) throw noRecord(idOf(asked));
      break;
    case 'event': {
      // What it is about is looked up later: who holds no grant sees none.
      const seq = parseId(asked.params.seq ?? '');
      if (!hasGrants(rights)) throw noEvent(seq);
      break;
    }
    case 'secondary':
    case 'role':
    case 'api-token':
    case 'tsig-key':
    case 'policy':
    case 'webhook':
      admitToNamed(admission.by, admission.action, asked);
      break;
    default:
      unreachable(admission);
  }
}

function idOf({ params }: Asked): number {
  return parseId(params.id ?? '');
}

function zoneOf(asked: Asked): Zone {
  const deletedId = asked.query.deleted_id as number | undefined;
  return asked.view.zones.get({ name: zoneNameOf(asked), deletedId });
}

function zoneNameOf({ params, query }: Asked): string {
  return params.name ?? params.zone_name ?? String(query.zone_name);
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

function admitToZone(admission: Extract<Admission, { by: 'zone' }>, asked: Asked): void {
  const zone = zoneOf(asked);
  if (admission.action === undefined) return;
  if (admission.whole === true) requireWhole(asked.rights, admission.action, zone);
  else requireInZone(asked.rights, admission.action, zone);
}

/** A type that is none is refused in the words of the domain rules. */
function admitToRecords(action: RecordAction, asked: Asked): void {
  const { name, type } = asked.query;
  const zone = zoneOf(asked);
  const owner = parseOwner(String(name), apexOf(zone));
  const wanted = type === undefined ? undefined : parseType(String(type));
  if (type !== undefined && wanted === undefined) requireInZone(asked.rights, action, zone);
  else requireOnRecord(asked.rights, action, zone, owner, wanted);
}

function admitToCatalogOrZone(action: Action, asked: Asked): void {
  const { rights, catalogZoneName } = asked;
  const isCatalog = normaliseZoneName(zoneNameOf(asked)) === catalogZoneName;
  if (isCatalog && hasGrantsEverywhere(rights)) requireEverywhere(rights, action);
  else requireInZone(rights, action, zoneOf(asked));
}

/** A zone may be made by who may do that and everything with it in all zones. */
function admitToImport(asked: Asked): void {
  const { rights } = asked;
  if (rights.everywhere('zone:create') && rights.everywhere('record:create')) return;
  requireWhole(rights, 'record:create', zoneOf(asked));
}

/**
 * Who sees no zone at all is answered as it would be of any. Who holds the action in none is refused
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

const guarded: Readonly<Record<GuardedKind, NamedKind<unknown>>> = {
  secondary: secondaries,
  role: roles,
  'api-token': tokens,
  'tsig-key': tsigKeys,
  webhook: webhooks,
  policy: policies,
};

function admitToNamed(by: GuardedKind, action: Action, { params, rights }: Asked): void {
  const kind = guarded[by];
  if (!kind.sees(rights)) throw missing(kind, kind.nameIn(params.name ?? ''));
  // Whether it is there is the handler's to say; who manages may read it too.
  if (!action.endsWith(':read')) requireEverywhere(rights, action);
}
