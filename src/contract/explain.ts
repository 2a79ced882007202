/** Why a token or a TSIG key may do something, or what it lacks. */
import * as v from 'valibot';
import { actions } from '../base/action.ts';
import { action, roleGrant } from './access.ts';
import { described, shape, textParameter } from './fields.ts';
import { answers, defineRoute, resource } from './route.ts';

const grantFields = roleGrant.entries;

const explanation = shape({
  allowed: [v.boolean(), false, 'Whether a request would be let through to what it does.'],
  message: [
    v.string(),
    "refused: role 'dns-ops' has no grant of record:create on www.example.com. A",
  ],
  subject: [
    v.nullable(v.object({ kind: v.picklist(['token', 'tsig_key']), name: v.string() })),
    { kind: 'token', name: 'ci' },
    'Who is asked about; null for a call without a token.',
  ],
  role_name: [v.nullable(v.string()), 'dns-ops'],
  sees_zone: [
    v.nullable(v.boolean()),
    true,
    'Whether any grant reaches the zone: if not, requests find that it does not exist. Null without a zone.',
  ],
  reason_required: [
    v.boolean(),
    false,
    'Whether a write needs a reason besides. An UPDATE has none.',
  ],
  grant: [
    v.nullable(roleGrant),
    null,
    'What allows it; null for full access, and when it is refused.',
  ],
  needed_grant: [
    v.nullable(
      v.object({
        zone_name: grantFields.zone_name,
        actions: v.array(action),
        record_name_pattern: v.string(),
        record_types: v.string(),
      }),
    ),
    {
      zone_name: 'example.com',
      actions: ['record:create'],
      record_name_pattern: 'www',
      record_types: 'A',
    },
    'What the role would have to be granted, at least; null where that is not what is missing.',
  ],
});

export const explainAnswer = v.object({ explanation });

export const explainRoutes = resource('tokens', {
  explainAccess: defineRoute('GET /access/explain', {
    admission: { by: 'token' },
    action: 'access:manage; none about the token of the call itself',
    summary: 'Explain why something is allowed or refused',
    description:
      'Judged by what requests are judged by. Without `token` and `tsig_key` it is about the caller itself.',
    query: v.strictObject({
      token: described(v.optional(textParameter), 'About this token.'),
      tsig_key: described(v.optional(textParameter), 'About this TSIG key.'),
      action: v.picklist(actions, `must be one of ${actions.join(', ')}`),
      zone: described(
        v.optional(textParameter),
        'In this zone; without it and `name` in all zones, those to come included.',
      ),
      name: described(
        v.optional(textParameter),
        'On records at this owner: relative to `zone`, else absolute. All of a zone when left out.',
      ),
      type: described(v.optional(textParameter), 'On records of this type; all when left out.'),
    }),
    alternatives: [{ names: ['token', 'tsig_key'], isNeeded: false }],
    ...answers(200, 'What decides it.', explainAnswer, { explanation: explanation.example }),
    problems: ['TOKEN_NOT_FOUND', 'TSIG_KEY_NOT_FOUND', 'ZONE_NOT_FOUND', 'INVALID_RECORD_NAME'],
  }),
});
