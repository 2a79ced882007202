/** Handlers of secondaries (interface 4.4). */
import { Problem } from '../../base/problem.ts';
import * as contract from '../../contract/secondaries.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { findSecondary } from '../find.ts';
import { presentList } from '../present/list.ts';
import { presentSecondary } from '../present/secondary.ts';

const list = endpoint(contract.listSecondaries, ({ query }, { secondaries }) =>
  json(200, presentList(secondaries.list(query), query, presentSecondary)),
);

const create = endpoint(contract.createSecondary, async (request) => {
  const { name, address, notify_key_name } = request.body;
  const { secondary } = await request.submit(
    { kind: 'create-secondary', name, address, notifyKeyName: notify_key_name ?? undefined },
    false,
  );
  return json(201, { secondary: presentSecondary(secondary) });
});

const get = endpoint(contract.getSecondary, ({ params }, services) =>
  json(200, { secondary: presentSecondary(findSecondary(services, params.name)) }),
);

const update = endpoint(contract.updateSecondary, async (request, services) => {
  const { name } = findSecondary(services, request.params.name);
  const address = request.body.address ?? undefined;
  const enabled = request.body.enabled ?? undefined;
  const notifyKeyName = request.body.notify_key_name ?? undefined;
  if (address === undefined && enabled === undefined && notifyKeyName === undefined) {
    throw new Problem('INVALID_INPUT', `nothing to change in secondary '${name}'`);
  }
  const { secondary } = await request.submit(
    { kind: 'update-secondary', name, address, enabled, notifyKeyName },
    false,
  );
  return json(200, { secondary: presentSecondary(secondary) });
});

const remove = endpoint(contract.deleteSecondary, async (request) => {
  const { secondary } = await request.submit(
    { kind: 'delete-secondary', name: request.params.name },
    false,
  );
  return json(200, { message: `secondary '${secondary.name}' deleted` });
});

export const secondaryEndpoints: readonly Endpoint[] = [list, create, get, update, remove];
