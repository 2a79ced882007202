/** Handlers that send NOTIFY at once and wait for the secondaries (decisions 2 and 8). */
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { zoneRoutes } from '../../contract/zones.ts';
import { requireEverywhere } from '../../domain/access/require.ts';
import type { BumpSerial } from '../../domain/command.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import { type Answer, json } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import type { HandlerServices } from '../services.ts';

type AnyRequest = CheckedRequest<never, unknown, unknown>;

const one = endpoint(zoneRoutes.notifyZone, (request, services) =>
  notifyZone(request, services, request.params.name, request.query.bump_serial ?? false),
);

const all = endpoint(zoneRoutes.notifyAll, (request, services) =>
  notifyAll(request, services, request.query.bump_serial ?? false),
);

/** The earlier shape: `force` is what bump_serial is now. */
const oneOrAll = endpoint(zoneRoutes.notifyZones, (request, services) => {
  const bump = request.body.force ?? false;
  const name = request.body.zone_name ?? undefined;
  return name === undefined
    ? notifyAll(request, services, bump)
    : notifyZone(request, services, name, bump);
});

async function notifyZone(
  request: AnyRequest,
  services: HandlerServices,
  written: string,
  bump: boolean,
): Promise<Answer> {
  const { rights } = request.caller;
  let name = normaliseZoneName(written);
  const isCatalog = name === services.options.catalogZoneName;
  if (isCatalog && rights.visibleZones() === 'all') {
    requireEverywhere(rights, 'zone:update');
    // Consumers compare serials with members: a step without a change would mean nothing to them.
    if (bump) {
      throw new Problem(
        'INVALID_INPUT',
        `bump_serial: the serial of the catalog '${name}' moves with its members only`,
      );
    }
  } else {
    const zone = request.view.zones.with('zone:update', name);
    if (!zone.enabled) {
      throw new Problem('ZONE_CONFLICT', `zone '${zone.name}' is disabled; no NOTIFY is sent`);
    }
    name = zone.name;
  }
  if (bump) {
    const seen = await services.prober.seenSerials([name], bumpAskMs);
    await request.submit(bumpOf(name, seen), false);
  }
  await notifyNow(services, name);
  return json(200, { message: `NOTIFY sent for zone '${name}'` });
}

/** Milliseconds that secondaries are asked which serial is to be passed. */
const bumpAskMs = 4000;

/** Past the greatest serial that a secondary serves, when that is one we never had. */
function bumpOf(zoneName: string, seen: ReadonlyMap<string, number>): BumpSerial {
  const seenSerial = seen.get(zoneName);
  // One that is no serial of ours, like those above the greatest, can not be passed.
  const canPass = seenSerial !== undefined && seenSerial < limits.ordinarySerial;
  return { kind: 'bump-serial', zoneName, ...(canPass && { seenSerial }) };
}

/** Zones bumped together; they share a commit. */
const bumpsTogether = 256;

async function notifyAll(
  request: AnyRequest,
  services: HandlerServices,
  bump: boolean,
): Promise<Answer> {
  requireEverywhere(request.caller.rights, 'zone:update');
  if (bump) {
    const all = [...enabledZoneNames(request)];
    const seen = await services.prober.seenSerials(all.flat(), limits.epochSurveyMs);
    for (const names of all) {
      const bumps = names.map((zoneName) => request.submit(bumpOf(zoneName, seen), false));
      await Promise.all(bumps);
    }
  }
  await notifyNow(services, undefined);
  return json(200, { message: 'NOTIFY sent for all zones' });
}

/** Pages go by name, which no bump moves. */
function* enabledZoneNames({ view }: AnyRequest): Generator<string[]> {
  for (let offset = 0; ; offset += bumpsTogether) {
    const page = { limit: bumpsTogether, offset };
    const sort = { key: 'name', descending: false } as const;
    const { items } = view.zones.list({ enabled: true }, sort, page);
    if (items.length === 0) return;
    yield items.map((zone) => zone.name);
  }
}

async function notifyNow(
  { notifier }: HandlerServices,
  zoneName: string | undefined,
): Promise<void> {
  const failures = await notifier.notifyNow(zoneName);
  if (failures.length === 0) return;
  const what = failures.map(({ secondary, error }) => `'${secondary}' (${error})`).join(', ');
  throw new Problem('NOTIFY_FAILED', `NOTIFY failed for secondary ${what}`);
}

export const notifyEndpoints: readonly Endpoint[] = [one, all, oneOrAll];
