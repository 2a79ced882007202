/**
 * Roles and their grants, API tokens, TSIG keys, and what the caller may do (interface 2.7 to 2.9, 4.5 and 4.6). The
 * secret of a token is returned once, when it is made.
 */
import { assert } from '../base/problem.ts';
import {
  permissionRoutes,
  role as roleSchema,
  roleGrant,
  roleRoutes,
  token as tokenSchema,
  tokenRoutes,
  tsigKey as tsigKeySchema,
  tsigKeyRoutes,
} from '../contract/access.ts';
import { requireEverywhere } from '../domain/access/require.ts';
import type { HeldActions } from '../domain/access/rights.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { parseId } from './request-source.ts';
import { hashOfSecret, makeTokenSecret, makeTsigSecret, parseTsigSecret } from './secret.ts';

const presentRole = presenter(roleSchema);
const presentGrant = presenter(roleGrant);

export const roleEndpoints = endpoints(roleRoutes, {
  listRoles: (request) =>
    json(200, presentList(request.view.access.roles(request.page), request, presentRole)),

  async createRole(request) {
    const { role } = await request.submit({ kind: 'create-role', ...request.given });
    assert(role !== undefined, 'create-role makes a role');
    const counts = { grantCount: 0, tokenCount: 0, tsigKeyCount: 0 };
    return json(201, { role: presentRole({ ...role, ...counts }) });
  },

  getRole: ({ params, view }) => json(200, { role: presentRole(view.access.role(params.name)) }),

  async updateRole(request) {
    const { name } = request.params;
    const { role } = await request.submit({ kind: 'update-role', name, ...request.given });
    assert(role !== undefined, 'update-role changes a role');
    return json(200, { role: presentRole(request.view.access.asChanged(role)) });
  },

  async deleteRole(request) {
    const { params, query } = request;
    const command = { kind: 'delete-role', name: params.name, id: query.id } as const;
    const { role } = await request.submit(command);
    return json(200, { message: `role '${role?.name}' deleted` });
  },

  listRoleGrants(request) {
    const grants = request.view.access.grantsOf(request.params.name, request.page);
    return json(200, presentList(grants, request, presentGrant));
  },

  async createRoleGrant(request) {
    const { params, body, given, view } = request;
    const { grant, role } = await request.submit({
      kind: 'create-grant',
      roleName: params.name,
      ...given,
    });
    assert(grant !== undefined && role !== undefined, 'create-grant makes a grant of a role');
    const zoneName = grant.zoneId === null ? null : view.zones.nameOf(grant.zoneId);
    // Between the commit and here the zone may have been deleted; then the answer has the name of the request.
    const answer = zoneName === undefined ? normaliseZoneName(body.zone_name ?? '') : zoneName;
    const presented = presentGrant({ ...grant, roleName: role.name, zoneName: answer });
    return json(201, { role_grant: presented });
  },

  async deleteRoleGrant(request) {
    const id = parseId(request.params.id);
    const roleName = request.params.name;
    const { role } = await request.submit({ kind: 'delete-grant', roleName, id });
    return json(200, { message: `grant ${id} of role '${role?.name}' deleted` });
  },
});

const presentToken = presenter(tokenSchema);

export const tokenEndpoints = endpoints(tokenRoutes, {
  listTokens(request) {
    const tokens = request.view.access.tokens(request.query.role_name, request.page);
    return json(200, presentList(tokens, request, presentToken));
  },

  async createToken(request) {
    const secret = makeTokenSecret();
    const { token, role } = await request.submit({
      kind: 'create-token',
      ...request.given,
      secretHash: hashOfSecret(secret),
    });
    assert(token !== undefined && role !== undefined, 'create-token makes a token of a role');
    const answer = presentToken({
      ...token,
      roleName: role.name,
      lastUsedAt: null,
      lastUsedFrom: null,
    });
    return json(201, { secret, token: answer });
  },

  getOwnToken: ({ caller, view }) =>
    json(200, { token: presentToken(view.access.ownToken(caller.actor)) }),

  listOwnGrants(request) {
    const grants = request.view.access.ownGrants(request.caller.actor, request.page);
    return json(200, presentList(grants, request, presentGrant));
  },

  async deleteToken(request) {
    const { params, query } = request;
    const command = { kind: 'delete-token', name: params.name, id: query.id } as const;
    const { token } = await request.submit(command);
    return json(200, { message: `token '${token?.name}' deleted` });
  },
});

export const permissionEndpoints = endpoints(permissionRoutes, {
  getPermissions({ view }) {
    const held = view.zones.held();
    const everywhere = presentHeld(held.everywhere);
    const zones = held.zones
      .map(({ zoneName, ...actions }) => ({ zone_name: zoneName, ...presentHeld(actions) }))
      .filter(({ zone_name: _, ...there }) => JSON.stringify(there) !== JSON.stringify(everywhere))
      .sort((a, b) => (a.zone_name < b.zone_name ? -1 : 1));
    return json(200, { reason_required: held.reasonRequired, all_zones: everywhere, zones });
  },
});

function presentHeld({ actions, whole }: HeldActions) {
  return { actions, whole_zone: whole };
}

const presentTsigKey = presenter(tsigKeySchema);

export const tsigKeyEndpoints = endpoints(tsigKeyRoutes, {
  listTsigKeys(request) {
    const keys = request.view.access.tsigKeys(request.query.role_name, request.page);
    return json(200, presentList(keys, request, presentTsigKey));
  },

  async createTsigKey(request) {
    const { secret: given, ...fields } = request.given;
    // The secret is judged here, so the action must be as well: it comes before every rule.
    requireEverywhere(request.caller.rights, 'access:manage');
    const secret = given === undefined ? makeTsigSecret() : parseTsigSecret(given);
    const command = { kind: 'create-tsig-key', ...fields, secret } as const;
    const { tsigKey, role } = await request.submit(command);
    assert(tsigKey !== undefined && role !== undefined, 'create-tsig-key makes a key of a role');
    const answer = presentTsigKey({ ...tsigKey, roleName: role.name });
    return json(201, { secret: secret.toString('base64'), tsig_key: answer });
  },

  getTsigKey({ params, view }) {
    const { key, secret } = view.access.tsigKey(params.name);
    return json(200, { secret: secret.toString('base64'), tsig_key: presentTsigKey(key) });
  },

  async deleteTsigKey(request) {
    const { name } = request.params;
    const { id } = request.query;
    const { tsigKey } = await request.submit({ kind: 'delete-tsig-key', name, id });
    return json(200, { message: `TSIG key '${tsigKey?.name}' deleted` });
  },
});
