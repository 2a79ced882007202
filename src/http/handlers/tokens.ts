/** Handlers of API tokens (interface 4.6). A secret is shown once, when its token is made. */
import { assert } from '../../base/problem.ts';
import * as contract from '../../contract/tokens.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentGrant, presentToken } from '../present/access.ts';
import { presentList } from '../present/list.ts';
import { hashOfSecret, makeTokenSecret } from '../secret.ts';

const list = endpoint(contract.listTokens, async ({ query, view }) =>
  json(200, presentList(await view.access.tokens(query.role_name, query), query, presentToken)),
);

const create = endpoint(contract.createToken, async (request) => {
  const { name, role_name, description, expires_in_days } = request.body;
  const secret = makeTokenSecret();
  const { token, role } = await request.submit(
    {
      kind: 'create-token',
      name,
      roleName: role_name,
      description: description ?? undefined,
      expiresInDays: expires_in_days ?? undefined,
      secretHash: hashOfSecret(secret),
    },
    false,
  );
  assert(token !== undefined && role !== undefined, 'create-token makes a token of a role');
  const shown = presentToken({ ...token, roleName: role.name, lastUsedAt: null });
  return json(201, { secret, token: shown });
});

const remove = endpoint(contract.deleteToken, async (request) => {
  const { name } = request.params;
  const { token } = await request.submit({ kind: 'delete-token', name }, false);
  return json(200, { message: `token '${token?.name}' deleted` });
});

const self = endpoint(contract.getOwnToken, async ({ caller, view }) =>
  json(200, { token: presentToken(await view.access.ownToken(caller.actor)) }),
);

const ownGrants = endpoint(contract.listOwnGrants, async ({ query, caller, view }) =>
  json(200, presentList(await view.access.ownGrants(caller.actor, query), query, presentGrant)),
);

export const tokenEndpoints: readonly Endpoint[] = [list, create, self, ownGrants, remove];
