/** Handlers of TSIG keys (interface 4.5). */
import { assert } from '../../base/problem.ts';
import { tsigKeyRoutes } from '../../contract/tsig-keys.ts';
import { requireEverywhere } from '../../domain/access/require.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentTsigKey } from '../present/access.ts';
import { presentList } from '../present/list.ts';
import { makeTsigSecret, parseTsigSecret } from '../secret.ts';

const list = endpoint(tsigKeyRoutes.listTsigKeys, ({ query, view }) =>
  json(200, presentList(view.access.tsigKeys(query.role_name, query), query, presentTsigKey)),
);

const create = endpoint(tsigKeyRoutes.createTsigKey, async (request) => {
  const { name, role_name, algorithm, secret: given } = request.body;
  // The secret is judged here, so the action must be as well: it comes before every rule.
  requireEverywhere(request.caller.rights, 'access:manage');
  const secret = given === undefined || given === null ? makeTsigSecret() : parseTsigSecret(given);
  const { tsigKey, role } = await request.submit(
    {
      kind: 'create-tsig-key',
      name,
      roleName: role_name,
      algorithm: algorithm ?? undefined,
      secret,
    },
    false,
  );
  assert(tsigKey !== undefined && role !== undefined, 'create-tsig-key makes a key of a role');
  const shown = presentTsigKey({ ...tsigKey, roleName: role.name });
  return json(201, { secret: secret.toString('base64'), tsig_key: shown });
});

const get = endpoint(tsigKeyRoutes.getTsigKey, ({ params, view }) => {
  const { key, secret } = view.access.tsigKey(params.name);
  return json(200, { secret: secret.toString('base64'), tsig_key: presentTsigKey(key) });
});

const remove = endpoint(tsigKeyRoutes.deleteTsigKey, async (request) => {
  const { name } = request.params;
  const { tsigKey } = await request.submit({ kind: 'delete-tsig-key', name }, false);
  return json(200, { message: `TSIG key '${tsigKey?.name}' deleted` });
});

export const tsigKeyEndpoints: readonly Endpoint[] = [list, create, get, remove];
