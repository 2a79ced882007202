/** Handlers of history and of the way back from a deletion (decisions 2, 12 and 16). */
import { Problem } from '../../base/problem.ts';
import * as contract from '../../contract/history.ts';
import { isStorable, parseType } from '../../dns/rrtype.ts';
import { requireWhole } from '../../domain/access/require.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf } from '../../domain/zone.ts';
import type { HistoryEntry } from '../../projection/history-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { type Answer, begun, json, jsonType } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { findRecordEver, findZone, parseId } from '../find.ts';
import { historyPieces } from '../present/history.ts';
import { presentZone } from '../present/zone.ts';

const ofZone = endpoint(contract.getZoneHistory, async ({ params, query, caller }, services) => {
  const type = typeOf(query.type);
  const zone = findZone(services, caller.rights, params.name);
  requireWhole(caller.rights, 'record:read', zone);
  const written = query.name?.trim() ?? '';
  const name = written === '' ? undefined : parseOwner(written, apexOf(zone));
  const filter = {
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
  };
  return answerWith(await services.versions.history(zone, filter, query), query);
});

const ofRecord = endpoint(contract.getRecordHistory, async (request, services) => {
  const recordId = parseId(request.params.id);
  const { zone } = await findRecordEver(services, request.caller.rights, recordId);
  const { query } = request;
  return answerWith(await services.versions.history(zone, { recordId }, query), query);
});

/** An empty type is no filter. */
function typeOf(written: string | undefined): number | undefined {
  if (written === undefined || written.trim() === '') return undefined;
  const type = parseType(written.trim());
  if (type !== undefined && isStorable(type)) return type;
  throw new Problem(
    'INVALID_INPUT',
    `type '${written.slice(0, 60)}' is no record type stored here`,
  );
}

async function answerWith(listed: Listed<HistoryEntry>, page: Page): Promise<Answer> {
  return { status: 200, mediaType: jsonType, body: await begun(historyPieces(listed, page)) };
}

const restore = endpoint(contract.restoreZone, async (request) => {
  const { name } = request.params;
  const { zone, warnings } = await request.submit(
    { kind: 'restore-zone', name, id: request.query.id },
    false,
  );
  return json(200, { warnings, zone: presentZone(zone) });
});

export const historyEndpoints: readonly Endpoint[] = [ofZone, ofRecord, restore];
