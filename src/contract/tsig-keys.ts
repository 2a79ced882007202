/** Operations on TSIG keys (interface 4.5). */
import { examplePagination, exampleTsigKey } from './examples.ts';
import { defineRoute } from './route.ts';
import { createTsigKeyBody, ofRoleQuery, tsigKeyAnswer, tsigKeyList } from './schemas/access.ts';
import { message } from './schemas/common.ts';

const tsigKeys = { tags: ['tsig-keys'], auth: 'token', action: 'access:manage' } as const;

const exampleSecret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const listTsigKeys = defineRoute({
  ...tsigKeys,
  id: 'listTsigKeys',
  admission: { by: 'token' },
  method: 'GET',
  path: '/tsig-keys',
  summary: 'List TSIG keys, without their secrets',
  description: 'Empty for callers without the action.',
  query: ofRoleQuery,
  success: { status: 200, description: 'A page of TSIG keys.', schema: tsigKeyList },
  problems: ['ROLE_NOT_FOUND'],
  examples: { response: { items: [exampleTsigKey], pagination: examplePagination } },
});

export const createTsigKey = defineRoute({
  ...tsigKeys,
  id: 'createTsigKey',
  admission: { by: 'everywhere', action: 'access:manage' },
  method: 'POST',
  path: '/tsig-keys',
  summary: 'Create or import a TSIG key',
  body: createTsigKeyBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The secret and the key.', schema: tsigKeyAnswer },
  problems: ['FORBIDDEN', 'ROLE_NOT_FOUND', 'TSIG_KEY_CONFLICT'],
  examples: {
    request: { name: 'ddns.example.com', role_name: 'dns-ops' },
    response: { secret: exampleSecret, tsig_key: exampleTsigKey },
  },
});

export const getTsigKey = defineRoute({
  ...tsigKeys,
  id: 'getTsigKey',
  admission: { by: 'tsig-key', action: 'access:manage' },
  method: 'GET',
  path: '/tsig-keys/{name}',
  summary: 'Get a TSIG key with its secret',
  success: { status: 200, description: 'The secret and the key.', schema: tsigKeyAnswer },
  problems: ['TSIG_KEY_NOT_FOUND'],
  examples: { response: { secret: exampleSecret, tsig_key: exampleTsigKey } },
});

export const deleteTsigKey = defineRoute({
  ...tsigKeys,
  id: 'deleteTsigKey',
  admission: { by: 'tsig-key', action: 'access:manage' },
  method: 'DELETE',
  path: '/tsig-keys/{name}',
  summary: 'Delete a TSIG key',
  description: 'Refused while it signs the NOTIFY to a secondary.',
  success: { status: 200, description: 'It is deleted.', schema: message },
  problems: ['TSIG_KEY_NOT_FOUND', 'TSIG_KEY_IN_USE'],
  examples: { response: { message: "TSIG key 'ddns.example.com' deleted" } },
});

export const tsigKeyRoutes = [listTsigKeys, createTsigKey, getTsigKey, deleteTsigKey] as const;
