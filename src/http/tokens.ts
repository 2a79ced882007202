/**
 * API tokens, and what the caller may do (interface 2.8 and 4.6). A secret is shown once, when its token is made.
 */
import { assert } from '../base/problem.ts';
import { permissionRoutes, token as tokenSchema, tokenRoutes } from '../contract/tokens.ts';
import type { HeldActions } from '../domain/access/rights.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { presentGrant } from './roles.ts';
import { hashOfSecret, makeTokenSecret } from './secret.ts';

const presentToken = presenter(tokenSchema);

export const tokenEndpoints = endpoints(tokenRoutes, {
  listTokens: ({ query, view }) =>
    json(200, presentList(view.access.tokens(query.role_name, query), query, presentToken)),

  async createToken(request) {
    const secret = makeTokenSecret();
    const { token, role } = await request.submit({
      kind: 'create-token',
      ...request.given,
      secretHash: hashOfSecret(secret),
    });
    assert(token !== undefined && role !== undefined, 'create-token makes a token of a role');
    const shown = presentToken({ ...token, roleName: role.name, lastUsedAt: null });
    return json(201, { secret, token: shown });
  },

  getOwnToken: ({ caller, view }) =>
    json(200, { token: presentToken(view.access.ownToken(caller.actor)) }),

  listOwnGrants: ({ query, caller, view }) =>
    json(200, presentList(view.access.ownGrants(caller.actor, query), query, presentGrant)),

  async deleteToken(request) {
    const { name } = request.params;
    const { token } = await request.submit({ kind: 'delete-token', name });
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
    return json(200, { all_zones: everywhere, zones });
  },
});

function presentHeld({ actions, whole }: HeldActions) {
  return { actions, whole_zone: whole };
}
