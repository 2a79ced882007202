/**
 * How changes are presented: in a headline, what they did to records line by line, and who made them.
 *
 * In a diff `+` is what was added, `-` what was removed, `~` a record that stayed with another TTL or priority.
 */
import type { DiffEntry, DiffValue, HistoryEntry, RecordDiff } from './answers.ts';
import type { Output } from './output.ts';
import { onOneLine, type Paint } from './terminal.ts';
import { showValue } from './value.ts';

/** How a diff is presented: `maxLines` of it at most. */
type Presentation = Pick<Output, 'paint' | 'maxLines'>;

/** A diff, or its beginning with the `total` of its RRsets: null where nobody has counted those that are missing. */
type PresentedDiff = Pick<RecordDiff, 'entries'> & { readonly total?: number | null };

/** The lines of a diff, and one that says what is left out; only those presented are made. */
export function diffLines(
  { entries, total = entries.length }: PresentedDiff,
  { paint, maxLines }: Presentation,
): string[] {
  const lines: string[] = [];
  let count = 0;
  for (const entry of entries) {
    if (lines.length >= maxLines) break;
    for (const each of entryLines(entry, paint)) lines.push(each);
    count++;
  }
  const presented = lines.slice(0, maxLines);
  const last = entries[count - 1];
  // An RRset may have thousands of values.
  const ofLast = lines.length - presented.length;
  if (ofLast > 0) presented.push(leftOut(ofLast, onOneLine(`of ${last!.name} ${last!.type}`)));
  if (total === null) presented.push(leftOut(null, 'RRsets'));
  else if (count < total) presented.push(leftOut(total - count, 'RRsets'));
  return presented;
}

/** The line below what is cut: `299,980 more RRsets`, and how to see them. */
export function leftOut(count: number | null, of: string): string {
  const more = count === null ? 'more' : `${count.toLocaleString('en')} more`;
  return `… ${more} ${of}; --all shows everything`;
}

/** The lines of many things, as far as they are presented, and one that says how many are left out. */
export function firstOf<Item>(
  items: readonly Item[],
  noun: string,
  { maxLines }: Pick<Output, 'maxLines'>,
  lineOf: (item: Item) => string,
): string[] {
  const lines = items.slice(0, maxLines).map(lineOf);
  const left = items.length - lines.length;
  return left === 0 ? lines : [...lines, leftOut(left, noun)];
}

function entryLines({ name, type, from, to }: DiffEntry, paint: Paint): string[] {
  const lines: string[] = [];
  // Two MX of one target are distinguished by priority, so what is the same goes first.
  const same = pairUp(from, to, ({ value, priority }) => `${priority} ${showValue(value)}`);
  const moved = pairUp(same.removed, same.added, ({ value }) => showValue(value));
  for (const [before, after] of [...same.pairs, ...moved.pairs]) {
    if (before.ttl === after.ttl && before.priority === after.priority) continue;
    const ttl = before.ttl === after.ttl ? `${after.ttl}` : `${before.ttl} -> ${after.ttl}`;
    lines.push(paint.yellow(line('~', name, ttl, type, after, before)));
  }
  for (const before of moved.removed) {
    lines.push(paint.red(line('-', name, String(before.ttl), type, before)));
  }
  for (const after of moved.added) {
    lines.push(paint.green(line('+', name, String(after.ttl), type, after)));
  }
  return lines;
}

interface Pairing {
  readonly pairs: readonly (readonly [before: DiffValue, after: DiffValue])[];
  readonly removed: readonly DiffValue[];
  readonly added: readonly DiffValue[];
}

/** Pairs values that have one key; what finds no partner was removed or added. */
function pairUp(
  from: readonly DiffValue[],
  to: readonly DiffValue[],
  keyOf: (value: DiffValue) => string,
): Pairing {
  const waiting = new Map<string, DiffValue[]>();
  for (const after of to) {
    const key = keyOf(after);
    const others = waiting.get(key);
    if (others === undefined) waiting.set(key, [after]);
    else others.push(after);
  }
  const pairs: [DiffValue, DiffValue][] = [];
  const removed: DiffValue[] = [];
  for (const before of from) {
    const after = waiting.get(keyOf(before))?.shift();
    if (after === undefined) removed.push(before);
    else pairs.push([before, after]);
  }
  return { pairs, removed, added: [...waiting.values()].flat() };
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
export function withDiff(
  headline: string,
  diff: PresentedDiff,
  presentation: Presentation,
): string {
  return [headline, ...diffLines(diff, presentation)].join('\n');
}

/** The verb of a headline: `created`, or `would create`. */
export function done({ dry_run: isDryRun }: { dry_run?: boolean }, verb: string): string {
  if (isDryRun) return `would ${verb}`;
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The changes of a zone or record: a headline for each, then what it changed. */
export function historyText(entries: readonly HistoryEntry[], output: Presentation): string {
  return entries.map((entry) => changeLines(entry, output).join('\n')).join('\n\n');
}

function changeLines(entry: HistoryEntry, output: Presentation): string[] {
  const { paint } = output;
  const serial = entry.serial === null ? '' : ` serial ${entry.serial}`;
  const who = doneBy(entry.actor, entry.change_source);
  const headline = `${entry.created_at}${serial} ${entry.kind} by ${who}`;
  const why = whyText(entry);
  const said = why === '' ? [] : [onOneLine(`because: ${why}`)];
  const lines = [paint.bold(onOneLine(headline)), ...said, ...diffLines(entry.diff, output)];
  if (entry.settings_changed.length > 0) {
    lines.push(paint.yellow(`~ ${entry.settings_changed.join(', ')}`));
  }
  if (entry.diff_left_out) {
    lines.push(`${entry.records_added} records added, ${entry.records_removed} removed`);
  }
  return lines;
}

/** The reason that was given, and in brackets where to read more. */
export function whyText({ reason, reference }: Pick<HistoryEntry, 'reason' | 'reference'>): string {
  return [reason, reference && `(${reference})`].filter(Boolean).join(' ');
}

/** Who, and over which interface: `ci (api)`; the interface alone where nobody is named. */
export function doneBy(actor: { readonly name: string } | null, source: string): string {
  return actor === null ? source : `${actor.name} (${source})`;
}
