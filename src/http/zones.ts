/** Zones (interface 2.2 and 4.2), and NOTIFY for them at once, which waits for the secondaries (decisions 2 and 8). */
import type { Probe } from '../background/prober.ts';
import { logIgnored } from '../background/serial-survey.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { deletedZone, zone as zoneSchema, zoneRoutes } from '../contract/zones.ts';
import { requireEverywhere } from '../domain/access/require.ts';
import { seesAccess } from '../domain/access/visibility.ts';
import type { ZoneOutcome } from '../domain/command.ts';
import type { Rights } from '../domain/access/rights.ts';
import { visibleGuard } from '../domain/guard-setting.ts';
import { parseNameIn } from '../domain/record.ts';
import type { IgnoredSerial } from '../domain/seen-serials.ts';
import { type DeletedZone, normaliseZoneName, type Zone } from '../domain/zone.ts';
import type { Deletion } from '../query/zone-events.ts';
import type { Position } from '../projection/page.ts';
import type { ZoneFilter } from '../query/zone-queries.ts';
import { type Answer, json } from './answer.ts';
import { type CheckedRequest, endpoints, type RequestOf } from './endpoint.ts';
import { tagOfZone } from './entity-tag.ts';
import { givenOf, presenter, presentList } from './fields.ts';
import { getPropagation } from './propagation.ts';
import { momentOf } from './request-source.ts';
import { presentProbe } from './secondaries.ts';
import { whatRestoringDoes } from './restoring.ts';
import type { HandlerServices } from './services.ts';

const zoneFields = presenter(zoneSchema);
const deletedZoneFields = presenter(deletedZone);

export const presentZone = (zone: Zone, rights: Rights) =>
  zoneFields({ ...zone, guard: visibleGuard(zone, rights) });
const presentDeletedZone = (
  zone: DeletedZone & Deletion & { readonly purgeAt: number | null },
  rights: Rights,
) =>
  deletedZoneFields({
    ...zone,
    records: zone.recordCount,
    guard: visibleGuard(zone, rights),
    rolesLost: seesAccess(rights) ? zone.rolesLost : null,
    restoring: whatRestoringDoes(zone, seesAccess(rights)),
  });

type ListQuery = RequestOf<(typeof zoneRoutes)['listZones']>['query'];
type AnyRequest = CheckedRequest<never, unknown, unknown>;

export const zoneEndpoints = endpoints(zoneRoutes, {
  async listZones(request, { jobs: { retention }, prober, zonesBySigning }) {
    const { query, view, page, caller } = request;
    const { rights } = caller;
    if (query.deleted ?? false) {
      const deleted = await view.zones.listDeleted(page, () => searchDeleted(query));
      const present = (zone: DeletedZone & Deletion) =>
        presentDeletedZone({ ...zone, purgeAt: retention.purgeTimeOf(zone.deletedAt) }, rights);
      return json(200, presentList(deleted, request, present));
    }
    const sort = { key: query.sort, descending: query.order === 'desc' };
    const { lagging, changed_by: changedBy, signing } = query;
    if ((lagging ?? changedBy) !== undefined) requireEverywhere(rights, 'zone:read');
    if (signing !== undefined) requireEverywhere(rights, 'dnssec:read');
    const behind = lagging === undefined ? undefined : prober.behind();
    const among = signing === undefined ? undefined : zonesBySigning(signing);
    const listed = view.zones.list({ ...zoneFilterOf(query), behind, among }, sort, page);
    return json(
      200,
      presentList(listed, request, (zone) => presentZone(zone, rights)),
    );
  },

  async createZone(request) {
    const { zone, warnings } = await request.submit({ kind: 'create-zone', ...request.given });
    const presented = presentZone(zone, request.caller.rights);
    return json(request.created, { ...request.applied, warnings, zone: presented });
  },

  getZone({ params, query, view, caller }) {
    const at = momentOf(query.at);
    const zone = at ? view.versions.zoneAt(params.name, at) : view.zones.get(params.name);
    const signed = zone.dnssecCount > 0;
    return json(200, { zone: presentZone(zone, caller.rights), signed }, tagOfZone(zone));
  },

  async updateZone(request) {
    const zoneName = normaliseZoneName(request.params.name);
    const command = { kind: 'update-zone', zoneName, ...request.given } as const;
    const { zone, warnings, isUnchanged: unchanged } = await request.submit(command);
    const presented = presentZone(zone, request.caller.rights);
    return json(200, { ...request.applied, unchanged, warnings, zone: presented });
  },

  async deleteZone(request) {
    const zoneName = normaliseZoneName(request.params.name);
    const outcome = await request.submit({ kind: 'delete-zone', zoneName });
    return json(200, { ...request.applied, ...presentDeletion(outcome, request.caller.rights) });
  },

  async getZoneStatus({ params, view }, { prober, jobs }) {
    const zone = view.zones.with('zone:read', params.name);
    const probes = await prober.status(zone);
    return json(200, {
      zone_name: zone.name,
      serial: zone.serial,
      secondaries: probes.map((probe) => {
        const { address, visibleSerial } = probe;
        const content = view.zones.readsWhole(zone)
          ? jobs.servedChecks.resultOf(address, zone.id, visibleSerial)
          : 'unknown';
        return presentProbe({ ...probe, content });
      }),
      warnings: probes.flatMap((probe) => aheadWarning(zone, probe)),
    });
  },

  getPropagation,

  notifyZone: (request, services) =>
    notifyZone(request, services, request.params.name, request.query.bump_serial ?? false),

  notifyAll: (request, services) =>
    notifyAll(request, services, request.query.bump_serial ?? false),

  /** The earlier shape: `force` is what bump_serial is now. */
  notifyZones(request, services) {
    const bump = request.body.force ?? false;
    const name = request.body.zone_name ?? undefined;
    return name === undefined
      ? notifyAll(request, services, bump)
      : notifyZone(request, services, name, bump);
  },
});

