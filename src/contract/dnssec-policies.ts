/** DNSSEC policies (interface 2.10 and 4.7). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  count,
  described,
  flag,
  int32,
  integer,
  message,
  optional,
  pageQuery,
  shape,
  time,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { denialMode, identifierText, signingAlgorithm } from './shapes.ts';

export const dnssecPolicy = shape({
  id: [int32, 2],
  name: [v.string(), 'split'],
  builtin: [v.boolean(), false],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  algorithm: [v.string(), 'ecdsap256sha256'],
  denial: [v.picklist(['nsec3', 'nsec']), 'nsec3'],
  split_keys: [v.boolean(), true, 'A KSK and a ZSK instead of one CSK.'],
  signature_validity_days: [count, 14],
  signature_refresh_days: [count, 5, '0 for a third of the validity.'],
  zsk_lifetime_days: [count, 90],
});

const policyAnswer = v.object({ dnssec_policy: dnssecPolicy });

const days = {
  signature_validity_days: described(
    optional(integer(1, limits.signatureValidityDays)),
    'How long a signature is valid; 14 when left out.',
  ),
  signature_refresh_days: described(
    optional(integer(0, limits.signatureValidityDays - 1)),
    'A signature is renewed when this number of days of it remains: below the validity, 5 when left out. 0 for a third of the validity.',
  ),
  zsk_lifetime_days: described(
    optional(integer(0, limits.zskLifetimeDays)),
    'After how many days a ZSK is rolled; 0, which is the default, for never.',
  ),
};

const fixed = 'is fixed when a policy is made; make another one';

export const policyRoutes = resource('dnssec-policies', {
  listPolicies: defineRoute('GET /dnssec-policies', {
    action: 'dnssec:read in all zones',
    admission: { by: 'token' },
    summary: 'List DNSSEC policies',
    query: pageQuery,
    ...pageOf(dnssecPolicy, dnssecPolicy.example, 'A page of policies.'),
    problems: ['FORBIDDEN'],
  }),

  createPolicy: defineRoute('POST /dnssec-policies', {
    admission: { by: 'everywhere', action: 'dnssec:manage' },
    summary: 'Create a DNSSEC policy',
    description: 'Algorithm, denial and key layout can not change later.',
    body: v.strictObject({
      name: identifierText,
      algorithm: optional(signingAlgorithm),
      denial: optional(denialMode),
      split_keys: described(
        optional(flag),
        'A KSK and a ZSK instead of one CSK; false when left out.',
      ),
      ...days,
    }),
    exampleBody: { name: 'split', split_keys: true, zsk_lifetime_days: 90 },
    ...answers(201, 'The new policy.', policyAnswer, { dnssec_policy: dnssecPolicy.example }),
    problems: ['DNSSEC_POLICY_CONFLICT'],
  }),

  getPolicy: defineRoute('GET /dnssec-policies/{name}', {
    admission: { by: 'policy', action: 'dnssec:read' },
    summary: 'Get a DNSSEC policy',
    ...answers(200, 'The policy.', policyAnswer, { dnssec_policy: dnssecPolicy.example }),
  }),

  updatePolicy: defineRoute('PUT /dnssec-policies/{name}', {
    admission: { by: 'policy', action: 'dnssec:manage' },
    summary: 'Update a DNSSEC policy',
    description:
      'Only given fields change. Zones under the policy take new values up at their next signing ' +
      'pass, or when the scheduler next looks at them.',
    body: v.strictObject(days),
    exampleBody: { signature_validity_days: 21 },
    retired: { algorithm: fixed, denial: fixed, split_keys: fixed, name: fixed },
    ...answers(200, 'The policy as it is now.', policyAnswer, {
      dnssec_policy: { ...dnssecPolicy.example, signature_validity_days: 21 },
    }),
  }),

  deletePolicy: defineRoute('DELETE /dnssec-policies/{name}', {
    admission: { by: 'policy', action: 'dnssec:manage' },
    summary: 'Delete a DNSSEC policy',
    description: 'Refused for the built-in policy, and while any zone is signed under it.',
    ...answers(200, 'It is deleted.', message, { message: "DNSSEC policy 'split' deleted" }),
    problems: ['DNSSEC_POLICY_IN_USE'],
  }),
});
