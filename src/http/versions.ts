/**
 * Versions of zones (interface 2.5 and 4.2, decisions 2, 12 and 16); each handler serves its earlier path too. Names
 * are relative in a version and absolute in a diff.
 */
import type { Prepared } from '../background/import/requests.ts';
import { Problem } from '../base/problem.ts';
import { diffEntryText, versionRecordText } from '../contract/record-json.ts';
import { versionRoutes, zoneVersion } from '../contract/versions.ts';
import type { RollbackOutcome } from '../domain/command.ts';
import { type DiffEntry, diffNodes, type NodeChange } from '../domain/diff.ts';
import { apexOf, noZone, type Zone } from '../domain/zone.ts';
import { isPartial } from '../query/rollback-target.ts';
import { cursorOf, type RrsetCursor } from '../query/rrset-cursor.ts';
import { EntryPage, type WantedPart } from '../query/version-page.ts';
import type { ZoneVersion } from '../query/version-queries.ts';
import type { ChangeSource } from '../writer/submission.ts';
import { type Answer, arrayPieces, bracketed, JsonText, json, streamed } from './answer.ts';
import { type CheckedRequest, endpoints, type RequestOf } from './endpoint.ts';
import { tagOfZone } from './entity-tag.ts';
import { presenter, presentList } from './fields.ts';
import { filterOfQuery } from './history.ts';
import { anyDiffJson, bytesOfRecords, diffOfEntries } from './record-texts.ts';
import { cursorIn, momentIn, momentOf, parseTaggedSerial, zoneNamed } from './request-source.ts';
import type { HandlerServices } from './services.ts';
import type { GivenScope, WantedVersion } from './view/versions.ts';
import { diffZone } from './zone-diff.ts';

type Routes = typeof versionRoutes;

const presentFields = presenter(zoneVersion);

function presentVersion({ settings, ...version }: ZoneVersion) {
  const changeSource = version.changeSource as ChangeSource;
  return presentFields({ ...settings, ...version, changeSource });
}

async function list(request: RequestOf<Routes['listVersions']>): Promise<Answer> {
  const { query, view } = request;
  const filter = {
    includeSignerSerials: query.include_signer_serials ?? false,
    at: momentOf(query.at),
  };
  const listed = await view.versions.list(zoneNamed(request), filter, request.page);
  return json(200, presentList(listed, request, presentVersion));
}

interface PartQuery {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: number | undefined;
  readonly value?: string | undefined;
}

/** The part that a request asks for, known once the zone is. */
function partOf({ name, type, limit, value }: PartQuery, after: RrsetCursor | undefined) {
  const filterOf = filterOfQuery(name, type);
  return (zone: Zone): WantedPart => ({ ...filterOf(zone), value, limit, after });
}

async function diff(request: RequestOf<Routes['diffVersions']>): Promise<Answer> {
  const { query, view } = request;
  const after = cursorIn(query.cursor, 2);
  // The pages of one difference are between the same serials, whatever was written meanwhile.
  const [first, last] = after?.numbers ?? [];
  const wanted = [
    momentOf(first === undefined ? query.at : undefined, first ?? query.from),
    momentOf(last === undefined ? query.to_at : undefined, last ?? query.to),
  ] as const;
  const part = partOf(query, after);
  const found = view.versions.diff(zoneNamed(request), ...wanted, part, query.actor);
  const { zone, from, to, nodes } = found;
  const page = new EntryPage(found.part);
  const apex = apexOf(zone);
  const entries = entriesOf(zone, nodes, page);
  const isSummary = query.summary ?? false;
  const texts = isSummary
    ? counted(entries)
    : arrayPieces(entries, (entry) => diffEntryText(entry, apex));
  const next = { toJSON: () => page.next && cursorOf(page.next, from, to) };
  const changes = diffOfEntries(texts, page.summary);
  return streamed(200, { diff: changes, from_serial: from, to_serial: to, next_cursor: next });
}

async function* counted(entries: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const _ of entries);
  yield '[]';
}

/** Takes the entries of a page. Records that only have other ids differ in nothing that a diff shows. */
async function* entriesOf(
  zone: Zone,
  batches: AsyncIterable<readonly NodeChange[]>,
  page: EntryPage,
): AsyncGenerator<readonly DiffEntry[]> {
  for await (const batch of batches) {
    yield page.take(diffNodes(apexOf(zone), batch).entries);
    if (page.next !== null) return;
  }
}

