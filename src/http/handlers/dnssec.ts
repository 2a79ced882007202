/** Handlers of how a zone is signed (interface 4.7): what may be asked of whom; the deeds are elsewhere. */
import { dnssecRoutes } from '../../contract/dnssec.ts';
import type { Action } from '../../domain/access/action.ts';
import type { Zone } from '../../domain/zone.ts';
import { json } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { presentDnssec } from '../present/dnssec.ts';

type OfZone = CheckedRequest<'name', unknown, unknown>;

/** The zone of a request whose caller holds the action there. */
function zoneOf({ params, view }: OfZone, action: Action): Zone {
  return view.zones.with(action, params.name);
}

/** The zone of a write; one that has moved is refused before keys are made and parents are asked. */
function managedZoneOf(request: OfZone): Zone {
  const zone = zoneOf(request, 'dnssec:manage');
  request.requireMatch(zone);
  return zone;
}

const status = endpoint(dnssecRoutes.getDnssec, async (request, services) => {
  const zone = zoneOf(request, 'dnssec:read');
  return json(200, presentDnssec(await services.dnssec.status(zone)));
});

const enable = endpoint(dnssecRoutes.enableDnssec, async (request, services) => {
  const zone = managedZoneOf(request);
  const { parent_ns_addrs: parentNsAddrs, policy_name } = request.body;
  const wanted = { parentNsAddrs, policyName: policy_name ?? undefined };
  const options = request.submitOptions(false);
  return json(201, presentDnssec(await services.dnssec.enable(zone, wanted, options)));
});

const configure = endpoint(dnssecRoutes.configureDnssec, async (request, services) => {
  const zone = managedZoneOf(request);
  const parentNsAddrs = request.body.parent_ns_addrs ?? undefined;
  const policyName = request.body.policy_name ?? undefined;
  const wanted = { parentNsAddrs, policyName };
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.configure(zone, wanted, options)));
});

const disable = endpoint(dnssecRoutes.disableDnssec, async (request, services) => {
  const zone = managedZoneOf(request);
  const how = { skipDsCheck: eitherOf(request, 'skip_ds_check') };
  const message = await services.dnssec.disable(zone, how, request.submitOptions(false));
  return json(200, { message });
});

const checkDs = endpoint(dnssecRoutes.checkDs, async (request, services) => {
  const zone = zoneOf(request, 'dnssec:read');
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.checkDs(zone, options)));
});

const roll = endpoint(dnssecRoutes.rollKey, async (request, services) => {
  const zone = managedZoneOf(request);
  const wanted = { role: request.body.role ?? null };
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.roll(zone, wanted, options)));
});

const [promote, dsSeen] = [dnssecRoutes.promoteKey, dnssecRoutes.noteDsSeen].map((route) =>
  endpoint(route, async (request, services) => {
    const zone = managedZoneOf(request);
    const how = {
      skipDsCheck: eitherOf(request, 'skip_ds_check'),
      skipHolddown: eitherOf(request, 'skip_holddown'),
      skipSecondaries: eitherOf(request, 'skip_secondaries'),
    };
    const options = request.submitOptions(false);
    return json(200, presentDnssec(await services.dnssec.promote(zone, how, options)));
  }),
) as [Endpoint, Endpoint];

const abort = endpoint(dnssecRoutes.abortRoll, async (request, services) => {
  const zone = managedZoneOf(request);
  const how = {
    role: request.body.role ?? null,
    skipDsCheck: eitherOf(request, 'skip_ds_check'),
  };
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.abort(zone, how, options)));
});

const sign = endpoint(dnssecRoutes.signZone, async (request, services) => {
  const zone = managedZoneOf(request);
  const message = await services.dnssec.sign(zone, request.submitOptions(false));
  return json(200, { message });
});

const withdraw = endpoint(dnssecRoutes.withdrawDs, async (request, services) => {
  const zone = managedZoneOf(request);
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.withdraw(zone, options)));
});

const cancelWithdraw = endpoint(dnssecRoutes.cancelWithdrawal, async (request, services) => {
  const zone = managedZoneOf(request);
  const options = request.submitOptions(false);
  return json(200, presentDnssec(await services.dnssec.cancelWithdraw(zone, options)));
});

/** A switch that stands in the query or in the body, as the caller likes. */
function eitherOf<Name extends string>(
  {
    query,
    body,
  }: {
    readonly query: Readonly<Partial<Record<Name, boolean | undefined>>>;
    readonly body: Readonly<Partial<Record<Name, boolean | null | undefined>>>;
  },
  name: Name,
): boolean {
  return body[name] ?? query[name] ?? false;
}

export const dnssecEndpoints: readonly Endpoint[] = [
  status,
  enable,
  configure,
  disable,
  checkDs,
  roll,
  promote,
  dsSeen,
  abort,
  sign,
  withdraw,
  cancelWithdraw,
];
