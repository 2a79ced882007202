/**
 * Which records a caller may read, made of its rights alone: zone by zone as ranges of owners and as a test of
 * records. What no grant reaches is left out, so who has no grants reads nothing.
 */
import { Memory } from '../base/memory.ts';
import { lastLabelStart, type NameKey } from '../dns/name.ts';
import type { NamePattern, TypeSet } from '../domain/access/pattern.ts';
import type { RecordScope, Rights, ZoneSet } from '../domain/access/rights.ts';
import { allOwners, type KeyRange, mergeRanges, rangeOfPattern } from './key-range.ts';

export class ReadableRecords {
  readonly #rights: Rights;
  readonly #parts = new Memory<readonly RecordScope[], ReadablePart>();

  constructor(rights: Rights) {
    this.#rights = rights;
  }

  /** The zones that hold any. */
  zones(): ZoneSet {
    return this.#rights.zonesOf('record:read');
  }

  in(zoneId: number): ReadablePart {
    const scopes = this.#rights.scopesIn('record:read', zoneId);
    return this.#parts.of(scopes, () => new ReadablePart(scopes));
  }
}

/** What a caller may read of one zone. */
export class ReadablePart {
  /** True when every record of the zone may be read. */
  readonly isAll: boolean;
  /** The owners that may have records that may be read. */
  readonly ranges: readonly KeyRange[];
  readonly #types = new Map<string, TypeSet>();
  readonly #namesLeading: boolean;

  constructor(scopes: readonly RecordScope[]) {
    this.isAll = scopes.some(({ names, types }) => names.kind === 'any' && types === undefined);
    this.#namesLeading = scopes.some(({ names }) => names.kind === 'leading');
    this.ranges = this.isAll
      ? [allOwners]
      : mergeRanges(scopes.map(({ names }) => rangeOfPattern(names)));
    for (const { names, types } of scopes) {
      const key = keyOf(names.kind, names.kind === 'any' ? '' : names.name);
      const before = this.#types.has(key) ? this.#types.get(key) : new Set<number>();
      const both = before === undefined || types === undefined;
      this.#types.set(key, both ? undefined : new Set([...before, ...types]));
    }
  }

  has(owner: NameKey, type: number): boolean {
    if (this.isAll || this.#holds(keyOf('any', ''), type)) return true;
    if (this.#holds(keyOf('exact', owner), type)) return true;
    // A name and its ancestors are the beginnings of its key that end with a label's end.
    for (let end = owner.indexOf('\0'); end >= 0; end = owner.indexOf('\0', end + 1)) {
      if (this.#holds(keyOf('subtree', owner.slice(0, end + 1)), type)) return true;
    }
    return this.#hasLeading(owner, type);
  }

  /** The first labels of a name, however many, are the ends of its key that begin with a label. */
  #hasLeading(owner: NameKey, type: number): boolean {
    for (let start = owner.length; this.#namesLeading && start > 0; ) {
      start = lastLabelStart(owner, start);
      if (this.#holds(keyOf('leading', owner.slice(start)), type)) return true;
    }
    return false;
  }

  #holds(key: string, type: number): boolean {
    if (!this.#types.has(key)) return false;
    return this.#types.get(key)?.has(type) ?? true;
  }
}

function keyOf(kind: NamePattern['kind'], name: string): string {
  return `${kind} ${name}`;
}
