/** TSIG keys (interface 2.9 and 4.5). */
import { assert } from '../base/problem.ts';
import { tsigKey as tsigKeySchema, tsigKeyRoutes } from '../contract/tsig-keys.ts';
import { requireEverywhere } from '../domain/access/require.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { makeTsigSecret, parseTsigSecret } from './secret.ts';

const presentTsigKey = presenter(tsigKeySchema);

export const tsigKeyEndpoints = endpoints(tsigKeyRoutes, {
  listTsigKeys: ({ query, view }) =>
    json(200, presentList(view.access.tsigKeys(query.role_name, query), query, presentTsigKey)),

  async createTsigKey(request) {
    const { secret: written, ...fields } = request.given;
    // The secret is judged here, so the action must be as well: it comes before every rule.
    requireEverywhere(request.caller.rights, 'access:manage');
    const secret = written === undefined ? makeTsigSecret() : parseTsigSecret(written);
    const command = { kind: 'create-tsig-key', ...fields, secret } as const;
    const { tsigKey, role } = await request.submit(command);
    assert(tsigKey !== undefined && role !== undefined, 'create-tsig-key makes a key of a role');
    const shown = presentTsigKey({ ...tsigKey, roleName: role.name });
    return json(201, { secret: secret.toString('base64'), tsig_key: shown });
  },

  getTsigKey({ params, view }) {
    const { key, secret } = view.access.tsigKey(params.name);
    return json(200, { secret: secret.toString('base64'), tsig_key: presentTsigKey(key) });
  },

  async deleteTsigKey(request) {
    const { name } = request.params;
    const { tsigKey } = await request.submit({ kind: 'delete-tsig-key', name });
    return json(200, { message: `TSIG key '${tsigKey?.name}' deleted` });
  },
});
