/** Who may do what: roles and their grants, API tokens, TSIG keys (interface 2.7 to 2.9, 4.5 and 4.6). */
import * as v from 'valibot';
import { actions } from '../base/action.ts';
import { limits } from '../base/limits.ts';
import {
  count,
  described,
  descriptionText,
  int32,
  int32Parameter,
  integer,
  message,
  optional,
  pageParameters,
  pageQuery,
  shape,
  text,
  textParameter,
  time,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import {
  domainName,
  grantedAction,
  namePattern,
  identifierText,
  tsigAlgorithm,
  tsigSecret,
  typeList,
} from './shapes.ts';

const description = v.nullable(v.string());

/** An action of an answer. */
export const action = described(v.picklist(actions), 'What a grant can allow.');

export const role = shape({
  id: [int32, 2],
  name: [v.string(), 'dns-ops'],
  description: [description, 'records of the main zone'],
  builtin: [v.boolean(), false, 'True for admin, which has full access.'],
  reason_required: [
    v.boolean(),
    false,
    'Whether each write of its holders needs a reason; a dry run needs none.',
  ],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  grant_count: [count, 1],
  token_count: [count, 1],
  tsig_key_count: [count, 0],
});

export const roleGrant = shape({
  id: [int32, 1],
  role_name: [v.string(), 'dns-ops'],
  zone_name: [
    v.nullable(v.string()),
    'example.com',
    'Null for all zones, those created later included.',
  ],
  actions: [v.array(action), ['record:read', 'record:create']],
  record_name_pattern: [v.string(), '*.dyn'],
  record_types: [v.string(), 'A,AAAA'],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
});

const roleAnswer = v.object({ role });
const roleGrantAnswer = v.object({ role_grant: roleGrant });

const ofRoleQuery = v.strictObject({
  role_name: v.optional(textParameter),
  ...pageParameters,
});

/** Who saw what it deletes, in a list, says so. */
const deletionQuery = v.strictObject({
  id: described(
    v.optional(int32Parameter),
    'Refused as not found where another one has the name by now.',
  ),
});

const pageOfGrants = pageOf(roleGrant, roleGrant.example, 'A page of grants.');

const reasonRequired = described(
  optional(v.boolean('must be true or false')),
  'Whether each write of its holders needs the header Zonebook-Reason. UPDATE has no place for one: it is refused.',
);

export const roleRoutes = resource('roles', {
  listRoles: defineRoute('GET /roles', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List roles',
    description: 'Empty for callers without the action.',
    query: pageQuery,
    ...pageOf(role, role.example, 'A page of roles.'),
  }),

  createRole: defineRoute('POST /roles', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a role',
    body: v.strictObject({
      name: identifierText,
      description: optional(descriptionText),
      reason_required: reasonRequired,
    }),
    exampleBody: { name: 'dns-ops', description: 'records of the main zone' },
    ...answers(201, 'The new role, without grants.', roleAnswer, {
      role: { ...role.example, grant_count: 0, token_count: 0 },
    }),
    problems: ['ROLE_CONFLICT'],
  }),

  getRole: defineRoute('GET /roles/{name}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Get a role',
    ...answers(200, 'The role.', roleAnswer, { role: role.example }),
  }),

  updateRole: defineRoute('PUT /roles/{name}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Change a role',
    description: 'What is left out stays. The built-in role admin can not be changed.',
    body: v.strictObject({
      description: optional(descriptionText),
      reason_required: reasonRequired,
    }),
    exampleBody: { reason_required: true },
    ...answers(200, 'The role as it is now.', roleAnswer, {
      role: { ...role.example, reason_required: true },
    }),
  }),

  deleteRole: defineRoute('DELETE /roles/{name}', {
    admission: { by: 'role', action: 'access:manage' },
    summary: 'Delete a role and its grants',
    description: 'Refused for admin and while a token or TSIG key authenticates into the role.',
    query: deletionQuery,
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
      zone_id: described(
        optional(integer(1, limits.id)),
        'Beside the name: refused as not found where another zone has the name by now.',
      ),
      record_name_pattern: optional(namePattern),
      record_types: optional(typeList),
    }),
    exampleBody: {
      zone_name: 'example.com',
      actions: ['record:read', 'record:create'],
      record_name_pattern: '*.dyn',
      record_types: 'A,AAAA',
    },
    ...answers(201, 'The new grant.', roleGrantAnswer, { role_grant: roleGrant.example }),
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

export const token = shape({
  id: [int32, 1],
  name: [v.string(), 'ci'],
  description: [v.nullable(v.string()), null],
  role_name: [v.string(), 'dns-ops'],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  expires_at: [v.nullable(time), '2027-01-31T12:00:00.000Z', 'Null when it never expires.'],
  last_used_at: [v.nullable(time), '2026-01-31T12:05:00.000Z', 'Stamped at most once a minute.'],
  last_used_from: [
    v.nullable(v.string()),
    '192.0.2.10',
    'The address of that use. Another one is stamped at once, that at most once a minute too.',
  ],
});

const tokenAnswer = v.object({ token });

export const tokenCreation = v.object({
  secret: described(v.string(), 'Returned this once; it can not be read again.'),
  token,
});

const held = {
  actions: described(v.array(action), 'Actions held, narrowed or not.'),
  whole_zone: described(v.array(action), 'Record actions held with no limit of names or types.'),
};

