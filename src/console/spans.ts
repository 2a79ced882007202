/** The spans of an activity strip: their ends, their heights, and what is said of them. */
import type { Activity, ActivitySpan } from './api.ts';
import { counted } from './counted.ts';
import { absolute } from './moment.ts';

/** As many spans as bars can be seen beside each other; the interface gives 400 at most. */
export function spanCount(widthPixels: number): number {
  return Math.max(40, Math.min(400, Math.floor(widthPixels / 6)));
}

/** First and last index, inclusive. */
export interface SpanRange {
  readonly first: number;
  readonly last: number;
}

export function isQuiet({ changes, signing }: ActivitySpan): boolean {
  return changes === 0 && signing === 0;
}

/** The next span in a direction with a change in it; the one at the end where there is none. */
export function nextActive({ items }: Activity, from: number, by: 1 | -1): number {
  for (let index = from + by; index >= 0 && index < items.length; index += by) {
    if (!isQuiet(items[index]!)) return index;
  }
  return Math.max(0, Math.min(items.length - 1, from));
}

export function startOf({ items, to }: Activity, index: number): string {
  return items[index]?.at ?? to;
}

/** The last millisecond of a span. */
export function endOf(activity: Activity, index: number): string {
  return new Date(Date.parse(startOf(activity, index + 1)) - 1).toISOString();
}

/** The spans that two times lie in, of which each may be ''; undefined when both are, or they lie outside. */
export function rangeOf(activity: Activity, since: string, until: string): SpanRange | undefined {
  if (since === '' && until === '') return undefined;
  const { items } = activity;
  const [from, to] = [Date.parse(since) || 0, Date.parse(until) || Number.MAX_SAFE_INTEGER];
  const first = items.findIndex((_, index) => Date.parse(endOf(activity, index)) >= from);
  const last = items.findLastIndex(({ at }) => Date.parse(at) <= to);
  return first < 0 || last < first ? undefined : { first, last };
}

/** What happened in spans that follow each other. */
export function spanText(activity: Activity, { first, last }: SpanRange): string {
  const sum = { changes: 0, added: 0, removed: 0, signing: 0 };
  const sources = new Map<string, number>();
  for (const span of activity.items.slice(first, last + 1)) {
    sum.changes += span.changes;
    sum.added += span.added;
    sum.removed += span.removed;
    sum.signing += span.signing;
    for (const [source, count] of Object.entries(span.by_source)) {
      sources.set(source, (sources.get(source) ?? 0) + count);
    }
  }
  const by = [...sources].map(([source, count]) => `${source} ${count}`).join(', ');
  const when = `${absolute(startOf(activity, first))} to ${absolute(startOf(activity, last + 1))}`;
  const signed = sum.signing === 0 ? '' : `, ${counted(sum.signing, 'signing run')}`;
  const added = `${counted(sum.added, 'record')} added`;
  const removed = `${sum.removed.toLocaleString('en')} removed`;
  const what = `${counted(sum.changes, 'change')}, ${added}, ${removed}`;
  return `${when}: ${what}${signed}${by === '' ? '' : ` (${by})`}`;
}

/** Heights of bars are logarithms: one record can be seen beside a hundred thousand. 0 to 1. */
export function heightOf(count: number, highest: number): number {
  return count === 0 ? 0 : Math.max(0.08, Math.log1p(count) / Math.log1p(highest));
}

/** How many serials each source made, in the order of the interface; those that only re-signed are left out. */
function sourcesOf({ by_source: counts, signing }: ActivitySpan): readonly [string, number][] {
  const { system = 0 } = counts;
  const own = { ...counts, system: Math.max(0, system - signing) };
  return Object.entries(own).filter(([, count]) => count > 0);
}

/** The part of a bar that each source has, and where it begins, of 1. */
export function sharesOf(span: ActivitySpan) {
  const sources = sourcesOf(span);
  const total = sources.reduce((sum, [, count]) => sum + count, 0);
  let before = 0;
  return sources.map(([source, count]) => {
    const share = { source, before, share: count / total };
    before += share.share;
    return share;
  });
}

/** All sources of a strip, with their serials. */
export function totalsOf({ items }: Activity): readonly [string, number][] {
  const totals = new Map<string, number>();
  for (const [source, count] of items.flatMap(sourcesOf)) {
    totals.set(source, (totals.get(source) ?? 0) + count);
  }
  return [...totals].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Spans that have begun by a time; all for '', which is now. */
export function passedBy({ items }: Activity, time: string): number {
  if (time === '') return items.length;
  const wanted = Date.parse(time);
  return Math.max(1, items.findLastIndex(({ at }) => Date.parse(at) <= wanted) + 1);
}

/** How much of a strip lies before a time, of 1. */
export function shareBefore(activity: Activity, time: string): number {
  return Math.max(0, Math.min(1, positionOf(activity, time)));
}

/** Where a time stands in a strip, of 1; undefined outside of it. */
export function offsetOf(activity: Activity, time: string): number | undefined {
  const offset = positionOf(activity, time);
  return offset < 0 || offset > 1 ? undefined : offset;
}

function positionOf(activity: Activity, time: string): number {
  const [from, to] = [Date.parse(startOf(activity, 0)), Date.parse(activity.to)];
  return (Date.parse(time) - from) / Math.max(1, to - from);
}
