/** Handlers of zones (interface 4.2). */
import { zoneRoutes } from '../../contract/zones.ts';
import { normaliseZoneName, type Zone } from '../../domain/zone.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { tagOfZone } from '../entity-tag.ts';
import { searchDeleted, zoneFilterOf } from '../filter/zone.ts';
import { presentList } from '../present/list.ts';
import { presentProbe } from '../present/secondary.ts';
import { presentDeletedZone, presentZone } from '../present/zone.ts';
import type { Probe } from '../services.ts';
import { notifyEndpoints } from './notify.ts';

const list = endpoint(zoneRoutes.listZones, ({ query, view }) => {
  if (query.deleted ?? false) {
    const deleted = view.zones.listDeleted(query, () => searchDeleted(query));
    return json(200, presentList(deleted, query, presentDeletedZone));
  }
  const sort = { key: query.sort, descending: query.order === 'desc' };
  const listed = view.zones.list(zoneFilterOf(query), sort, query);
  return json(200, presentList(listed, query, presentZone));
});

const create = endpoint(zoneRoutes.createZone, async (request) => {
  const { body } = request;
  const dryRun = body.dry_run ?? false;
  const { zone, warnings } = await request.submit(
    {
      kind: 'create-zone',
      name: body.name,
      mname: body.mname,
      rname: body.rname,
      apexNs: body.apex_ns ?? undefined,
      serial: body.serial ?? undefined,
      description: body.description ?? undefined,
      ...timersOf(body),
    },
    dryRun,
  );
  const answer = { applied: !dryRun, dry_run: dryRun, warnings, zone: presentZone(zone) };
  return json(dryRun ? 200 : 201, answer);
});

const get = endpoint(zoneRoutes.getZone, ({ params, view }) => {
  const zone = view.zones.get(params.name);
  return json(200, { zone: presentZone(zone) }, tagOfZone(zone));
});

const update = endpoint(zoneRoutes.updateZone, async (request) => {
  const { body } = request;
  const dryRun = body.dry_run ?? false;
  const { zone, warnings } = await request.submit(
    {
      kind: 'update-zone',
      zoneName: normaliseZoneName(request.params.name),
      name: body.name ?? undefined,
      mname: body.mname ?? undefined,
      rname: body.rname ?? undefined,
      serial: body.serial ?? undefined,
      description: body.description ?? undefined,
      enabled: body.enabled ?? undefined,
      ...timersOf(body),
    },
    dryRun,
  );
  return json(200, { applied: !dryRun, dry_run: dryRun, warnings, zone: presentZone(zone) });
});

type Given = number | null | undefined;

function timersOf(body: {
  default_ttl?: Given;
  minimum_ttl?: Given;
  refresh?: Given;
  retry?: Given;
  expire?: Given;
}) {
  return {
    defaultTtl: body.default_ttl ?? undefined,
    minimumTtl: body.minimum_ttl ?? undefined,
    refresh: body.refresh ?? undefined,
    retry: body.retry ?? undefined,
    expire: body.expire ?? undefined,
  };
}

const remove = endpoint(zoneRoutes.deleteZone, async (request) => {
  const dryRun = request.query.dry_run ?? false;
  const zoneName = normaliseZoneName(request.params.name);
  const outcome = await request.submit({ kind: 'delete-zone', zoneName }, dryRun);
  return json(200, {
    applied: !dryRun,
    dry_run: dryRun,
    records_deleted: outcome.recordsDeleted,
    versions_deleted: outcome.versionsDeleted,
    warnings: outcome.warnings,
    zone: presentZone(outcome.zone),
  });
});

const status = endpoint(zoneRoutes.getZoneStatus, async ({ params, view }, { prober }) => {
  const zone = view.zones.with('zone:read', params.name);
  const probes = await prober.status(zone);
  return json(200, {
    zone_name: zone.name,
    serial: zone.serial,
    secondaries: probes.map(presentProbe),
    warnings: probes.flatMap((probe) => aheadWarning(zone, probe)),
  });
});

function aheadWarning({ name, serial }: Zone, { address, aheadSerial }: Probe) {
  if (aheadSerial === undefined) return [];
  const message =
    `secondary ${address} serves serial ${aheadSerial} of zone '${name}', which is at ${serial}: the database ` +
    'may have been taken back. POST /zones/{name}/notify?bump_serial=true passes it for this zone, ' +
    "a start with 'zonebook serve --recover' for all";
  return [{ code: 'SECONDARY_AHEAD' as const, message }];
}

export const zoneEndpoints: readonly Endpoint[] = [
  list,
  create,
  get,
  update,
  remove,
  status,
  ...notifyEndpoints,
];
