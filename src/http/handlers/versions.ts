/** Handlers of versions (interface 4.2, decisions 2, 12 and 16); each serves its earlier path too. */
import { Problem } from '../../base/problem.ts';
import type { Checked } from '../../contract/validate.ts';
import * as contract from '../../contract/versions.ts';
import { requireInZone, requireWhole } from '../../domain/access/require.ts';
import { type Answer, begun, json, jsonType } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { tagOfZone } from '../entity-tag.ts';
import { findSerialAt, findVersion, findZone, parseSerial } from '../find.ts';
import { presentList } from '../present/list.ts';
import { presentVersion, versionDiffPieces, versionPieces } from '../present/version.ts';
import type { Services } from '../services.ts';
import { rollbackEndpoints } from './rollback.ts';

type ListRequest = CheckedRequest<'name', Checked<typeof contract.listVersions.query>, unknown>;

async function list({ params, query, caller }: ListRequest, services: Services): Promise<Answer> {
  const zone = findZone(services, caller.rights, params.name);
  requireInZone(caller.rights, 'zone:read', zone);
  const filter = { includeSignerSerials: query.include_signer_serials ?? false, at: query.at };
  const listed = await services.versions.list(zone, filter, query);
  return json(200, presentList(listed, query, presentVersion));
}

type DiffRequest = CheckedRequest<'name', Checked<typeof contract.diffVersions.query>, unknown>;

async function diff({ params, query, caller }: DiffRequest, services: Services): Promise<Answer> {
  const { from, at, to, to_at: toAt } = query;
  if ((from === undefined) === (at === undefined)) {
    throw new Problem('INVALID_INPUT', "query parameter 'from' or 'at' is required, not both");
  }
  if (to !== undefined && toAt !== undefined) {
    throw new Problem('INVALID_INPUT', "query parameters 'to' and 'to_at' exclude each other");
  }
  const zone = findZone(services, caller.rights, params.name);
  requireWhole(caller.rights, 'record:read', zone);
  const fromSerial = from ?? (await findSerialAt(services, zone, at!));
  const toSerial =
    to ?? (toAt === undefined ? zone.serial : await findSerialAt(services, zone, toAt));
  await findVersion(services, zone, fromSerial);
  await findVersion(services, zone, toSerial);
  const nodes = services.versions.changedNodes(zone, fromSerial, toSerial);
  const body = await begun(versionDiffPieces(zone, fromSerial, toSerial, nodes));
  return { status: 200, mediaType: jsonType, body };
}

type GetRequest = CheckedRequest<'name' | 'serial', unknown, unknown>;

async function get({ params, caller }: GetRequest, services: Services): Promise<Answer> {
  const serial = parseSerial(params.serial);
  const zone = findZone(services, caller.rights, params.name);
  requireWhole(caller.rights, 'record:read', zone);
  const version = await findVersion(services, zone, serial);
  const records = services.versions.recordsText(zone, serial);
  const body = await begun(versionPieces(version, records));
  return { status: 200, mediaType: jsonType, body, headers: tagOfZone({ id: zone.id, serial }) };
}

export const versionEndpoints: readonly Endpoint[] = [
  endpoint(contract.listVersions, list),
  endpoint(contract.listSnapshots, list),
  endpoint(contract.diffVersions, diff),
  endpoint(contract.diffSnapshots, diff),
  endpoint(contract.getVersion, get),
  endpoint(contract.getSnapshot, get),
  ...rollbackEndpoints,
];
