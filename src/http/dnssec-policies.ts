/** DNSSEC policies (interface 2.10 and 4.7). */
import { dnssecPolicy, policyRoutes } from '../contract/dnssec-policies.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';

const presentPolicy = presenter(dnssecPolicy);

export const policyEndpoints = endpoints(policyRoutes, {
  listPolicies: (request) =>
    json(200, presentList(request.view.policies.list(request.page), request, presentPolicy)),

  async createPolicy(request) {
    const { policy } = await request.submit({ kind: 'create-policy', ...request.given });
    return json(201, { dnssec_policy: presentPolicy(policy) });
  },

  getPolicy: ({ params, view }) =>
    json(200, { dnssec_policy: presentPolicy(view.policies.get(params.name)) }),

  async updatePolicy(request) {
    const { name } = request.params;
    const { policy } = await request.submit({ kind: 'update-policy', name, ...request.given });
    return json(200, { dnssec_policy: presentPolicy(policy) });
  },

  async deletePolicy(request) {
    const { name } = request.params;
    const { policy } = await request.submit({ kind: 'delete-policy', name });
    return json(200, { message: `DNSSEC policy '${policy.name}' deleted` });
  },
});
