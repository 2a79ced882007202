/**
 * Where a caller may read records, as a condition of SQL: zones, names and types of its grants.
 *
 * Grants that narrow alike share one clause over all their zones, so that the query stays small for
 * roles with many grants. A subtree is a range of keys (dns/name.ts).
 */
import { keyToBytes } from '../dns/name.ts';
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

/** The clauses, to be joined by AND, of records in any of the scopes. */
export function clausesOf(scopes: readonly RecordScope[]): BoundClause[] {
  const groups = grouped(scopes);
  if (groups.length === 0) return [{ clause: '0', values: [] }];
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return clausesOfGroup(only);
  const clauses = [anyOf(groups.map((group) => allOf(clausesOfGroup(group))))];
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

/** Joined by OR as a tree of little depth: SQLite takes expressions of 1000 levels at most. */
function anyOf(parts: readonly BoundClause[]): BoundClause {
  if (parts.length === 1) {
    const { clause, values } = parts[0]!;
    return { clause: `(${clause})`, values };
  }
  const middle = parts.length >> 1;
  const left = anyOf(parts.slice(0, middle));
  const right = anyOf(parts.slice(middle));
  return {
    clause: `(${left.clause} OR ${right.clause})`,
    values: [...left.values, ...right.values],
  };
}
