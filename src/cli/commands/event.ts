/** One event with all that it changed, which the service gives by pages (`events SEQ`). */
import type { EventAnswer, JournalEvent } from '../answers.ts';
import { doneBy, withDiff } from '../changes.ts';
import type { Context } from '../command.ts';
import { asPresented } from '../difference.ts';
import { requestOf } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';

const request = requestOf({ usage: 'events [seq]', route: 'getEvent', fields: {} });
export const seqPositional = request.positionals;

const fields: Columns<JournalEvent> = [
  'seq',
  'at',
  'kind',
  ['zone', ({ zone }) => zone?.name],
  'serial',
  ['by', ({ actor, source }) => doneBy(actor, source)],
  ['reason', ({ reason }) => reason],
  ['reference', ({ reference }) => reference],
  ['records', recordCounts],
  ['settings', ({ settings_changed: settings }) => settings.join(', ')],
  ['signing', ({ signing }) => signing && [signing.reason, ...signing.key_tags].join(' ')],
  ['details', ({ details }) => details && JSON.stringify(details)],
  ['redacted', ({ redacted }) => (redacted ? 'yes' : undefined)],
];

/** The records that an event added and removed: `+1 -1`. */
export function recordCounts({ summary }: JournalEvent): string {
  const { added = 0, removed = 0 } = summary ?? {};
  return [added > 0 && `+${added}`, removed > 0 && `-${removed}`].filter(Boolean).join(' ');
}

/** RRsets that are asked for at once where all of them are wanted. */
const pageRrsets = 1000;

export async function showEvent(
  seq: number,
  { client: connect, output }: Context,
): Promise<undefined> {
  const client = await connect();
  const sent = asPresented({ seq }, output);
  const isCut = sent.limit !== undefined;
  const ask = (cursor: string | undefined) => {
    const { path, query } = request.send({ limit: pageRrsets, ...sent, cursor });
    return client.get<EventAnswer>(path, query);
  };
  const answer = await ask(undefined);
  const { diff } = answer.event;
  while (diff !== null && !isCut && answer.next_cursor !== null) {
    const more = await ask(answer.next_cursor);
    diff.entries.push(...(more.event.diff?.entries ?? []));
    for (const change of ['added', 'changed', 'removed'] as const) {
      diff.summary[change] += more.event.diff?.summary[change] ?? 0;
    }
    answer.next_cursor = more.next_cursor;
    answer.event.diff_truncated = more.event.diff_truncated;
  }
  await output.show(answer, () => textOf(answer, output));
  return undefined;
}

function textOf({ event, next_cursor: next }: EventAnswer, output: Output): string {
  const entries = event.diff?.entries ?? [];
  const total = next === null ? entries.length : (event.summary?.changed ?? null);
  return withDiff(output.one(fields, event), { entries, total }, output);
}
