/** Handlers of secondaries (interface 4.4). */
import * as contract from '../../contract/secondaries.ts';
import { requireEverywhere } from '../../domain/access/require.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { findSecondary, findZone, seesSecondaries } from '../find.ts';
import { nothingListed, presentList } from '../present/list.ts';
import {
  presentCheck,
  presentSecondary,
  presentSummary,
  presentTransfer,
} from '../present/secondary.ts';

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

const check = endpoint(contract.checkSecondary, async ({ params, caller }, services) => {
  const secondary = findSecondary(services, caller.rights, params.name);
  requireEverywhere(caller.rights, 'secondary:manage');
  return json(200, presentCheck(secondary, await services.prober.check(secondary)));
});

const transfers = endpoint(contract.listTransfers, async ({ params, query, caller }, services) => {
  const secondary = findSecondary(services, caller.rights, params.name);
  let zoneName: string | undefined;
  if (query.zone_name !== undefined && query.zone_name !== '') {
    const wanted = normaliseZoneName(query.zone_name);
    const isCatalog = wanted === services.options.catalogZoneName;
    zoneName = isCatalog ? wanted : findZone(services, caller.rights, wanted).name;
  }
  const addresses = await services.prober.addressesOf(secondary);
  const filter = { addresses, zoneName };
  return json(200, {
    secondary_name: secondary.name,
    address: secondary.address,
    summary: presentSummary(await services.transfers.summary(filter)),
    transfers: services.transfers.list(filter, query.limit).map(presentTransfer),
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
