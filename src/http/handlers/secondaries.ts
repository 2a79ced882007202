/** Handlers of secondaries (interface 4.4). */
import * as contract from '../../contract/secondaries.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { findSecondary, seesSecondaries } from '../find.ts';
import { nothingListed, presentList } from '../present/list.ts';
import { presentSecondary } from '../present/secondary.ts';

const list = endpoint(contract.listSecondaries, ({ query, caller }, { secondaries }) => {
  const listed = seesSecondaries(caller.rights) ? secondaries.list(query) : nothingListed;
  return json(200, presentList(listed, query, presentSecondary));
});

const create = endpoint(contract.createSecondary, async (request) => {
  const { name, address, notify_key_name } = request.body;
  const { secondary } = await request.submit(
    { kind: 'create-secondary', name, address, notifyKeyName: notify_key_name ?? undefined },
    false,
  );
  return json(201, { secondary: presentSecondary(secondary) });
});

const get = endpoint(contract.getSecondary, ({ params, caller }, services) => {
  const secondary = findSecondary(services, caller.rights, params.name);
  return json(200, { secondary: presentSecondary(secondary) });
});

const update = endpoint(contract.updateSecondary, async (request) => {
  const { address, enabled, notify_key_name } = request.body;
  const { secondary } = await request.submit(
    {
      kind: 'update-secondary',
      name: request.params.name,
      address: address ?? undefined,
      enabled: enabled ?? undefined,
      notifyKeyName: notify_key_name ?? undefined,
    },
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
