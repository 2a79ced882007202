/** TSIG keys (interface 2.9 and 4.5). */
import * as v from 'valibot';
import { described, int32, listOf, message, optional, pageOf, text, time } from './fields.ts';
import { ofRoleQuery } from './roles.ts';
import { defineRoute, resource } from './route.ts';
import { domainName, tsigAlgorithm, tsigSecret } from './shapes.ts';

export const tsigKey = v.object({
  id: int32,
  name: v.string(),
  algorithm: v.string(),
  created_at: time,
  role_name: v.string(),
});

const tsigKeyList = listOf(tsigKey);

export const tsigKeyAnswer = v.object({
  secret: described(v.string(), 'Base64.'),
  tsig_key: tsigKey,
});

const exampleTsigKey = {
  id: 1,
  name: 'ddns.example.com',
  algorithm: 'hmac-sha256',
  created_at: '2026-01-31T12:00:00.000Z',
  role_name: 'dns-ops',
};

const tsigKeys = { tags: ['tsig-keys'], auth: 'token', action: 'access:manage' } as const;
const exampleSecret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const tsigKeyRoutes = resource({
  listTsigKeys: defineRoute('GET /tsig-keys', {
    ...tsigKeys,
    admission: { by: 'token' },
    summary: 'List TSIG keys, without their secrets',
    description: 'Empty for callers without the action.',
    query: ofRoleQuery,
    ...pageOf(tsigKeyList, exampleTsigKey, 'A page of TSIG keys.'),
    problems: ['ROLE_NOT_FOUND'],
  }),

  createTsigKey: defineRoute('POST /tsig-keys', {
    ...tsigKeys,
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
    success: { status: 201, description: 'The secret and the key.', schema: tsigKeyAnswer },
    problems: ['FORBIDDEN', 'ROLE_NOT_FOUND', 'TSIG_KEY_CONFLICT'],
    examples: {
      request: { name: 'ddns.example.com', role_name: 'dns-ops' },
      response: { secret: exampleSecret, tsig_key: exampleTsigKey },
    },
  }),

  getTsigKey: defineRoute('GET /tsig-keys/{name}', {
    ...tsigKeys,
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Get a TSIG key with its secret',
    success: { status: 200, description: 'The secret and the key.', schema: tsigKeyAnswer },
    problems: ['TSIG_KEY_NOT_FOUND'],
    examples: { response: { secret: exampleSecret, tsig_key: exampleTsigKey } },
  }),

  deleteTsigKey: defineRoute('DELETE /tsig-keys/{name}', {
    ...tsigKeys,
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Delete a TSIG key',
    description: 'Refused while it signs the NOTIFY to a secondary.',
    success: { status: 200, description: 'It is deleted.', schema: message },
    problems: ['TSIG_KEY_NOT_FOUND', 'TSIG_KEY_IN_USE'],
    examples: { response: { message: "TSIG key 'ddns.example.com' deleted" } },
  }),
});
