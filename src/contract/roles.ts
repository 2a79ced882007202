/** Operations on roles and their grants (interface 4.6). */
import { examplePagination, exampleRole, exampleRoleGrant } from './examples.ts';
import { defineRoute } from './route.ts';
import {
  createRoleBody,
  createRoleGrantBody,
  pageQuery,
  roleAnswer,
  roleGrantAnswer,
  roleGrantList,
  roleList,
} from './schemas/access.ts';
import { message } from './schemas/common.ts';

const roles = { tags: ['roles'], auth: 'token', action: 'access:manage' } as const;

export const listRoles = defineRoute({
  ...roles,
  id: 'listRoles',
  admission: { by: 'token' },
  method: 'GET',
  path: '/roles',
  summary: 'List roles',
  description: 'Empty for callers without the action.',
  query: pageQuery,
  success: { status: 200, description: 'A page of roles.', schema: roleList },
  problems: [],
  examples: { response: { items: [exampleRole], pagination: examplePagination } },
});

export const createRole = defineRoute({
  ...roles,
  id: 'createRole',
  admission: { by: 'everywhere', action: 'access:manage' },
  method: 'POST',
  path: '/roles',
  summary: 'Create a role',
  body: createRoleBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new role, without grants.', schema: roleAnswer },
  problems: ['FORBIDDEN', 'ROLE_CONFLICT'],
  examples: {
    request: { name: 'dns-ops', description: 'records of the main zone' },
    response: { role: { ...exampleRole, grant_count: 0, token_count: 0 } },
  },
});

export const getRole = defineRoute({
  ...roles,
  id: 'getRole',
  admission: { by: 'role', action: 'access:manage' },
  method: 'GET',
  path: '/roles/{name}',
  summary: 'Get a role',
  success: { status: 200, description: 'The role.', schema: roleAnswer },
  problems: ['ROLE_NOT_FOUND'],
  examples: { response: { role: exampleRole } },
});

export const deleteRole = defineRoute({
  ...roles,
  id: 'deleteRole',
  admission: { by: 'role', action: 'access:manage' },
  method: 'DELETE',
  path: '/roles/{name}',
  summary: 'Delete a role and its grants',
  description: 'Refused for admin and while a token or TSIG key authenticates into the role.',
  success: { status: 200, description: 'It is deleted.', schema: message },
  problems: ['ROLE_NOT_FOUND', 'ROLE_IN_USE'],
  examples: { response: { message: "role 'dns-ops' deleted" } },
});

export const listRoleGrants = defineRoute({
  ...roles,
  id: 'listRoleGrants',
  admission: { by: 'role', action: 'access:manage' },
  method: 'GET',
  path: '/roles/{name}/grants',
  summary: 'List the grants of a role',
  query: pageQuery,
  success: { status: 200, description: 'A page of grants.', schema: roleGrantList },
  problems: ['ROLE_NOT_FOUND'],
  examples: { response: { items: [exampleRoleGrant], pagination: examplePagination } },
});

export const createRoleGrant = defineRoute({
  ...roles,
  id: 'createRoleGrant',
  admission: { by: 'everywhere', action: 'access:manage' },
  method: 'POST',
  path: '/roles/{name}/grants',
  summary: 'Grant actions to a role',
  description: 'The built-in role admin can not be changed.',
  body: createRoleGrantBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new grant.', schema: roleGrantAnswer },
  problems: ['FORBIDDEN', 'ROLE_NOT_FOUND', 'ZONE_NOT_FOUND', 'ROLE_CONFLICT'],
  examples: {
    request: {
      zone_name: 'example.com',
      actions: ['record:read', 'record:create'],
      record_name_pattern: '*.dyn',
      record_types: 'A,AAAA',
    },
    response: { role_grant: exampleRoleGrant },
  },
});

export const deleteRoleGrant = defineRoute({
  ...roles,
  id: 'deleteRoleGrant',
  admission: { by: 'role', action: 'access:manage' },
  method: 'DELETE',
  path: '/roles/{name}/grants/{id}',
  summary: 'Revoke a grant',
  success: { status: 200, description: 'It is revoked, at once.', schema: message },
  problems: ['ROLE_NOT_FOUND', 'ROLE_GRANT_NOT_FOUND'],
  examples: { response: { message: "grant 1 of role 'dns-ops' deleted" } },
});

export const roleRoutes = [
  listRoles,
  createRole,
  getRole,
  deleteRole,
  listRoleGrants,
  createRoleGrant,
  deleteRoleGrant,
] as const;
