/** Handlers of DNSSEC policies (interface 4.7). */
import { policyRoutes } from '../../contract/dnssec-policies.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentPolicy } from '../present/dnssec-policy.ts';
import { presentList } from '../present/list.ts';

const list = endpoint(policyRoutes.listPolicies, ({ query, view }) =>
  json(200, presentList(view.policies.list(query), query, presentPolicy)),
);

const create = endpoint(policyRoutes.createPolicy, async (request) => {
  const { name, algorithm, denial, split_keys } = request.body;
  const { signature_validity_days, signature_refresh_days, zsk_lifetime_days } = request.body;
  const { policy } = await request.submit(
    {
      kind: 'create-policy',
      name,
      algorithm: algorithm ?? undefined,
      denial: denial ?? undefined,
      splitKeys: split_keys ?? undefined,
      signatureValidityDays: signature_validity_days ?? undefined,
      signatureRefreshDays: signature_refresh_days ?? undefined,
      zskLifetimeDays: zsk_lifetime_days ?? undefined,
    },
    false,
  );
  return json(201, { dnssec_policy: presentPolicy(policy) });
});

const get = endpoint(policyRoutes.getPolicy, ({ params, view }) =>
  json(200, { dnssec_policy: presentPolicy(view.policies.get(params.name)) }),
);

const update = endpoint(policyRoutes.updatePolicy, async (request) => {
  const { signature_validity_days, signature_refresh_days, zsk_lifetime_days } = request.body;
  const { policy } = await request.submit(
    {
      kind: 'update-policy',
      name: request.params.name,
      signatureValidityDays: signature_validity_days ?? undefined,
      signatureRefreshDays: signature_refresh_days ?? undefined,
      zskLifetimeDays: zsk_lifetime_days ?? undefined,
    },
    false,
  );
  return json(200, { dnssec_policy: presentPolicy(policy) });
});

const remove = endpoint(policyRoutes.deletePolicy, async (request) => {
  const { name } = request.params;
  const { policy } = await request.submit({ kind: 'delete-policy', name }, false);
  return json(200, { message: `DNSSEC policy '${policy.name}' deleted` });
});

export const policyEndpoints: readonly Endpoint[] = [list, create, get, update, remove];
