/** TSIG keys (interface 2.9 and 4.5). */
import * as v from 'valibot';
import { described, int32, message, optional, text, time } from './fields.ts';
import { ofRoleQuery } from './roles.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { domainName, tsigAlgorithm, tsigSecret } from './shapes.ts';

export const tsigKey = v.object({
  id: int32,
  name: v.string(),
  algorithm: v.string(),
  created_at: time,
  role_name: v.string(),
});

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

const exampleSecret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const tsigKeyRoutes = resource('tsig-keys', {
  listTsigKeys: defineRoute('GET /tsig-keys', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List TSIG keys, without their secrets',
    description: 'Empty for callers without the action.',
    query: ofRoleQuery,
    ...pageOf(tsigKey, exampleTsigKey, 'A page of TSIG keys.'),
    problems: ['ROLE_NOT_FOUND'],
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
      tsig_key: exampleTsigKey,
    }),
    problems: ['ROLE_NOT_FOUND', 'TSIG_KEY_CONFLICT'],
  }),

  getTsigKey: defineRoute('GET /tsig-keys/{name}', {
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Get a TSIG key with its secret',
    ...answers(200, 'The secret and the key.', tsigKeyAnswer, {
      secret: exampleSecret,
      tsig_key: exampleTsigKey,
    }),
  }),

  deleteTsigKey: defineRoute('DELETE /tsig-keys/{name}', {
    admission: { by: 'tsig-key', action: 'access:manage' },
    summary: 'Delete a TSIG key',
    description: 'Refused while it signs the NOTIFY to a secondary.',
    ...answers(200, 'It is deleted.', message, { message: "TSIG key 'ddns.example.com' deleted" }),
    problems: ['TSIG_KEY_IN_USE'],
  }),
});
