/**
 * Where a caller may read records, as a condition of SQL: zones, names and types of its grants.
 *
 * Grants that narrow alike share one clause over all their zones; a subtree is a range of keys
 * (dns/name.ts). SQLite takes long to prepare very many clauses, so roles with so many ways of
 * narrowing are judged row by row, by a function.
 */
import { keyToBytes, type NameKey } from '../dns/name.ts';
import type { NamePattern, TypeSet } from '../domain/access/pattern.ts';
import type { RecordScope } from '../domain/access/rights.ts';
import { amongZones, type Bound, type BoundClause, jsonOfIds } from './condition.ts';

/** Scopes that differ in their zone only. */
interface Group {
  readonly names: NamePattern;
  readonly types: TypeSet;
  /** Undefined for all zones. */
  zoneIds: Set<number> | undefined;
}

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

/** Ways of narrowing up to which each has its clause. */
const mostClauses = 50;

/** The clauses, to be joined by AND, of records in any of the scopes; `byRow` asks a ScopeTest. */
export function clausesOf(scopes: readonly RecordScope[], byRow: string): BoundClause[] {
  const groups = grouped(scopes);
  if (groups.length === 0) return [{ clause: '0', values: [] }];
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return clausesOfGroup(only);
  const clauses =
    groups.length > mostClauses
      ? [{ clause: byRow, values: [] }]
      : [anyOf(groups.map((group) => allOf(clausesOfGroup(group))))];
  // Said once more for the zones alone, so that those without any scope are not even looked at.
  if (groups.every(({ zoneIds }) => zoneIds !== undefined)) {
    const ids = new Set(groups.flatMap(({ zoneIds }) => [...zoneIds!]));
    clauses.unshift(inZones(ids));
  }
  return clauses;
}

function grouped(scopes: readonly RecordScope[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { zoneId, names, types } of scopes) {
    const name = names.kind === 'any' ? '' : names.name;
    const key = JSON.stringify([names.kind, name, types && [...types].sort()]);
    const group = groups.get(key) ?? { names, types, zoneIds: new Set() };
    groups.set(key, group);
    if (zoneId === null) group.zoneIds = undefined;
    else group.zoneIds?.add(zoneId);
  }
  return [...groups.values()];
}

/** The plus keeps SQLite from looking zones up one by one, which would lose the order of names. */
function inZones(ids: ReadonlySet<number>): BoundClause {
  const [first] = ids;
  return ids.size === 1 && first !== undefined
    ? { clause: 'zone.id = ?', values: [first] }
    : { clause: `+${amongZones}`, values: [jsonOfIds(ids)] };
}

function clausesOfGroup({ names, types, zoneIds }: Group): BoundClause[] {
  const clauses: BoundClause[] = [];
  if (zoneIds !== undefined) clauses.push(inZones(zoneIds));
  if (names.kind === 'exact') {
    clauses.push({ clause: 'record.owner = ?', values: [keyToBytes(names.name)] });
  }
  if (names.kind === 'subtree') {
    const least = keyToBytes(names.name);
    // A key ends with a label's end, the octet 0; no key within it is greater than with a 1 there.
    const beyond = Buffer.from(least);
    beyond[beyond.length - 1] = 1;
    clauses.push({ clause: 'record.owner >= ? AND record.owner < ?', values: [least, beyond] });
  }
  if (types !== undefined) {
    clauses.push({ clause: `record.type IN (${[...types].join(', ')})`, values: [] });
  }
  return clauses;
}

function allOf(parts: readonly BoundClause[]): BoundClause {
  if (parts.length === 0) return { clause: '1', values: [] };
  return {
    clause: parts.map(({ clause }) => clause).join(' AND '),
    values: parts.flatMap<Bound>(({ values }) => values),
  };
}

function anyOf(parts: readonly BoundClause[]): BoundClause {
  return {
    clause: `(${parts.map(({ clause }) => clause).join(' OR ')})`,
    values: parts.flatMap<Bound>(({ values }) => values),
  };
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
