/** API tokens, and what the caller may do (interface 2.8 and 4.6). */
import * as v from 'valibot';
import {
  described,
  descriptionText,
  int32,
  integer,
  message,
  optional,
  pageQuery,
  text,
  time,
} from './fields.ts';
import { action, ofRoleQuery, pageOfGrants } from './roles.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { plainName } from './shapes.ts';

export const token = v.object({
  id: int32,
  name: v.string(),
  description: v.nullable(v.string()),
  role_name: v.string(),
  created_at: time,
  expires_at: described(v.nullable(time), 'Null when it never expires.'),
  last_used_at: described(v.nullable(time), 'Stamped at most once a minute.'),
});

const tokenAnswer = v.object({ token });

export const tokenCreation = v.object({
  secret: described(v.string(), 'Shown this once; it can not be read again.'),
  token,
});

const held = {
  actions: described(v.array(action), 'Actions held, narrowed or not.'),
  whole_zone: described(v.array(action), 'Record actions held with no limit of names or types.'),
};

export const permissions = v.object({
  all_zones: v.object(held),
  zones: described(
    v.array(v.object({ zone_name: v.string(), ...held })),
    'Zones in which more is held than in all.',
  ),
});

const roleName = described(text, 'Role it authenticates into.');

const exampleToken = {
  id: 1,
  name: 'ci',
  description: null,
  role_name: 'dns-ops',
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2027-01-31T12:00:00.000Z',
  last_used_at: '2026-01-31T12:05:00.000Z',
};

const own = {
  action: 'none; a token may always read itself',
  admission: { by: 'token' },
} as const;

export const tokenRoutes = resource('tokens', {
  listTokens: defineRoute('GET /tokens', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List tokens',
    description: 'Empty for callers without the action.',
    query: ofRoleQuery,
    ...pageOf(token, exampleToken, 'A page of tokens.'),
    problems: ['ROLE_NOT_FOUND'],
  }),

  createToken: defineRoute('POST /tokens', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a token',
    description: 'The secret is shown in this answer only.',
    body: v.strictObject({
      name: plainName,
      role_name: roleName,
      description: optional(descriptionText),
      expires_in_days: described(
        optional(integer(1, 36_500, 'int64')),
        'It never expires when left out.',
      ),
    }),
    exampleBody: { name: 'ci', role_name: 'dns-ops', expires_in_days: 365 },
    ...answers(201, 'The secret and the token.', tokenCreation, {
      secret: 'zb_0123456789abcdefghijABCDEFGHIJ0123456789',
      token: { ...exampleToken, last_used_at: null },
    }),
    problems: ['ROLE_NOT_FOUND', 'TOKEN_CONFLICT'],
  }),

  getOwnToken: defineRoute('GET /tokens/self', {
    ...own,
    summary: 'Get the token of this call',
    description: 'UNAUTHORIZED when the call is made without a token.',
    ...answers(200, 'The token.', tokenAnswer, { token: exampleToken }),
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
