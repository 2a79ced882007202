/** What was done, by whom and why, in the order of the journal. */
import { Problem } from '../base/problem.ts';
import { eventRoutes } from '../contract/events.ts';
import type { StreamIds } from '../query/event-ids.ts';
import { eventText } from '../query/event-writer.ts';
import { cursorOf } from '../query/rrset-cursor.ts';
import { arrayPieces, JsonText, json, streamed } from './answer.ts';
import type { Caller } from './authenticate.ts';
import { endpoints } from './endpoint.ts';
import { streamOfEvents } from './event-stream.ts';
import { bytesOfDiffs } from './record-texts.ts';
import { storedType } from './records.ts';
import { cursorIn, parseId } from './request-source.ts';
import { revertEvent } from './revert.ts';

export const eventEndpoints = endpoints(eventRoutes, {
  async listEvents({ query, view, caller }) {
    const { after, before, limit, order, ...filter } = filterOf(query, caller);
    const { items, next } = await view.events.page(filter, { after, before, limit, order });
    const [next_after, next_before] = order === 'asc' ? [next, null] : [null, next];
    const bytes = bytesOfDiffs(items.map(({ diff }) => diff));
    const texts = new JsonText(arrayPieces([items], eventText), bytes);
    return streamed(200, { items: texts, next_after, next_before });
  },

  streamEvents({ query, view, caller, heldRights, exchange }, { clock }) {
    const { after: asked, before, ...filter } = filterOf(query, caller);
    const { ids } = view.events;
    const last = lastEventId(exchange.header('last-event-id'));
    const after = beginningOf(last, { after: asked, since: filter.since }, ids);
    const { owner } = exchange;
    const request = { after, rights: heldRights, now: clock, owner, cut: () => exchange.cut() };
    // Before the stream takes its place, as it may fail.
    const idOf = ids.ofNumbers();
    return streamOfEvents(view.events.follow(filter, before, request), idOf, exchange);
  },

  getEvent: async ({ params, query, view }) => {
    const part = { limit: query.limit, after: cursorIn(query.cursor) };
    const { event, next } = await view.events.part(parseId(params.seq), part);
    const text = new JsonText(eventText(event));
    return json(200, { event: text, next_cursor: next && cursorOf(next) });
  },

  revertEvent,
});

interface Asked {
  readonly type?: string | undefined;
  readonly mine?: boolean | undefined;
  readonly actor?: string | undefined;
}

function filterOf<Query extends Asked>({ type, mine, actor, ...query }: Query, caller: Caller) {
  const { actor: by, localUser } = caller;
  const kind = by?.kind ?? (localUser === undefined ? null : 'local');
  return {
    ...query,
    type: type?.trim() ? storedType(type) : undefined,
    actor,
    own: mine ? { kind, name: (by ?? localUser)?.name ?? null } : undefined,
  };
}

/** Behind which number a stream begins; undefined for the next event. */
function beginningOf(
  last: string | undefined,
  { after, since }: { readonly after: string | undefined; readonly since: number | undefined },
  ids: StreamIds,
): number | undefined {
  const id = last ?? after;
  // With a time to begin at there is a past to tell.
  if (id === undefined) return since === undefined ? undefined : 0;
  const isNumberOfToday = last === undefined && !id.includes('-');
  return isNumberOfToday ? Number(id) : ids.behind(id);
}

function lastEventId(given: string | undefined): string | undefined {
  if (given === undefined || /^(?:\d{1,10}-)?\d{1,15}$/.test(given)) return given;
  throw new Problem('INVALID_INPUT', 'Last-Event-ID must be the id of an event, like 7 or 2-7');
}
