/** Roles and their grants (interface 2.7 and 4.6). */
import * as v from 'valibot';
import { actions } from '../base/action.ts';
import {
  count,
  described,
  descriptionText,
  int32,
  listOf,
  message,
  optional,
  pageOf,
  pageParameters,
  pageQuery,
  text,
  textParameter,
  time,
} from './fields.ts';
import { defineRoute, resource } from './route.ts';
import { grantedAction, namePattern, plainName, typeList } from './shapes.ts';

const description = v.nullable(v.string());

/** An action of an answer. */
export const action = described(v.picklist(actions), 'What a grant can allow.');

export const role = v.object({
  id: int32,
  name: v.string(),
  description,
  builtin: described(v.boolean(), 'True for admin, which has full access.'),
  created_at: time,
  grant_count: count,
  token_count: count,
  tsig_key_count: count,
});

export const roleGrant = v.object({
  id: int32,
  role_name: v.string(),
  zone_name: described(v.nullable(v.string()), 'Null for all zones, those created later included.'),
  actions: v.array(action),
  record_name_pattern: v.string(),
  record_types: v.string(),
  created_at: time,
});

const roleList = listOf(role);
const roleAnswer = v.object({ role });
export const roleGrantList = listOf(roleGrant);
const roleGrantAnswer = v.object({ role_grant: roleGrant });

export const ofRoleQuery = v.strictObject({
  role_name: v.optional(textParameter),
  ...pageParameters,
});

const exampleRole = {
  id: 2,
  name: 'dns-ops',
  description: 'records of the main zone',
  builtin: false,
  created_at: '2026-01-31T12:00:00.000Z',
  grant_count: 1,
  token_count: 1,
  tsig_key_count: 0,
};

export const exampleRoleGrant = {
  id: 1,
  role_name: 'dns-ops',
  zone_name: 'example.com',
  actions: ['record:read', 'record:create'],
  record_name_pattern: '*.dyn',
  record_types: 'A,AAAA',
  created_at: '2026-01-31T12:00:00.000Z',
};

const roles = { tags: ['roles'], auth: 'token', action: 'access:manage' } as const;

export const roleRoutes = resource({
  listRoles: defineRoute('GET /roles', {
    ...roles,
    admission: { by: 'token' },
    summary: 'List roles',
    description: 'Empty for callers without the action.',
    query: pageQuery,
    ...pageOf(roleList, exampleRole, 'A page of roles.'),
    problems: [],
  }),

  createRole: defineRoute('POST /roles', {
    ...roles,
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a role',
    body: v.strictObject({
      name: plainName,
      description: optional(descriptionText),
    }),
    success: { status: 201, description: 'The new role, without grants.', schema: roleAnswer },
    problems: ['FORBIDDEN', 'ROLE_CONFLICT'],
    examples: {
      request: { name: 'dns-ops', description: 'records of the main zone' },
      response: { role: { ...exampleRole, grant_count: 0, token_count: 0 } },
    },
  }),

  getRole: defineRoute('GET /roles/{name}', {
    ...roles,
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Get a role',
    success: { status: 200, description: 'The role.', schema: roleAnswer },
    problems: ['ROLE_NOT_FOUND'],
    examples: { response: { role: exampleRole } },
  }),

  deleteRole: defineRoute('DELETE /roles/{name}', {
    ...roles,
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Delete a role and its grants',
    description: 'Refused for admin and while a token or TSIG key authenticates into the role.',
    success: { status: 200, description: 'It is deleted.', schema: message },
    problems: ['ROLE_NOT_FOUND', 'ROLE_IN_USE'],
    examples: { response: { message: "role 'dns-ops' deleted" } },
  }),

  listRoleGrants: defineRoute('GET /roles/{name}/grants', {
    ...roles,
    admission: { by: 'role', action: 'access:manage' },
    summary: 'List the grants of a role',
    query: pageQuery,
    ...pageOf(roleGrantList, exampleRoleGrant, 'A page of grants.'),
    problems: ['ROLE_NOT_FOUND'],
  }),

  createRoleGrant: defineRoute('POST /roles/{name}/grants', {
    ...roles,
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Grant actions to a role',
    description: 'The built-in role admin can not be changed.',
    body: v.strictObject({
      actions: v.pipe(
        v.array(grantedAction, 'must be an array of actions'),
        v.metadata({ minItems: 1 }),
      ),
      zone_name: described(optional(text), 'All zones when left out.'),
      record_name_pattern: optional(namePattern),
      record_types: optional(typeList),
    }),
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
  }),

  deleteRoleGrant: defineRoute('DELETE /roles/{name}/grants/{id}', {
    ...roles,
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Revoke a grant',
    success: { status: 200, description: 'It is revoked, at once.', schema: message },
    problems: ['ROLE_NOT_FOUND', 'ROLE_GRANT_NOT_FOUND'],
    examples: { response: { message: "grant 1 of role 'dns-ops' deleted" } },
  }),
});
