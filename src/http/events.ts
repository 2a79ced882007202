/** What was done, by whom and why, in the order of the journal. */
import { formatTime } from '../base/clock.ts';
import { snakeCase } from '../base/field-name.ts';
import { eventRoutes } from '../contract/events.ts';
import type { SeenEvent } from '../query/event-queries.ts';
import { arrayPieces, JsonText, json, objectText, streamed } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { diffJson } from './record-texts.ts';
import { storedType } from './records.ts';
import { parseId } from './request-source.ts';

export const eventEndpoints = endpoints(eventRoutes, {
  async listEvents({ query, view }) {
    const { after, before, limit, order, type, ...filter } = query;
    const typed = type?.trim() ? storedType(type) : undefined;
    const { items, next } = await view.events.page(
      { ...filter, type: typed },
      { after, before, limit, order },
    );
    return streamed(200, { items: new JsonText(arrayPieces([items], eventText)), next });
  },

  getEvent: async ({ params, view }) => {
    const event = await view.events.get(parseId(params.seq));
    return json(200, { event: new JsonText(eventText(event)) });
  },
});

function eventText({ diff, signing, details, ...event }: SeenEvent): string {
  return objectText({
    seq: event.seq,
    at: formatTime(event.at),
    kind: event.kind,
    zone: event.zone,
    serial: event.serial,
    actor: event.actor,
    source: event.source,
    request_id: event.requestId,
    reason: event.reason,
    reference: event.reference,
    records_removed: event.recordsRemoved,
    records_added: event.recordsAdded,
    diff: diff === null ? null : diffJson(diff),
    diff_truncated: event.diffTruncated,
    settings_changed: event.settingsChanged.map(snakeCase),
    signing: signing && { reason: signing.reason, key_tags: signing.keyTags },
    details: details && inSnakeCase(details),
    redacted: event.redacted,
    hash: event.hash.toString('hex'),
    prev_hash: event.prevHash.toString('hex'),
  });
}

/** The fields of what the journal holds by the names that the interface gives them. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCase(name), inSnakeCase(member)]),
  );
}
