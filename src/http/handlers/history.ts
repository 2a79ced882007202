/** Handlers of history and of the way back from a deletion (decisions 2, 12 and 16). */
import { Problem } from '../../base/problem.ts';
import { historyRoutes } from '../../contract/history.ts';
import { isStorable, parseType } from '../../dns/rrtype.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { HistoryEntry } from '../../projection/history-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { type Answer, begun, json, jsonType } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { parseId } from '../path-values.ts';
import { historyPieces } from '../present/history.ts';
import { presentZone } from '../present/zone.ts';

const ofZone = endpoint(historyRoutes.getZoneHistory, async ({ params, query, view }) => {
  const type = typeOf(query.type);
  const written = query.name?.trim() ?? '';
  const filterOf = (zone: Zone) => ({
    name: written === '' ? undefined : parseOwner(written, apexOf(zone)),
    type,
  });
  return answerWith(await view.versions.history(params.name, filterOf, query), query);
});

const ofRecord = endpoint(historyRoutes.getRecordHistory, async ({ params, query, view }) =>
  answerWith(await view.records.historyOf(parseId(params.id), query), query),
);

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

const restore = endpoint(historyRoutes.restoreZone, async (request) => {
  const { name } = request.params;
  const { zone, warnings } = await request.submit(
    { kind: 'restore-zone', name, id: request.query.id },
    false,
  );
  return json(200, { warnings, zone: presentZone(zone) });
});

export const historyEndpoints: readonly Endpoint[] = [ofZone, ofRecord, restore];
