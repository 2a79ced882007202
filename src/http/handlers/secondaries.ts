/** Handlers of secondaries (interface 4.4). */
import { secondaryRoutes } from '../../contract/secondaries.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentList } from '../present/list.ts';
import {
  presentCheck,
  presentSecondary,
  presentSummary,
  presentTransfer,
} from '../present/secondary.ts';

const list = endpoint(secondaryRoutes.listSecondaries, ({ query, view }) =>
  json(200, presentList(view.secondaries.list(query), query, presentSecondary)),
);

const create = endpoint(secondaryRoutes.createSecondary, async (request) => {
  const { name, address, notify_key_name } = request.body;
  const { secondary } = await request.submit(
    { kind: 'create-secondary', name, address, notifyKeyName: notify_key_name ?? undefined },
    false,
  );
  return json(201, { secondary: presentSecondary(secondary) });
});

const get = endpoint(secondaryRoutes.getSecondary, ({ params, view }) =>
  json(200, { secondary: presentSecondary(view.secondaries.get(params.name)) }),
);

const update = endpoint(secondaryRoutes.updateSecondary, async (request) => {
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

const remove = endpoint(secondaryRoutes.deleteSecondary, async (request) => {
  const { secondary } = await request.submit(
    { kind: 'delete-secondary', name: request.params.name },
    false,
  );
  return json(200, { message: `secondary '${secondary.name}' deleted` });
});

const check = endpoint(secondaryRoutes.checkSecondary, async ({ params, view }, { prober }) => {
  const secondary = view.secondaries.managed(params.name);
  return json(200, presentCheck(secondary, await prober.check(secondary)));
});

const transfers = endpoint(secondaryRoutes.listTransfers, async ({ params, query, view }) => {
  const { zone_name: zoneName, limit } = query;
  const { secondary, summary, entries } = await view.secondaries.transfers(
    params.name,
    zoneName,
    limit,
  );
  return json(200, {
    secondary_name: secondary.name,
    address: secondary.address,
    summary: presentSummary(summary),
    transfers: entries.map(presentTransfer),
  });
});

export const secondaryEndpoints: readonly Endpoint[] = [
  list,
  create,
  get,
  update,
  remove,
  check,
  transfers,
];
