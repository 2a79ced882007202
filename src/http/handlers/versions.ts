/** Handlers of versions (interface 4.2, decisions 2, 12 and 16); each serves its earlier path too. */
import type { Checked } from '../../contract/validate.ts';
import { versionRoutes } from '../../contract/versions.ts';
import { type Answer, begun, json, jsonType } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { tagOfZone } from '../entity-tag.ts';
import { parseSerial } from '../path-values.ts';
import { presentList } from '../present/list.ts';
import { presentVersion, versionDiffPieces, versionPieces } from '../present/version.ts';
import { rollbackEndpoints } from './rollback.ts';

type ListRequest = CheckedRequest<
  'name',
  Checked<typeof versionRoutes.listVersions.query>,
  unknown
>;

async function list({ params, query, view }: ListRequest): Promise<Answer> {
  const filter = { includeSignerSerials: query.include_signer_serials ?? false, at: query.at };
  const listed = await view.versions.list(params.name, filter, query);
  return json(200, presentList(listed, query, presentVersion));
}

type DiffRequest = CheckedRequest<
  'name',
  Checked<typeof versionRoutes.diffVersions.query>,
  unknown
>;

async function diff({ params, query, view }: DiffRequest): Promise<Answer> {
  const { from, at, to, to_at: toAt } = query;
  const wantedFrom = { serial: from, at };
  const changes = await view.versions.diff(params.name, wantedFrom, { serial: to, at: toAt });
  const pieces = versionDiffPieces(changes.zone, changes.from, changes.to, changes.nodes);
  const body = await begun(pieces);
  return { status: 200, mediaType: jsonType, body };
}

type GetRequest = CheckedRequest<'name' | 'serial', unknown, unknown>;

async function get({ params, view }: GetRequest): Promise<Answer> {
  const serial = parseSerial(params.serial);
  const { zone, version, records } = await view.versions.get(params.name, serial);
  const body = await begun(versionPieces(version, records));
  return { status: 200, mediaType: jsonType, body, headers: tagOfZone({ id: zone.id, serial }) };
}

export const versionEndpoints: readonly Endpoint[] = [
  endpoint(versionRoutes.listVersions, list),
  endpoint(versionRoutes.listSnapshots, list),
  endpoint(versionRoutes.diffVersions, diff),
  endpoint(versionRoutes.diffSnapshots, diff),
  endpoint(versionRoutes.getVersion, get),
  endpoint(versionRoutes.getSnapshot, get),
  ...rollbackEndpoints,
];
