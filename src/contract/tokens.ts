/** Operations on API tokens (interface 4.6). */
import { examplePagination, exampleRoleGrant, exampleToken } from './examples.ts';
import { defineRoute } from './route.ts';
import {
  createTokenBody,
  ofRoleQuery,
  pageQuery,
  roleGrantList,
  tokenAnswer,
  tokenCreation,
  tokenList,
} from './schemas/access.ts';
import { message } from './schemas/common.ts';

const tokens = { tags: ['tokens'], auth: 'token' } as const;
const manage = { ...tokens, action: 'access:manage' } as const;
const own = { ...tokens, action: 'none; a token may always read itself', problems: [] } as const;

export const listTokens = defineRoute({
  ...manage,
  id: 'listTokens',
  admission: { by: 'token' },
  method: 'GET',
  path: '/tokens',
  summary: 'List tokens',
  description: 'Empty for callers without the action.',
  query: ofRoleQuery,
  success: { status: 200, description: 'A page of tokens.', schema: tokenList },
  problems: ['ROLE_NOT_FOUND'],
  examples: { response: { items: [exampleToken], pagination: examplePagination } },
});

export const createToken = defineRoute({
  ...manage,
  id: 'createToken',
  admission: { by: 'everywhere', action: 'access:manage' },
  method: 'POST',
  path: '/tokens',
  summary: 'Create a token',
  description: 'The secret is shown in this answer only.',
  body: createTokenBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The secret and the token.', schema: tokenCreation },
  problems: ['FORBIDDEN', 'ROLE_NOT_FOUND', 'TOKEN_CONFLICT'],
  examples: {
    request: { name: 'ci', role_name: 'dns-ops', expires_in_days: 365 },
    response: {
      secret: 'zb_0123456789abcdefghijABCDEFGHIJ0123456789',
      token: { ...exampleToken, last_used_at: null },
    },
  },
});

export const getOwnToken = defineRoute({
  ...own,
  id: 'getOwnToken',
  admission: { by: 'token' },
  method: 'GET',
  path: '/tokens/self',
  summary: 'Get the token of this call',
  description: 'UNAUTHORIZED when the call is made without a token.',
  success: { status: 200, description: 'The token.', schema: tokenAnswer },
  examples: { response: { token: exampleToken } },
});

export const listOwnGrants = defineRoute({
  ...own,
  id: 'listOwnGrants',
  admission: { by: 'token' },
  method: 'GET',
  path: '/tokens/self/grants',
  summary: 'List the grants of the token of this call',
  description: 'UNAUTHORIZED when the call is made without a token.',
  query: pageQuery,
  success: { status: 200, description: 'A page of grants.', schema: roleGrantList },
  examples: { response: { items: [exampleRoleGrant], pagination: examplePagination } },
});

export const deleteToken = defineRoute({
  ...manage,
  id: 'deleteToken',
  admission: { by: 'api-token', action: 'access:manage' },
  method: 'DELETE',
  path: '/tokens/{name}',
  summary: 'Delete a token',
  success: { status: 200, description: 'It is refused from now on.', schema: message },
  problems: ['TOKEN_NOT_FOUND'],
  examples: { response: { message: "token 'ci' deleted" } },
});

export const tokenRoutes = [
  listTokens,
  createToken,
  getOwnToken,
  listOwnGrants,
  deleteToken,
] as const;
