/** Handlers of API tokens (interface 4.6). A secret is shown once, when its token is made. */
import { assert, Problem } from '../../base/problem.ts';
import * as contract from '../../contract/tokens.ts';
import type { ListedToken } from '../../projection/access-queries.ts';
import { json } from '../answer.ts';
import type { Caller } from '../authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { roleFilterOf, seesAccess } from '../find.ts';
import { presentGrant, presentToken } from '../present/access.ts';
import { nothingListed, presentList } from '../present/list.ts';
import { hashOfSecret, makeTokenSecret } from '../secret.ts';
import type { Services } from '../services.ts';

const list = endpoint(contract.listTokens, ({ query, caller }, services) => {
  const roleId = roleFilterOf(query.role_name, services, caller.rights);
  if (!seesAccess(caller.rights)) return json(200, presentList(nothingListed, query, presentToken));
  services.tokenUse.flush();
  const listed = services.access.listTokens(roleId, query);
  return json(200, presentList(listed, query, presentToken));
});

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

const self = endpoint(contract.getOwnToken, ({ caller }, services) =>
  json(200, { token: presentToken(ownToken(caller, services)) }),
);

const ownGrants = endpoint(contract.listOwnGrants, ({ query, caller }, services) => {
  const { roleId } = ownToken(caller, services);
  return json(200, presentList(services.access.listGrants(roleId, query), query, presentGrant));
});

function ownToken({ actor }: Caller, { access, tokenUse }: Services): ListedToken {
  if (actor === null) {
    throw new Problem(
      'UNAUTHORIZED',
      'this call is made without a token, so there is none to show',
    );
  }
  tokenUse.flush();
  const token = access.listedToken(actor.id);
  if (token === undefined) {
    throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
  }
  return token;
}

export const tokenEndpoints: readonly Endpoint[] = [list, create, self, ownGrants, remove];
