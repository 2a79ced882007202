/** DNSSEC policies (interface 2.10 and 4.7). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  count,
  described,
  flag,
  int32,
  integer,
  listOf,
  message,
  optional,
  pageOf,
  pageParameters,
  time,
} from './fields.ts';
import { defineRoute, resource } from './route.ts';
import { denialMode, plainName, signingAlgorithm } from './shapes.ts';

export const dnssecPolicy = v.object({
  id: int32,
  name: v.string(),
  builtin: v.boolean(),
  created_at: time,
  algorithm: v.string(),
  denial: v.picklist(['nsec3', 'nsec']),
  split_keys: described(v.boolean(), 'A KSK and a ZSK instead of one CSK.'),
  signature_validity_days: count,
  signature_refresh_days: described(count, '0 for a third of the validity.'),
  zsk_lifetime_days: count,
});

const policyList = listOf(dnssecPolicy);
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

const examplePolicy = {
  id: 2,
  name: 'split',
  builtin: false,
  created_at: '2026-01-31T12:00:00.000Z',
  algorithm: 'ecdsap256sha256',
  denial: 'nsec3',
  split_keys: true,
  signature_validity_days: 14,
  signature_refresh_days: 5,
  zsk_lifetime_days: 90,
};

const policies = { tags: ['dnssec-policies'], auth: 'token' } as const;
const read = { ...policies, action: 'dnssec:read in all zones' } as const;
const manage = { ...policies, action: 'dnssec:manage in all zones' } as const;
const fixed = 'is fixed when a policy is made; make another one';

export const policyRoutes = resource({
  listPolicies: defineRoute('GET /dnssec-policies', {
    ...read,
    admission: { by: 'token' },
    summary: 'List DNSSEC policies',
    query: v.strictObject({ ...pageParameters }),
    ...pageOf(policyList, examplePolicy, 'A page of policies.'),
    problems: ['FORBIDDEN'],
  }),

  createPolicy: defineRoute('POST /dnssec-policies', {
    ...manage,
    admission: { by: 'everywhere', action: 'dnssec:manage' },
    summary: 'Create a DNSSEC policy',
    description: 'Algorithm, denial and key layout can not change later.',
    body: v.strictObject({
      name: plainName,
      algorithm: optional(signingAlgorithm),
      denial: optional(denialMode),
      split_keys: described(
        optional(flag),
        'A KSK and a ZSK instead of one CSK; false when left out.',
      ),
      ...days,
    }),
    success: { status: 201, description: 'The new policy.', schema: policyAnswer },
    problems: ['FORBIDDEN', 'DNSSEC_POLICY_CONFLICT'],
    examples: {
      request: { name: 'split', split_keys: true, zsk_lifetime_days: 90 },
      response: { dnssec_policy: examplePolicy },
    },
  }),

  getPolicy: defineRoute('GET /dnssec-policies/{name}', {
    ...read,
    admission: { by: 'policy', action: 'dnssec:read' },
    summary: 'Get a DNSSEC policy',
    success: { status: 200, description: 'The policy.', schema: policyAnswer },
    problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND'],
    examples: { response: { dnssec_policy: examplePolicy } },
  }),

  updatePolicy: defineRoute('PUT /dnssec-policies/{name}', {
    ...manage,
    admission: { by: 'policy', action: 'dnssec:manage' },
    summary: 'Update a DNSSEC policy',
    description:
      'Only given fields change. Zones under the policy take new values up at their next signing ' +
      'pass, or when the scheduler next looks at them.',
    body: v.strictObject(days),
    retired: { algorithm: fixed, denial: fixed, split_keys: fixed, name: fixed },
    success: { status: 200, description: 'The policy as it is now.', schema: policyAnswer },
    problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND'],
    examples: {
      request: { signature_validity_days: 21 },
      response: { dnssec_policy: { ...examplePolicy, signature_validity_days: 21 } },
    },
  }),

  deletePolicy: defineRoute('DELETE /dnssec-policies/{name}', {
    ...manage,
    admission: { by: 'policy', action: 'dnssec:manage' },
    summary: 'Delete a DNSSEC policy',
    description: 'Refused for the built-in policy, and while any zone is signed under it.',
    success: { status: 200, description: 'It is deleted.', schema: message },
    problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND', 'DNSSEC_POLICY_IN_USE'],
    examples: { response: { message: "DNSSEC policy 'split' deleted" } },
  }),
});