async function get(request: RequestOf<Routes['getVersion']>): Promise<Answer> {
  const { params, query, view } = request;
  const wanted = parseTaggedSerial(params.serial);
  const named = zoneNamed(request);
  const { name, type, limit, cursor, summary = false } = query;
  if (summary) {
    const { zone, version } = view.versions.summary(named, wanted);
    return answerVersion(zone, version, new JsonText('[]'), null);
  }
  if ([name, type, limit, cursor].every((given) => given === undefined)) {
    const { zone, version, records } = view.versions.get(named, wanted);
    return answerVersion(zone, version, new JsonText(bracketed(records)), null);
  }
  const part = partOf(query, cursorIn(cursor, 1));
  const { zone, version, records, next } = await view.versions.page(named, wanted, part);
  const apex = apexOf(zone);
  const pieces = arrayPieces([records], (record) => versionRecordText(record, apex));
  const texts = new JsonText(pieces, bytesOfRecords(records));
  return answerVersion(zone, version, texts, next && cursorOf(next, ...next.numbers));
}

function answerVersion(
  zone: Zone,
  version: ZoneVersion,
  records: JsonText,
  next: string | null,
): Promise<Answer> {
  const answer = { version: presentVersion(version), records };
  const tag = tagOfZone({ id: zone.id, serial: version.serial });
  return streamed(200, { ...answer, next_cursor: next }, tag);
}

/** Times a zone is read for one rollback. */
const attempts = 10;

/**
 * Reads, and has the writer do what was read. That is outside of the writing transaction, as it may take a while. When
 * the zone has moved meanwhile the writer does nothing, and it is read again.
 */
export async function untilStill<Outcome extends { readonly moved: boolean }>(
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let count = 1; count <= attempts; count++) {
    const outcome = await attempt();
    if (!outcome.moved) return outcome;
  }
  throw new Problem('OVERLOADED', 'the zone changes faster than a version of it can be read', 1);
}

/** How many records one command changes, for who asks with the right If-Match. */
export function atOnceIn(
  request: Pick<CheckedRequest<never, unknown, unknown>, 'requireMatch'>,
  importer: HandlerServices['importer'],
): (zone: Zone) => number {
  return (zone) => {
    request.requireMatch(zone);
    return importer.maxSmallChange(zone);
  };
}

/** A very large change is prepared beside the zone. */
async function rollBack(
  request: CheckedRequest<'name', unknown, GivenScope>,
  { importer }: HandlerServices,
  wanted: WantedVersion,
): Promise<Answer> {
  const { rights } = request.caller;
  // A tag may move while the zone does. What it named when the request came is what is meant.
  let pinned: { readonly zoneId: number; readonly serial: number } | undefined;
  const outcome = await untilStill<RollbackOutcome | Prepared<RollbackOutcome>>(async () => {
    const { zone, target, reading } = await request.view.versions.forRollback(
      request.params.name,
      pinned ?? wanted,
      request.body,
      atOnceIn(request, importer),
    );
    pinned ??= { zoneId: zone.id, serial: target.serial };
    if (zone.id !== pinned.zoneId) throw noZone(zone.name);
    const { atSerial, nodes, settings } = reading;
    const { serial: targetSerial } = target;
    const scope = isPartial(target) ? target : undefined;
    const named = { zoneName: zone.name, zoneId: zone.id, targetSerial };
    const command = { kind: 'rollback-zone', ...named } as const;
    const options = request.submitOptions;
    if (nodes === undefined) {
      const { rightsNow } = request;
      return importer.rollBack({ zone, targetSerial, settings, scope, rights, rightsNow, options });
    }
    const fields = { ...command, atSerial, nodes, settings, isPartial: scope !== undefined };
    return request.submit(fields);
  });
  const answer = { ...request.applied, ...presentRollback(outcome) };
  return streamed(200, { ...answer, diff: rollbackDiff(outcome) });
}

/** What a rollback changes. Of a large one, only what it would: afterwards the versions have the difference. */
export function rollbackDiff({
  diff,
}: Pick<RollbackOutcome | Prepared<RollbackOutcome>, 'diff'>): JsonText | null {
  return diff === undefined ? null : anyDiffJson(diff);
}

function presentRollback({
  targetSerial,
  newSerial,
  summary,
  warnings,
}: Omit<RollbackOutcome, 'diff'>) {
  const { added, deleted, unchanged, soaChanged } = summary;
  return {
    target_serial: targetSerial,
    new_serial: newSerial,
    summary: { added, deleted, unchanged, soa_changed: soaChanged },
    warnings,
  };
}

export const versionEndpoints = endpoints(versionRoutes, {
  listVersions: list,
  listSnapshots: list,
  diffVersions: diff,
  diffSnapshots: diff,
  diffZone,
  getVersion: get,
  getSnapshot: get,

  rollbackVersion: (request, services) =>
    rollBack(request, services, parseTaggedSerial(request.params.serial)),

  rollbackZone(request, services) {
    const { serial, at } = request.body;
    if ((typeof serial === 'number') === (typeof at === 'string')) {
      throw new Problem('INVALID_INPUT', 'serial or at: one of them is needed, and no more');
    }
    return rollBack(request, services, momentIn('at', at) ?? { serial: serial! });
  },
});
