/**
 * Versions of zones (interface 2.5 and 4.2, decisions 2, 12 and 16); each handler serves its earlier path too. Names
 * are relative in a version and absolute in a diff.
 */
import { Problem } from '../base/problem.ts';
import { diffEntryText } from '../contract/record-json.ts';
import { versionRoutes, zoneVersion } from '../contract/versions.ts';
import type { RollbackOutcome } from '../domain/command.ts';
import { countDiff, type DiffEntry, diffNodes, type NodeChange } from '../domain/diff.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { ChangeSource } from '../writer/submission.ts';
import type { ZoneVersion } from '../query/version-queries.ts';
import { type Answer, arrayPieces, bracketed, json, JsonText, streamed } from './answer.ts';
import { type CheckedRequest, endpoints, type RequestOf } from './endpoint.ts';
import { tagOfZone } from './entity-tag.ts';
import { presenter, presentList } from './fields.ts';
import { diffOfEntries } from './record-texts.ts';
import { parseSerial } from './request-source.ts';
import type { HandlerServices } from './services.ts';

type Routes = typeof versionRoutes;

const presentFields = presenter(zoneVersion);

function presentVersion({ settings, ...version }: ZoneVersion) {
  const changeSource = version.changeSource as ChangeSource;
  return presentFields({ ...settings, ...version, changeSource });
}

function list({ params, query, view }: RequestOf<Routes['listVersions']>): Answer {
  const filter = { includeSignerSerials: query.include_signer_serials ?? false, at: query.at };
  const listed = view.versions.list(params.name, filter, query);
  return json(200, presentList(listed, query, presentVersion));
}

function diff({ params, query, view }: RequestOf<Routes['diffVersions']>): Promise<Answer> {
  const { from: fromSerial, at, to: toSerial, to_at: toAt } = query;
  const wanted = [
    { serial: fromSerial, at },
    { serial: toSerial, at: toAt },
  ] as const;
  const { zone, from, to, nodes } = view.versions.diff(params.name, ...wanted);
  const summary = { added: 0, changed: 0, removed: 0 };
  const apex = apexOf(zone);
  const entries = arrayPieces(entriesOf(zone, nodes, summary), (entry) =>
    diffEntryText(entry, apex),
  );
  const changes = diffOfEntries(entries, summary);
  return streamed(200, { diff: changes, from_serial: from, to_serial: to });
}

/** Counts the entries in `summary` on the way. Records that only have other ids differ in nothing that a diff shows. */
async function* entriesOf(
  zone: Zone,
  batches: AsyncIterable<readonly NodeChange[]>,
  summary: { added: number; changed: number; removed: number },
): AsyncGenerator<readonly DiffEntry[]> {
  for await (const batch of batches) {
    const changes = diffNodes(apexOf(zone), batch);
    const counts = countDiff(changes);
    summary.added += counts.added;
    summary.changed += counts.changed;
    summary.removed += counts.removed;
    yield changes.entries;
  }
}

function get({ params, view }: RequestOf<Routes['getVersion']>): Promise<Answer> {
  const serial = parseSerial(params.serial);
  const { zone, version, records } = view.versions.get(params.name, serial);
  const list = new JsonText(bracketed(records));
  const tag = tagOfZone({ id: zone.id, serial });
  return streamed(200, { version: presentVersion(version), records: list }, tag);
}

/** Times a version is read for one rollback. */
const attempts = 10;

/**
 * The version is read outside the writing transaction, as that may take a while. When the zone has moved
 * meanwhile the writer does nothing, and it is read again. A very large change is prepared beside the zone.
 */
async function rollBack(
  request: CheckedRequest<'name', unknown, unknown>,
  { importer }: HandlerServices,
  targetSerial: number,
): Promise<Answer> {
  const { rights } = request.caller;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { zone, reading } = await request.view.versions.forRollback(
      request.params.name,
      targetSerial,
      (found) => {
        request.requireMatch(found);
        return { most: importer.smallStep(found) };
      },
    );
    const { atSerial, nodes, settings } = reading;
    const command = { kind: 'rollback-zone', zoneName: zone.name, targetSerial } as const;
    const options = request.submitOptions;
    const outcome =
      nodes === undefined
        ? await importer.rollBack({ zone, targetSerial, settings, rights, options })
        : await request.submit({ ...command, atSerial, nodes, settings });
    if (!outcome.moved) return json(200, { ...request.applied, ...presentRollback(outcome) });
  }
  throw new Problem('OVERLOADED', 'the zone changes faster than a version of it can be read', 1);
}

function presentRollback({ targetSerial, newSerial, summary, warnings }: RollbackOutcome) {
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
  getVersion: get,
  getSnapshot: get,

  rollbackVersion: (request, services) =>
    rollBack(request, services, parseSerial(request.params.serial)),

  rollbackZone: (request, services) => rollBack(request, services, request.body.serial),
});
