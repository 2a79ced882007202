/** Grants: what a role may do, in all zones or one, narrowed by names and types. */
import { excerpt, Problem } from '../../base/problem.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import { normaliseZoneName, noZone } from '../zone.ts';
import { type Action, actions, allZonesOnly, isAction, isRecordAction } from './action.ts';
import type { AccessOutcome, CreateGrant, DeleteGrant, Grant } from './model.ts';
import { findManaged, roles } from './visibility.ts';
import { parseNamePattern, parseTypeSet } from './pattern.ts';
import { requireEverywhere } from './require.ts';
import type { CompiledGrant } from './rights.ts';

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

/** The actions of a grant in storage order, each once. */
function parseActions(given: readonly string[]): Action[] {
  if (given.length === 0) throw invalid('actions: at least one is needed');
  const unknown = given.find((action) => !isAction(action));
  if (unknown !== undefined) {
    throw invalid(`actions: '${excerpt(unknown)}' is not one of ${actions.join(', ')}`);
  }
  return actions.filter((action) => given.includes(action));
}

export function decideCreateGrant(
  command: CreateGrant,
  context: DecisionContext,
): Decision<AccessOutcome> {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, command.roleName);
  const zoneId = findGrantedZone(command.zoneName, context);
  const granted = parseActions(command.actions);
  const names = parseNamePattern(command.recordNamePattern ?? '*').normal;
  const types = parseTypeSet(command.recordTypes ?? '*').normal;
  if ((names !== '*' || types !== '*') && !granted.some(isRecordAction)) {
    throw invalid(
      'record_name_pattern, record_types: narrow only record actions, and the grant has none',
    );
  }
  const everywhere = granted.find((action) => allZonesOnly.has(action));
  if (command.zoneName !== undefined && everywhere !== undefined) {
    throw invalid(`zone_name: action '${everywhere}' is granted in all zones only`);
  }
  if (role.builtin) {
    throw invalid(`role '${role.name}' is built in, has full access and can not be changed`);
  }
  const grant: Grant = {
    id: context.allocateId('grant'),
    roleId: role.id,
    zoneId,
    actions: granted,
    recordNamePattern: names,
    recordTypes: types,
    createdAt: context.now,
  };
  return {
    event: { kind: 'role.granted', grant, roleName: role.name },
    outcome: { grant, role },
  };
}

/** Whoever manages access may name any zone. */
function findGrantedZone(name: string | undefined, context: DecisionContext): number | null {
  if (name === undefined) return null;
  const zone = context.view.zoneByName(normaliseZoneName(name));
  if (zone === undefined) throw noZone(name);
  return zone.id;
}

export function decideDeleteGrant(
  command: DeleteGrant,
  context: DecisionContext,
): Decision<AccessOutcome> {
  const role = findManaged(roles, context, command.roleName);
  const grant = context.view.grantById(command.id);
  if (grant === undefined || grant.roleId !== role.id) {
    throw new Problem('ROLE_GRANT_NOT_FOUND', `role '${role.name}' has no grant ${command.id}`);
  }
  return {
    event: { kind: 'role.revoked', grant, roleName: role.name },
    outcome: { grant, role },
  };
}

/** Prepares a stored grant for checks. */
export function compileGrant(grant: Grant): CompiledGrant {
  return {
    zoneId: grant.zoneId,
    actions: new Set(grant.actions),
    names: parseNamePattern(grant.recordNamePattern).pattern,
    types: parseTypeSet(grant.recordTypes).types,
  };
}
