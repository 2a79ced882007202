/** One event with all that it changed, which the service gives by pages (`events SEQ`). */
import type { EventAnswer, JournalEvent } from '../answers.ts';
import { doneBy, withDiff } from '../changes.ts';
import type { Context } from '../command.ts';
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
  ['settings', ({ settings_changed: settings }) => settings.join(', ')],
  ['signing', ({ signing }) => signing && [signing.reason, ...signing.key_tags].join(' ')],
  ['details', ({ details }) => details && JSON.stringify(details)],
  ['redacted', ({ redacted }) => (redacted ? 'yes' : undefined)],
];

/** RRsets that are asked for at once. */
const pageRrsets = 1000;

export async function showEvent(
  seq: number,
  { client: connect, output }: Context,
): Promise<undefined> {
  const client = await connect();
  const isCut = output.format === 'table' && Number.isFinite(output.maxLines);
  const limit = isCut ? Math.min(pageRrsets, output.maxLines + 1) : pageRrsets;
  const ask = (cursor: string | undefined) => {
    const { path, query } = request.send({ seq, limit, cursor });
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
  await output.show(answer, () => textOf(answer.event, output));
  return undefined;
}

function textOf(event: JournalEvent, output: Output): string {
  return withDiff(output.one(fields, event), event.diff ?? { entries: [] }, output);
}
