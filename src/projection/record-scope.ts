/** Where a caller may read records: the scopes of its grants, as ranges of owners and as a test. */
import type { NameKey } from '../dns/name.ts';
import type { NamePattern, TypeSet } from '../domain/access/pattern.ts';
import type { RecordScope } from '../domain/access/rights.ts';
import { type KeyRange, mergeRanges, rangeOfPattern } from './key-range.ts';

/** The scopes that matter in one zone, or in all; undefined when they leave nothing out there. */
export function scopesWithin(
  scopes: readonly RecordScope[] | undefined,
  zoneId: number | undefined,
): readonly RecordScope[] | undefined {
  if (scopes === undefined || zoneId === undefined) return scopes;
  const reaching = scopes.filter((scope) => scope.zoneId === null || scope.zoneId === zoneId);
  return reaching.some(isWhole) ? undefined : reaching;
}

export function isWhole({ names, types }: RecordScope): boolean {
  return names.kind === 'any' && types === undefined;
}

/** The owners of a zone that any of the scopes reaches. */
export function rangesOf(scopes: readonly RecordScope[], zoneId: number): KeyRange[] {
  const reaching = scopes.filter((scope) => scope.zoneId === null || scope.zoneId === zoneId);
  return mergeRanges(reaching.map(({ names }) => rangeOfPattern(names)));
}

/** Tells of single records whether they are in any of many scopes. */
export class ScopeTest {
  readonly #types = new Map<string, TypeSet>();

  constructor(scopes: readonly RecordScope[]) {
    for (const { zoneId, names, types } of scopes) {
      const key = keyOf(zoneId, names.kind, names.kind === 'any' ? '' : names.name);
      const before = this.#types.has(key) ? this.#types.get(key) : new Set<number>();
      const both = before === undefined || types === undefined;
      this.#types.set(key, both ? undefined : new Set([...before, ...types]));
    }
  }

  has(zoneId: number, owner: NameKey, type: number): boolean {
    for (const zone of [zoneId, null]) {
      if (this.#holds(keyOf(zone, 'any', ''), type)) return true;
      if (this.#holds(keyOf(zone, 'exact', owner), type)) return true;
      // A name and its ancestors are the beginnings of its key that end with a label's end.
      for (let end = owner.indexOf('\0'); end >= 0; end = owner.indexOf('\0', end + 1)) {
        if (this.#holds(keyOf(zone, 'subtree', owner.slice(0, end + 1)), type)) return true;
      }
    }
    return false;
  }

  #holds(key: string, type: number): boolean {
    if (!this.#types.has(key)) return false;
    return this.#types.get(key)?.has(type) ?? true;
  }
}

function keyOf(zoneId: number | null, kind: NamePattern['kind'], name: string): string {
  return `${zoneId ?? ''} ${kind} ${name}`;
}
