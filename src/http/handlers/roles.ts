/** Handlers of roles and their grants (interface 4.6). */
import { assert } from '../../base/problem.ts';
import { roleRoutes } from '../../contract/roles.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { parseId } from '../path-values.ts';
import { presentGrant, presentRole } from '../present/access.ts';
import { presentList } from '../present/list.ts';

const list = endpoint(roleRoutes.listRoles, ({ query, view }) =>
  json(200, presentList(view.access.roles(query), query, presentRole)),
);

const create = endpoint(roleRoutes.createRole, async (request) => {
  const { name, description } = request.body;
  const { role } = await request.submit(
    { kind: 'create-role', name, description: description ?? undefined },
    false,
  );
  assert(role !== undefined, 'create-role makes a role');
  const counts = { grantCount: 0, tokenCount: 0, tsigKeyCount: 0 };
  return json(201, { role: presentRole({ ...role, ...counts }) });
});

const get = endpoint(roleRoutes.getRole, ({ params, view }) =>
  json(200, { role: presentRole(view.access.role(params.name)) }),
);

const remove = endpoint(roleRoutes.deleteRole, async (request) => {
  const { role } = await request.submit({ kind: 'delete-role', name: request.params.name }, false);
  return json(200, { message: `role '${role?.name}' deleted` });
});

const listGrants = endpoint(roleRoutes.listRoleGrants, ({ params, query, view }) =>
  json(200, presentList(view.access.grantsOf(params.name, query), query, presentGrant)),
);

const grant = endpoint(roleRoutes.createRoleGrant, async (request) => {
  const { body } = request;
  const outcome = await request.submit(
    {
      kind: 'create-grant',
      roleName: request.params.name,
      actions: body.actions,
      zoneName: body.zone_name ?? undefined,
      recordNamePattern: body.record_name_pattern ?? undefined,
      recordTypes: body.record_types ?? undefined,
    },
    false,
  );
  const { grant: made, role } = outcome;
  assert(made !== undefined && role !== undefined, 'create-grant makes a grant of a role');
  const zoneName = made.zoneId === null ? null : request.view.zones.nameOf(made.zoneId);
  // Between the commit and here the zone may have gone; then it is shown as it was named.
  const shown = zoneName === undefined ? normaliseZoneName(body.zone_name ?? '') : zoneName;
  return json(201, {
    role_grant: presentGrant({ ...made, roleName: role.name, zoneName: shown }),
  });
});

const revoke = endpoint(roleRoutes.deleteRoleGrant, async (request) => {
  const id = parseId(request.params.id);
  const { role } = await request.submit(
    { kind: 'delete-grant', roleName: request.params.name, id },
    false,
  );
  return json(200, { message: `grant ${id} of role '${role?.name}' deleted` });
});

export const roleEndpoints: readonly Endpoint[] = [
  list,
  create,
  get,
  remove,
  listGrants,
  grant,
  revoke,
];
