/** What undoes the last write of a command, for people: one line on standard error. */
import { kindsWithInverse } from '../base/event-kind.ts';
import type { Event, Listing } from './answers.ts';
import type { Client } from './client.ts';
import type { TextSink } from './environment.ts';
import type { Output } from './output.ts';

/** Whether an event is of a kind that can be undone. */
export function canBeUndone({ zone, kind }: Pick<Event, 'zone' | 'kind'>): boolean {
  return zone !== null && kindsWithInverse.has(kind);
}

/** The newest event of the caller; undefined when there is none. */
export async function lastOwn(client: Client): Promise<Event | undefined> {
  const page = await client.get<Listing<Event>>('/events', { mine: true, order: 'desc', limit: 1 });
  return page.items[0];
}

/** Says nothing where nothing was written, nothing can be undone, or the service does not tell. */
export async function hintUndo(client: Client, output: Output, stderr: TextSink): Promise<void> {
  if (client.lastWrite === undefined) return;
  const event = await lastOwn(client).catch(() => undefined);
  if (event === undefined || event.request_id !== client.lastWrite || !canBeUndone(event)) return;
  stderr.write(`${output.hint(`undo this with: zonebook undo ${event.seq}`)}\n`);
}