export function presentDeletion(outcome: ZoneOutcome, rights: Rights) {
  return {
    records_deleted: outcome.recordsDeleted,
    versions_deleted: outcome.versionsDeleted,
    warnings: outcome.warnings,
    zone: presentZone(outcome.zone, rights),
  };
}

function aheadWarning({ name, serial }: Zone, { address, aheadSerial }: Probe) {
  if (aheadSerial === undefined) return [];
  const message =
    `secondary ${address} serves serial ${aheadSerial} of zone '${name}', which is at ${serial}: the database ` +
    'may have been taken back, the zone made here with a smaller serial than it had before, or the secondary ' +
    'has another primary too. POST /zones/{name}/notify?bump_serial=true passes it for this zone, ' +
    "a start with 'zonebook serve --recover' for all";
  return [{ code: 'SECONDARY_AHEAD' as const, message }];
}

/** Exact after normalising (decisions 16); a text that is empty is no filter. */
function zoneFilterOf(query: ListQuery): ZoneFilter {
  const given = givenOf(query);
  return {
    ...given,
    name: nameOf(given.name),
    mname: nameOf(given.mname),
    rname: responsibleOf(given.rname),
    changedBy: given.changedBy === '' ? undefined : given.changedBy,
    search: given.search === '' ? undefined : given.search,
    encloses: given.encloses ? parseNameIn('encloses', given.encloses) : undefined,
  };
}

/** What deleted zones go with besides a page; the rest would be left out in silence. */
const goesWithDeleted = new Set(['deleted', 'search', 'limit', 'offset', 'cursor']);
const defaults = { sort: 'name', order: 'asc' };

/** The part of a name that deleted zones are searched by. */
function searchDeleted(query: ListQuery): string | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || goesWithDeleted.has(name)) continue;
    if ((name === 'sort' || name === 'order') && value === defaults[name]) continue;
    throw new Problem('INVALID_INPUT', `query parameter '${name}' does not go with 'deleted'`);
  }
  return query.search === '' ? undefined : query.search;
}

function nameOf(given: string | undefined): string | undefined {
  const name = normaliseZoneName(given ?? '');
  return name === '' ? undefined : name;
}

/** As it is stored: the domain in lower case, the local part as written. */
function responsibleOf(given: string | undefined): string | undefined {
  const trimmed = given?.trim() ?? '';
  if (trimmed === '') return undefined;
  const at = trimmed.lastIndexOf('@');
  return at < 0 ? trimmed : `${trimmed.slice(0, at)}@${normaliseZoneName(trimmed.slice(at + 1))}`;
}

async function notifyZone(
  request: AnyRequest,
  services: HandlerServices,
  given: string,
  bump: boolean,
): Promise<Answer> {
  const { rights } = request.caller;
  let name = normaliseZoneName(given);
  const isCatalog = name === services.options.catalogZoneName;
  let isNamed = seesSecondaries(rights);
  let serial = 0;
  if (isCatalog && rights.visibleZones() === 'all') {
    requireEverywhere(rights, 'zone:update');
    // Consumers compare serials with members: an increment without a change would mean nothing to them.
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
    ({ name, serial } = zone);
    isNamed ||= rights.inZone('zone:read', zone.id);
  }
  let said: readonly string[] = [];
  if (bump) {
    const { greatest, ignored } = await services.prober.seenSerials([{ name, serial }], bumpAskMs);
    logIgnored(ignored, services.log);
    said = ignoredClauses(ignored, isNamed);
    const seenSerial = greatest.get(name);
    await request.submit({ kind: 'bump-serial', zoneName: name, seenSerial });
  }
  await notifyNow(services, name, isNamed, said);
  return json(200, { message: [`NOTIFY sent for zone '${name}'`, ...said].join('; ') });
}

