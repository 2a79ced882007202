/** What undoes the writes of a command, for people: one line on standard error. */
import { kindsWithInverse } from '../base/event-kind.ts';
import type { Event, EventPage } from './answers.ts';
import type { Client } from './client.ts';
import type { TextSink } from './environment.ts';
import type { Output } from './output.ts';

/** Whether an event is of a kind that can be undone. */
export function canBeUndone({ zone, kind }: Pick<Event, 'zone' | 'kind'>): boolean {
  return zone !== null && kindsWithInverse.has(kind);
}

/** Events of the first page, which ends most searches, and of each other one. */
const pageSizes = [2, 100] as const;

/** The newest events of the caller, as long as they are some that are looked for, until enough can be undone. */
async function newestOwn(
  client: Client,
  isWanted: (event: Event, newest: Event) => boolean,
  enough = Number.POSITIVE_INFINITY,
): Promise<readonly Event[]> {
  const found: Event[] = [];
  let newest: Event | undefined;
  for (let before: number | undefined; ; ) {
    const limit = pageSizes[newest === undefined ? 0 : 1];
    const query = { mine: true, order: 'desc', limit, before };
    const { items, next_before: next } = await client.get<EventPage>('/events', query);
    for (const event of items) {
      newest ??= event;
      if (!isWanted(event, newest)) return found;
      found.push(event);
    }
    if (next === null || found.filter(canBeUndone).length > enough) return found;
    // A page without events of the caller is not the last, but those that are wanted follow one another.
    if (items.length === 0 && (newest !== undefined || Number.isFinite(enough))) return found;
    before = next;
  }
}

/** The events of the last change of the caller, the newest first: it has one in each zone that it changed. */
export function lastOwn(client: Client): Promise<readonly Event[]> {
  return newestOwn(client, (event, newest) => {
    const { request_id: id, at } = newest;
    return event === newest || (id !== null && event.request_id === id && event.at === at);
  });
}

/** Numbers that one line names. */
const namedEvents = 20;

/**
 * Says nothing where nothing was written, nothing can be undone, or the service does not tell. What was just written
 * is the newest of the caller, so that nothing is looked for further back.
 */
export async function hintUndo(client: Client, output: Output, stderr: TextSink): Promise<void> {
  const { writes } = client;
  if (writes.size === 0) return;
  const isOfThis = ({ request_id: id }: Event) => id !== null && writes.has(id);
  const found = await newestOwn(client, isOfThis, namedEvents).catch(() => []);
  const numbers = found.filter(canBeUndone).map(({ seq }) => seq);
  if (numbers.length === 0) return;
  const line =
    numbers.length > namedEvents
      ? `it made more than ${namedEvents} events; 'zonebook events --mine' lists them for: zonebook undo SEQ...`
      : `undo this with: zonebook undo ${numbers.join(' ')}`;
  stderr.write(`${output.hint(line)}\n`);
}
