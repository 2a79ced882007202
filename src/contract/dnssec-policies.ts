/** Operations on DNSSEC policies (interface 4.7). */
import { examplePagination, examplePolicy } from './examples.ts';
import { defineRoute } from './route.ts';
import { message } from './schemas/common.ts';
import {
  createPolicyBody,
  listPoliciesQuery,
  policyAnswer,
  policyList,
  updatePolicyBody,
} from './schemas/dnssec-policy.ts';

const policies = { tags: ['dnssec-policies'], auth: 'token' } as const;
const read = { ...policies, action: 'dnssec:read in all zones' } as const;
const manage = { ...policies, action: 'dnssec:manage in all zones' } as const;

export const listPolicies = defineRoute({
  ...read,
  id: 'listPolicies',
  admission: { by: 'token' },
  method: 'GET',
  path: '/dnssec-policies',
  summary: 'List DNSSEC policies',
  query: listPoliciesQuery,
  success: { status: 200, description: 'A page of policies.', schema: policyList },
  problems: ['FORBIDDEN'],
  examples: { response: { items: [examplePolicy], pagination: examplePagination } },
});

export const createPolicy = defineRoute({
  ...manage,
  id: 'createPolicy',
  admission: { by: 'everywhere', action: 'dnssec:manage' },
  method: 'POST',
  path: '/dnssec-policies',
  summary: 'Create a DNSSEC policy',
  description: 'Algorithm, denial and key layout can not change later.',
  body: createPolicyBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new policy.', schema: policyAnswer },
  problems: ['FORBIDDEN', 'DNSSEC_POLICY_CONFLICT'],
  examples: {
    request: { name: 'split', split_keys: true, zsk_lifetime_days: 90 },
    response: { dnssec_policy: examplePolicy },
  },
});

export const getPolicy = defineRoute({
  ...read,
  id: 'getPolicy',
  admission: { by: 'policy', action: 'dnssec:read' },
  method: 'GET',
  path: '/dnssec-policies/{name}',
  summary: 'Get a DNSSEC policy',
  success: { status: 200, description: 'The policy.', schema: policyAnswer },
  problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND'],
  examples: { response: { dnssec_policy: examplePolicy } },
});

const fixed = 'is fixed when a policy is made; make another one';

export const updatePolicy = defineRoute({
  ...manage,
  id: 'updatePolicy',
  admission: { by: 'policy', action: 'dnssec:manage' },
  method: 'PUT',
  path: '/dnssec-policies/{name}',
  summary: 'Update a DNSSEC policy',
  description:
    'Only given fields change. Zones under the policy take new values up at their next signing ' +
    'pass, or when the scheduler next looks at them.',
  body: updatePolicyBody,
  bodyLimit: 'ordinary',
  retired: { algorithm: fixed, denial: fixed, split_keys: fixed, name: fixed },
  success: { status: 200, description: 'The policy as it is now.', schema: policyAnswer },
  problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND'],
  examples: {
    request: { signature_validity_days: 21 },
    response: { dnssec_policy: { ...examplePolicy, signature_validity_days: 21 } },
  },
});

export const deletePolicy = defineRoute({
  ...manage,
  id: 'deletePolicy',
  admission: { by: 'policy', action: 'dnssec:manage' },
  method: 'DELETE',
  path: '/dnssec-policies/{name}',
  summary: 'Delete a DNSSEC policy',
  description: 'Refused for the built-in policy, and while any zone is signed under it.',
  success: { status: 200, description: 'It is gone.', schema: message },
  problems: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND', 'DNSSEC_POLICY_IN_USE'],
  examples: { response: { message: "DNSSEC policy 'split' deleted" } },
});

export const policyRoutes = [
  listPolicies,
  createPolicy,
  getPolicy,
  updatePolicy,
  deletePolicy,
] as const;
