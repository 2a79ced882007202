/** Ranges of owners in canonical order: what of a zone a list has to look at. */
import { emptyName, type NameKey } from '../dns/name.ts';
import type { NamePattern } from '../domain/access/pattern.ts';

export interface KeyRange {
  readonly from: NameKey;
  /** The first key beyond; undefined for the end of the zone. */
  readonly to: NameKey | undefined;
}

export const allOwners: KeyRange = { from: emptyName, to: undefined };

/** No key stands between an owner and its own key with one more end of a label. */
export function onlyOwner(owner: NameKey): KeyRange {
  return { from: owner, to: `${owner}\0` as NameKey };
}

/** All owners that a pattern may match stand in it; with `leading` others do too. */
export function rangeOfPattern(pattern: NamePattern): KeyRange {
  switch (pattern.kind) {
    case 'any':
    case 'leading':
      return allOwners;
    case 'exact':
      return onlyOwner(pattern.name);
    case 'subtree':
      // A key ends with a label's end, the byte 0; no key within it is greater than with a 1 there.
      return { from: pattern.name, to: `${pattern.name.slice(0, -1)}\x01` as NameKey };
  }
}

/** What of the ranges is an owner or below it. */
export function rangesBelow(ranges: readonly KeyRange[], name: NameKey | undefined) {
  if (name === undefined || name === emptyName) return ranges;
  const { from, to } = rangeOfPattern({ kind: 'subtree', name });
  return ranges.flatMap((range): readonly KeyRange[] => {
    const first = range.from > from ? range.from : from;
    const end = range.to === undefined || range.to > to! ? to! : range.to;
    return first < end ? [{ from: first, to: end }] : [];
  });
}

/** The same owners as ranges that do not overlap, in order. */
export function mergeRanges(ranges: readonly KeyRange[]): KeyRange[] {
  const sorted = ranges.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const merged: KeyRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || (last.to !== undefined && last.to < range.from)) merged.push(range);
    else merged[merged.length - 1] = { from: last.from, to: laterEnd(last.to, range.to) };
  }
  return merged;
}

function laterEnd(a: KeyRange['to'], b: KeyRange['to']): KeyRange['to'] {
  return a === undefined || b === undefined ? undefined : a > b ? a : b;
}