/** What an answer tells of serials that no zone is led to. */
function ignoredClauses(ignored: readonly IgnoredSerial[], isNamed: boolean): readonly string[] {
  const [first] = ignored;
  if (first === undefined) return [];
  const { source, zone, serial } = first;
  const who = isNamed ? `secondary '${source}'` : 'a secondary';
  const more = ignored.length === 1 ? '' : ` and ${ignored.length - 1} more`;
  return [
    `ignored serial ${serial} that ${who} serves of zone '${zone}'${more}: too few are left after it`,
  ];
}

/** Milliseconds that secondaries are asked which serial is to be passed. */
const bumpAskMs = 4000;

/** Zones bumped together; they share a commit. */
const bumpsTogether = 256;
/** Zones that an answer names because their serial did not advance. */
const keptNamed = 10;

async function notifyAll(
  request: AnyRequest,
  services: HandlerServices,
  bump: boolean,
): Promise<Answer> {
  requireEverywhere(request.caller.rights, 'zone:update');
  const isNamed = seesSecondaries(request.caller.rights);
  const { kept, ignored } = bump ? await bumpAll(request, services) : noneBumped;
  const said = ignoredClauses(ignored, isNamed);
  const named = kept.slice(0, keptNamed).map(({ message }) => message);
  const unnamed = kept.length - named.length;
  const more = unnamed === 0 ? '' : `; and ${unnamed} more`;
  const notBumped = `not every serial was advanced: ${named.join('; ')}${more}`;
  await notifyNow(services, undefined, isNamed, kept.length > 0 ? [notBumped, ...said] : said);
  const message = 'NOTIFY sent for the catalog and all zones';
  if (kept.length > 0) {
    throw new Problem('ZONE_CONFLICT', [`${message}, but ${notBumped}`, ...said].join('; '));
  }
  return json(200, { message: [message, ...said].join('; ') });
}

interface Bumped {
  /** Why zones keep their serials. */
  readonly kept: readonly Problem[];
  readonly ignored: readonly IgnoredSerial[];
}

const noneBumped: Bumped = { kept: [], ignored: [] };

/**
 * Bumps every enabled zone. Secondaries are asked for seconds before: a zone that is deleted or disabled by then is
 * passed over, and one that was renamed is bumped by its new name.
 */
async function bumpAll(request: AnyRequest, services: HandlerServices): Promise<Bumped> {
  const pages = [...enabledZones(request)];
  const asked = services.prober.seenSerials(pages.flat(), limits.epochSurveyMs);
  const { greatest, ignored } = await asked;
  logIgnored(ignored, services.log);
  const kept: Problem[] = [];
  for (const zones of pages) {
    requireEverywhere(request.rightsNow(), 'zone:update');
    const view = request.viewNow();
    const bumps = zones.map(async ({ id: zoneId }) => {
      const { name: zoneName, enabled } = view.zones.byId(zoneId);
      if (!enabled) return;
      const seenSerial = greatest.get(zoneName);
      await request.submit({ kind: 'bump-serial', zoneName, zoneId, seenSerial });
    });
    for (const result of await Promise.allSettled(bumps)) {
      if (result.status === 'fulfilled') continue;
      const { reason } = result;
      const code = reason instanceof Problem ? reason.code : undefined;
      if (code === 'ZONE_CONFLICT') kept.push(reason as Problem);
      else if (code !== 'ZONE_NOT_FOUND') throw reason;
    }
  }
  return { kept, ignored };
}

/** Pages go by name, which no bump moves. */
function* enabledZones({
  view,
}: AnyRequest): Generator<readonly Pick<Zone, 'id' | 'name' | 'serial'>[]> {
  const sort = { key: 'name', descending: false } as const;
  let after: Position | undefined;
  do {
    const page = { limit: bumpsTogether, offset: 0, after };
    const { items, next } = view.zones.list({ enabled: true }, sort, page);
    yield items;
    after = next;
  } while (after !== undefined);
}

/** Zones are read with the addresses of secondaries, and with why one does not answer (status). */
function seesSecondaries(rights: Rights): boolean {
  return rights.everywhere('secondary:read') || rights.everywhere('zone:read');
}

async function notifyNow(
  { notifier }: HandlerServices,
  zoneName: string | undefined,
  isNamed: boolean,
  said: readonly string[] = [],
): Promise<void> {
  const failures = await notifier.notifyNow(zoneName);
  if (failures.length === 0) return;
  const named = failures.map(({ secondary, error }) => `'${secondary}' (${error})`).join(', ');
  const counted = failures.length === 1 ? '1 secondary' : `${failures.length} secondaries`;
  const what = isNamed ? `secondary ${named}` : counted;
  throw new Problem('NOTIFY_FAILED', [`NOTIFY failed for ${what}`, ...said].join('; '));
}