export const permissions = v.object({
  reason_required: described(v.boolean(), 'Whether each write of this caller needs a reason.'),
  all_zones: v.object(held),
  zones: described(
    v.array(v.object({ zone_name: v.string(), ...held })),
    'Zones in which more is held than in all.',
  ),
});

/** Of a list of what authenticates into roles, all of it or that of one role. */
const listedByRole = {
  action: 'access:manage',
  admission: { by: 'token' },
  description: 'Empty for callers without the action.',
  query: ofRoleQuery,
  problems: ['ROLE_NOT_FOUND'],
} as const;

const own = {
  action: 'none; a token may always read itself',
  admission: { by: 'token' },
} as const;

export const tokenRoutes = resource('tokens', {
  listTokens: defineRoute('GET /tokens', {
    ...listedByRole,
    summary: 'List tokens',
    ...pageOf(token, token.example, 'A page of tokens.'),
  }),

  createToken: defineRoute('POST /tokens', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a token',
    description: 'The secret is returned in this answer only.',
    body: v.strictObject({
      name: identifierText,
      role_name: described(text, 'Role it authenticates into.'),
      description: optional(descriptionText),
      expires_in_days: described(
        optional(integer(1, 36_500, 'int64')),
        'It never expires when left out.',
      ),
    }),
    exampleBody: { name: 'ci', role_name: 'dns-ops', expires_in_days: 365 },
    ...answers(201, 'The secret and the token.', tokenCreation, {
      secret: 'zb_0123456789abcdefghijABCDEFGHIJ0123456789',
      token: { ...token.example, last_used_at: null, last_used_from: null },
    }),
    problems: ['ROLE_NOT_FOUND', 'TOKEN_CONFLICT'],
  }),

  getOwnToken: defineRoute('GET /tokens/self', {
    ...own,
    summary: 'Get the token of this call',
    description: 'UNAUTHORIZED when the call is made without a token.',
    ...answers(200, 'The token.', tokenAnswer, { token: token.example }),
  }),

  listOwnGrants: defineRoute('GET /tokens/self/grants', {
    ...own,
    summary: 'List the grants of the token of this call',
    description: 'UNAUTHORIZED when the call is made without a token.',
    query: pageQuery,
    ...pageOfGrants,
  }),

  deleteToken: defineRoute('DELETE /tokens/{name}', {
    admission: { by: 'api-token', action: 'access:manage' },
    summary: 'Delete a token',
    query: deletionQuery,
    ...answers(200, 'It is refused from now on.', message, { message: "token 'ci' deleted" }),
  }),
});

export const permissionRoutes = resource('tokens', {
  getPermissions: defineRoute('GET /permissions', {
    admission: { by: 'token' },
    summary: 'Get what this call may do',
    description: 'A zone in which exactly as much is held as in all zones is left out.',
    action: 'none',
    ...answers(200, 'Actions in all zones and by zone.', permissions, {
      reason_required: false,
      all_zones: { actions: ['zone:read'], whole_zone: [] },
      zones: [
        {
          zone_name: 'example.com',
          actions: ['zone:read', 'record:read', 'record:create'],
          whole_zone: ['record:read'],
        },
      ],
    }),
  }),
});

export const tsigKey = shape({
  id: [int32, 1],
  name: [v.string(), 'ddns.example.com'],
  algorithm: [v.string(), 'hmac-sha256'],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  role_name: [v.string(), 'dns-ops'],
});

export const tsigKeyAnswer = v.object({
  secret: described(v.string(), 'Base64.'),
  tsig_key: tsigKey,
});

const exampleSecret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const tsigKeyRoutes = resource('tsig-keys', {
  listTsigKeys: defineRoute('GET /tsig-keys', {
    ...listedByRole,
    summary: 'List TSIG keys, without their secrets',
    ...pageOf(tsigKey, tsigKey.example, 'A page of TSIG keys.'),
  }),

  createTsigKey: defineRoute('POST /tsig-keys', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create or import a TSIG key',
    body: v.strictObject({
      name: domainName,
      role_name: described(
        text,
        'Role whose grants decide; a key for NOTIFY alone may name one without grants.',
      ),
      algorithm: optional(tsigAlgorithm),
      secret: optional(tsigSecret),
    }),
    exampleBody: { name: 'ddns.example.com', role_name: 'dns-ops' },
    ...answers(201, 'The secret and the key.', tsigKeyAnswer, {
      secret: exampleSecret,
      tsig_key: tsigKey.example,
    }),
    problems: ['ROLE_NOT_FOUND', 'TSIG_KEY_CONFLICT'],
  }),

  getTsigKey: defineRoute('GET /tsig-keys/{name}', {
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Get a TSIG key with its secret',
    ...answers(200, 'The secret and the key.', tsigKeyAnswer, {
      secret: exampleSecret,
      tsig_key: tsigKey.example,
    }),
  }),

  deleteTsigKey: defineRoute('DELETE /tsig-keys/{name}', {
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Delete a TSIG key',
    description: 'Refused while it signs the NOTIFY to a secondary.',
    query: deletionQuery,
    ...answers(200, 'It is deleted.', message, { message: "TSIG key 'ddns.example.com' deleted" }),
    problems: ['TSIG_KEY_IN_USE'],
  }),
});
