/** Handlers of export and import (interface 4.2 and 4.2.1, decisions 3 and 7). */
import { Problem } from '../../base/problem.ts';
import * as contract from '../../contract/exchange.ts';
import type { Checked } from '../../contract/validate.ts';
import type { SoaOverrides } from '../../domain/command.ts';
import { requireImport } from '../../domain/decide-import.ts';
import { checkOverrides, givenOverrides } from '../../domain/imported-zone.ts';
import { reachOf } from '../../domain/reach.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import { type Answer, begun } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { answerWithReport } from '../present/import-report.ts';
import type { HandlerServices } from '../services.ts';

const exportOne = endpoint(contract.exportZone, async ({ params, query, view }) => {
  const { serial, at, signed = false } = query;
  const body = await begun(await view.versions.exportText(params.name, { serial, at }, signed));
  return { status: 200, mediaType: 'text/plain; charset=utf-8', body };
});

type ImportBody = Checked<typeof contract.importZone.body>;
type ImportRequest = CheckedRequest<'name', unknown, ImportBody>;

/** What is given in place of the file's SOA; only with create=true is there a use for it. */
function overridesOf(body: ImportBody): SoaOverrides {
  const overrides: SoaOverrides = {
    serial: body.serial ?? undefined,
    mname: body.mname ?? undefined,
    rname: body.rname ?? undefined,
    minimumTtl: body.minimum_ttl ?? undefined,
    refresh: body.refresh ?? undefined,
    retry: body.retry ?? undefined,
    expire: body.expire ?? undefined,
  };
  const [first] = givenOverrides(overrides);
  if (first !== undefined && body.create !== true) {
    throw new Problem('INVALID_INPUT', `'${first}' is taken with create=true only`);
  }
  return overrides;
}

async function importInto(request: ImportRequest, services: HandlerServices): Promise<Answer> {
  const { body } = request;
  // A large one is handed over as octets (large-body.ts).
  const content: string | Uint8Array | undefined = body.content ?? undefined;
  const fromServer = body.from_server ?? undefined;
  const tsigKeyName = body.tsig_key_name ?? undefined;
  if ((content === undefined) === (fromServer === undefined)) {
    throw new Problem('INVALID_INPUT', "'content' or 'from_server' is required, not both");
  }
  if (tsigKeyName !== undefined && fromServer === undefined) {
    throw new Problem('INVALID_INPUT', "'tsig_key_name' needs 'from_server' beside it");
  }
  const overrides = overridesOf(body);
  const zoneName = normaliseZoneName(request.params.name);
  const mode = body.mode ?? 'append';
  const create = body.create ?? false;
  const dryRun = body.dry_run ?? false;
  const { caller, view } = request;
  const { rights } = caller;
  const zone = view.zones.ifThere(zoneName);
  requireImport(rights, { zoneName, mode, create }, zone);
  request.requireMatch(zone);
  checkOverrides(overrides, zone);
  const result = await services.importer.run({
    zoneName,
    mode,
    create,
    overrides,
    skipUnsupported: body.skip_unsupported ?? false,
    content,
    fromServer,
    reach: reachOf(rights),
    tsigKey: tsigKeyName === undefined ? undefined : view.access.signingKey(tsigKeyName),
    rights,
    options: request.submitOptions(dryRun),
  });
  return answerWithReport(result, dryRun);
}

export const exchangeEndpoints: readonly Endpoint[] = [
  exportOne,
  endpoint(contract.importZone, importInto),
  endpoint(contract.importZoneEarlier, importInto),
];
