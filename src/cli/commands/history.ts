/** Histories, as zones and records have them: a headline for each step, then what it changed. */
import type { HistoryEntry } from '../answers.ts';
import type { QueryValues } from '../client.ts';
import type { Context } from '../command.ts';
import { diffLines } from '../diff-lines.ts';
import type { ValuesOf } from '../field.ts';
import { fetchPages, moreLine, type pageOptions } from '../page.ts';
import { onOneLine, type Paint } from '../paint.ts';

export async function showHistory(
  path: string,
  query: QueryValues,
  page: ValuesOf<typeof pageOptions>,
  context: Context,
): Promise<undefined> {
  const client = await context.client();
  const history = await fetchPages<HistoryEntry>(client, path, query, page);
  await context.output.show(history, () => {
    if (history.items.length === 0) return 'no changes';
    const { paint } = context.output;
    const steps = history.items.map((entry) => stepLines(entry, paint).join('\n'));
    return `${steps.join('\n\n')}${moreLine(history)}`;
  });
}

function stepLines(entry: HistoryEntry, paint: Paint): string[] {
  const serial = entry.serial === null ? '' : ` serial ${entry.serial}`;
  const who = changedBy(entry);
  const headline = `${entry.created_at}${serial} ${entry.kind} by ${who}`;
  const lines = [paint.bold(onOneLine(headline)), ...diffLines(entry.diff, paint)];
  if (entry.settings_changed.length > 0) {
    lines.push(paint.yellow(`~ ${entry.settings_changed.join(', ')}`));
  }
  if (entry.diff_left_out) {
    lines.push(`${entry.records_added} records added, ${entry.records_removed} removed`);
  }
  return lines;
}

/** Who and by which door: `token ci (api)`. */
export function changedBy(entry: Pick<HistoryEntry, 'changed_by' | 'change_source'>): string {
  const { changed_by: actor, change_source: source } = entry;
  if (actor === null) return source;
  return `${actor.kind === 'token' ? 'token' : 'TSIG key'} ${actor.name} (${source})`;
}
