/** Export and import of zone files (interface 4.2 and 4.2.1, decisions 3 and 7). */
import type { ImportResult } from '../background/import/requests.ts';
import { Problem } from '../base/problem.ts';
import { exchangeRoutes } from '../contract/exchange.ts';
import type { Rights } from '../domain/access/rights.ts';
import { requireImport } from '../domain/decide-import.ts';
import { checkOverrides, givenOverrides, withSkipField } from '../domain/imported-zone.ts';
import { reachOf } from '../domain/reach.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { type Answer, begun, streamed } from './answer.ts';
import { endpoints, type RequestOf } from './endpoint.ts';
import { anyDiffJson } from './record-texts.ts';
import { momentOf, zoneNamed } from './request-source.ts';
import type { HandlerServices } from './services.ts';

type ImportRequest = RequestOf<(typeof exchangeRoutes)['importZone']>;

export const exchangeEndpoints = endpoints(exchangeRoutes, {
  async exportZone(request) {
    const { serial, at, signed = false } = request.query;
    const { versions } = request.view;
    const text = versions.exportText(zoneNamed(request), momentOf(at, serial), signed);
    const body = await begun(text);
    return { status: 200, mediaType: 'text/plain; charset=utf-8', body };
  },

  importZone,
  importZoneEarlier: importZone,
});

async function importZone(request: ImportRequest, services: HandlerServices): Promise<Answer> {
  const { content, fromServer, tsigKeyName, skipUnsupported = false, ...given } = request.given;
  const { mode = 'append', create = false, readCatalog = false, ...overrides } = given;
  if ((content === undefined) === (fromServer === undefined)) {
    throw new Problem('INVALID_INPUT', "'content' or 'from_server' is required, not both");
  }
  if (tsigKeyName !== undefined && fromServer === undefined) {
    throw new Problem('INVALID_INPUT', "'tsig_key_name' needs 'from_server' beside it");
  }
  if (readCatalog && !(request.dryRun && create && fromServer !== undefined)) {
    throw new Problem(
      'INVALID_INPUT',
      "'read_catalog' needs 'from_server', create=true and dry_run=true beside it: nothing is made of a catalog",
    );
  }
  // What is given in place of the file's SOA is of no use for a zone that has one.
  const [first] = givenOverrides(overrides);
  if (first !== undefined && !create) {
    throw new Problem('INVALID_INPUT', `'${first}' is taken with create=true only`);
  }
  const zoneName = normaliseZoneName(request.params.name);
  const permitted = (view: typeof request.view, rights: Rights) => {
    const zone = view.zones.ifThere(zoneName);
    requireImport(rights, { zoneName, mode, create }, zone);
    request.requireMatch(zone);
    checkOverrides(overrides, zone);
    const tsigKey = tsigKeyName === undefined ? undefined : view.access.signingKey(tsigKeyName);
    return { reach: reachOf(rights), tsigKey, rights };
  };
  const result = await services.importer.run({
    zoneName,
    mode,
    create,
    readsCatalog: readCatalog,
    overrides,
    skipUnsupported,
    // A large one comes as bytes (large-body.ts).
    source: content as string | Uint8Array | undefined,
    fromServer,
    owner: request.exchange.owner,
    ended: fromServer === undefined ? undefined : request.exchange.ended(),
    ...permitted(request.view, request.caller.rights),
    askAgain: () => permitted(request.viewNow(), request.rightsNow()),
    options: request.submitOptions,
  });
  return answerWithReport(result, request);
}

/** The report of an import: 422 when the file has errors. */
function answerWithReport(
  result: ImportResult,
  { dryRun, isMinimal }: Pick<ImportRequest, 'dryRun' | 'isMinimal'>,
): Promise<Answer> {
  const { applied, errors, skipped, summary, newSerial = null, diff, warnings } = result;
  const { parsed, added, deleted, updated, unchanged, skipped: skippedCount } = summary;
  return streamed(errors.length > 0 ? 422 : 200, {
    applied,
    dry_run: dryRun,
    errors: withSkipField(errors),
    skipped_records: skipped,
    summary: { parsed, added, deleted, updated, unchanged, skipped: skippedCount },
    new_serial: newSerial,
    warnings,
    diff: isMinimal ? passedOver(diff) : anyDiffJson(diff),
  });
}

/** Ends what would have sent the diff: a worker holds it. */
function passedOver(diff: ImportResult['diff']): undefined {
  if (!('apex' in diff)) void diff.entries[Symbol.asyncIterator]().return?.();
}
