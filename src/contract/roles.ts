/** Roles and their grants (interface 2.7 and 4.6). */
import * as v from 'valibot';
import { actions } from '../base/action.ts';
import {
  count,
  described,
  descriptionText,
  int32,
  message,
  optional,
  pageParameters,
  pageQuery,
  text,
  textParameter,
  time,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
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

const roleAnswer = v.object({ role });
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

const exampleRoleGrant = {
  id: 1,
  role_name: 'dns-ops',
  zone_name: 'example.com',
  actions: ['record:read', 'record:create'],
  record_name_pattern: '*.dyn',
  record_types: 'A,AAAA',
  created_at: '2026-01-31T12:00:00.000Z',
};

export const pageOfGrants = pageOf(roleGrant, exampleRoleGrant, 'A page of grants.');

export const roleRoutes = resource('roles', {
  listRoles: defineRoute('GET /roles', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List roles',
    description: 'Empty for callers without the action.',
    query: pageQuery,
    ...pageOf(role, exampleRole, 'A page of roles.'),
  }),

  createRole: defineRoute('POST /roles', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a role',
    body: v.strictObject({
      name: plainName,
      description: optional(descriptionText),
    }),
    exampleBody: { name: 'dns-ops', description: 'records of the main zone' },
    ...answers(201, 'The new role, without grants.', roleAnswer, {
      role: { ...exampleRole, grant_count: 0, token_count: 0 },
    }),
    problems: ['ROLE_CONFLICT'],
  }),

  getRole: defineRoute('GET /roles/{name}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Get a role',
    ...answers(200, 'The role.', roleAnswer, { role: exampleRole }),
  }),

  deleteRole: defineRoute('DELETE /roles/{name}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Delete a role and its grants',
    description: 'Refused for admin and while a token or TSIG key authenticates into the role.',
    ...answers(200, 'It is deleted.', message, { message: "role 'dns-ops' deleted" }),
    problems: ['ROLE_IN_USE'],
  }),

  listRoleGrants: defineRoute('GET /roles/{name}/grants', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'List the grants of a role',
    query: pageQuery,
    ...pageOfGrants,
  }),

  createRoleGrant: defineRoute('POST /roles/{name}/grants', {
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
    exampleBody: {
      zone_name: 'example.com',
      actions: ['record:read', 'record:create'],
      record_name_pattern: '*.dyn',
      record_types: 'A,AAAA',
    },
    ...answers(201, 'The new grant.', roleGrantAnswer, { role_grant: exampleRoleGrant }),
    problems: ['ROLE_NOT_FOUND', 'ZONE_NOT_FOUND', 'ROLE_CONFLICT'],
  }),

  deleteRoleGrant: defineRoute('DELETE /roles/{name}/grants/{id}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Revoke a grant',
    ...answers(200, 'It is revoked, at once.', message, {
      message: "grant 1 of role 'dns-ops' deleted",
    }),
    problems: ['ROLE_GRANT_NOT_FOUND'],
  }),
});
