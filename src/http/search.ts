/** Searches over all that a caller may read (query/search-queries.ts). */
import { absoluteName, quoted, versionDataText } from '../contract/record-json.ts';
import { searchRoutes } from '../contract/search.ts';
import { lowerAscii } from '../dns/name.ts';
import { apexOf } from '../domain/zone.ts';
import { type DeletedRecord, searchPositionOf } from '../query/search-queries.ts';
import { JsonText } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { answerRecords } from './record-texts.ts';

/** Milliseconds that an answer waits for what was written before it was asked for. */
const waitMs = 5000;

export const searchEndpoints = endpoints(searchRoutes, {
  async search(request, { jobs }) {
    const { query, positionAfter } = request;
    const { at, limit } = query;
    const text = query.q.trim();
    const isFirst = positionAfter === undefined;
    const after = isFirst ? null : searchPositionOf(positionAfter);
    await jobs.searchIndex.reach(request.view.events.last(), waitMs);
    const rights = request.rightsNow();
    const view = request.viewNow();
    const found = await view.records.search({ text, at }, limit, after);
    const folded = lowerAscii(text);
    const zones = isFirst ? view.zones.search(folded, limit) : [];
    return answerRecords(found.records, rights, (records) => ({
      zones: zones.map(({ id, name, deletedAt }) => ({
        id,
        name,
        deleted: deletedAt !== undefined,
      })),
      records,
      deleted: new JsonText(`[${found.deleted.map(deletedText).join(',')}]`),
      actors: isFirst ? view.access.search(folded, limit) : [],
      complete_to: found.completeTo,
      deleted_from: found.deletedFrom,
      next_cursor: request.cursorOf(found.next),
    }));
  },
});

function deletedText({ zone, record, until }: DeletedRecord): string {
  const at = new Date(until.at).toISOString();
  const tail = JSON.stringify({ zone_id: zone.id, zone_name: zone.name, until: { ...until, at } });
  const name = quoted(absoluteName(record.owner, apexOf(zone)));
  return `{"name":${name}${versionDataText(record).slice(0, -1)},${tail.slice(1)}`;
}
