/**
 * Diffs of records as lines: `+` for what came, `-` for what went, `~` for a record that stayed
 * with another TTL or priority.
 */
import type { DiffEntry, DiffValue, RecordDiff } from './answers.ts';
import { onOneLine, type Paint } from './paint.ts';
import { showValue } from './value.ts';

export function diffLines({ entries }: Pick<RecordDiff, 'entries'>, paint: Paint): string[] {
  return entries.flatMap((entry) => entryLines(entry, paint));
}

function entryLines({ name, type, from, to }: DiffEntry, paint: Paint): string[] {
  const lines: string[] = [];
  const now = new Map(to.map((value) => [showValue(value.value), value]));
  const same = (a: DiffValue, b: DiffValue) => a.ttl === b.ttl && a.priority === b.priority;
  for (const before of from) {
    const text = showValue(before.value);
    const after = now.get(text);
    if (after === undefined) {
      lines.push(paint.red(line('-', name, String(before.ttl), type, before)));
      continue;
    }
    now.delete(text);
    if (same(before, after)) continue;
    const ttl = before.ttl === after.ttl ? `${after.ttl}` : `${before.ttl} -> ${after.ttl}`;
    lines.push(paint.yellow(line('~', name, ttl, type, after, before)));
  }
  for (const after of now.values()) {
    lines.push(paint.green(line('+', name, String(after.ttl), type, after)));
  }
  return lines;
}

function line(
  mark: string,
  name: string,
  ttl: string,
  type: string,
  { value, priority }: DiffValue,
  before?: DiffValue,
): string {
  const words = [mark, name, ttl, type];
  if (before !== undefined && before.priority !== priority) words.push(`${before.priority} ->`);
  if (priority !== null) words.push(String(priority));
  words.push(showValue(value));
  return onOneLine(words.join(' '));
}

/** The diff below a headline, or the headline alone when nothing changed. */
export function withDiff(headline: string, diff: RecordDiff, paint: Paint): string {
  return [headline, ...diffLines(diff, paint)].join('\n');
}
