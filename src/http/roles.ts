/** Roles and their grants (interface 2.7 and 4.6). */
import { assert } from '../base/problem.ts';
import { role as roleSchema, roleGrant, roleRoutes } from '../contract/roles.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { parseId } from './request-source.ts';

const presentRole = presenter(roleSchema);
export const presentGrant = presenter(roleGrant);

export const roleEndpoints = endpoints(roleRoutes, {
  listRoles: ({ query, view }) =>
    json(200, presentList(view.access.roles(query), query, presentRole)),

  async createRole(request) {
    const { role } = await request.submit({ kind: 'create-role', ...request.given });
    assert(role !== undefined, 'create-role makes a role');
    const counts = { grantCount: 0, tokenCount: 0, tsigKeyCount: 0 };
    return json(201, { role: presentRole({ ...role, ...counts }) });
  },

  getRole: ({ params, view }) => json(200, { role: presentRole(view.access.role(params.name)) }),

  async deleteRole(request) {
    const { role } = await request.submit({ kind: 'delete-role', name: request.params.name });
    return json(200, { message: `role '${role?.name}' deleted` });
  },

  listRoleGrants: ({ params, query, view }) =>
    json(200, presentList(view.access.grantsOf(params.name, query), query, presentGrant)),

  async createRoleGrant(request) {
    const { params, body, given, view } = request;
    const { grant, role } = await request.submit({
      kind: 'create-grant',
      roleName: params.name,
      ...given,
    });
    assert(grant !== undefined && role !== undefined, 'create-grant makes a grant of a role');
    const zoneName = grant.zoneId === null ? null : view.zones.nameOf(grant.zoneId);
    // Between the commit and here the zone may have been deleted; then it is shown as it was named.
    const shown = zoneName === undefined ? normaliseZoneName(body.zone_name ?? '') : zoneName;
    const presented = presentGrant({ ...grant, roleName: role.name, zoneName: shown });
    return json(201, { role_grant: presented });
  },

  async deleteRoleGrant(request) {
    const id = parseId(request.params.id);
    const roleName = request.params.name;
    const { role } = await request.submit({ kind: 'delete-grant', roleName, id });
    return json(200, { message: `grant ${id} of role '${role?.name}' deleted` });
  },
});
