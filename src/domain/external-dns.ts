/**
 * What an external DNS controller asks for, as values: RRsets to create, delete and replace, in whichever
 * zones their names belong to (interface 4.8).
 *
 * A record here is a whole RRset, or the part of one that the controller cares for.
 */
import type { Warning } from '../base/warning.ts';
import {
  emptyName,
  isWithin,
  type NameKey,
  parseAbsoluteName,
  printAbsoluteName,
} from '../dns/name.ts';
import { parseRdata, printRdata } from '../dns/rdata/rdata.ts';
import { parseType, printType, rrtype } from '../dns/rrtype.ts';
import type { RecordAction } from '../base/action.ts';
import type { Rights } from './access/rights.ts';

/** The types a controller manages. */
export const externalTypes: ReadonlySet<number> = new Set([
  rrtype.A,
  rrtype.AAAA,
  rrtype.CNAME,
  rrtype.TXT,
]);

/** Their names in the order that messages list them. */
export const externalTypeNames = [...externalTypes].map(printType).join(', ');

/** An RRset as it is asked for: the name absolute with or without closing dot, values in any spelling. */
export interface ExternalRecord {
  readonly name: string;
  readonly type: string;
  /** Seconds; the zone's default TTL when left out. */
  readonly ttl?: number | undefined;
  readonly values: readonly string[];
}

/** An RRset as it is stored: name with closing dot, values in presentation form, sorted, each once. */
export interface StoredExternalRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly values: readonly string[];
}

export interface ExternalUpdate {
  readonly old: ExternalRecord;
  readonly new: ExternalRecord;
}

/** All of it is done in one transaction over all its zones, or nothing. */
export interface ApplyExternalDns {
  readonly kind: 'apply-external-dns';
  readonly creates: readonly ExternalRecord[];
  readonly deletes: readonly ExternalRecord[];
  readonly updates: readonly ExternalUpdate[];
  /** True to refuse to create an RRset that exists with other values. */
  readonly exclusive?: boolean;
  /** Of changes that are a part of others: what all of them delete, by zone. */
  readonly deletions?: ReadonlyMap<string, number>;
}

export interface ExternalDnsOutcome {
  /** Records that came and that went; one whose TTL changed counts as both, like in an IXFR. */
  readonly added: number;
  readonly deleted: number;
  /** In the order of their names. */
  readonly changedZones: readonly string[];
  /** What guards count, by zone: records that do not only get another value or TTL. */
  readonly deletions: ReadonlyMap<string, number>;
  readonly warnings: readonly Warning[];
}

/** The number of a type that a controller may manage; undefined for every other. */
export function parseExternalType(text: string): number | undefined {
  const type = parseType(text.trim());
  return type !== undefined && externalTypes.has(type) ? type : undefined;
}

/**
 * The spelling a record would have once stored. A name or value that can not be read stays as it is: a
 * controller shows us everything its sources have, also what is in no zone of ours.
 */
export function adjustExternalRecord(
  record: ExternalRecord,
  type: number,
): Omit<StoredExternalRecord, 'ttl'> {
  const values = new Set(record.values.map((value) => adjustedValue(type, value)));
  return { name: adjustedName(record.name), type: printType(type), values: [...values].sort() };
}

function adjustedName(name: string): string {
  try {
    return printAbsoluteName(parseAbsoluteName(name.trim()));
  } catch {
    return name;
  }
}

function adjustedValue(type: number, value: string): string {
  try {
    return printRdata(type, parseRdata(type, value));
  } catch {
    return value;
  }
}

/** Replacing a record is deleting and creating, so record:update is not among them. */
const neededActions: readonly RecordAction[] = ['record:read', 'record:create', 'record:delete'];

/**
 * The domains of one zone that a role lets a controller manage (interface 4.8 rule 5), as owners relative to its
 * apex, each once.
 *
 * A grant contributes its zone or, when its pattern is a subtree, that subtree; and only where the role
 * may read, create and delete records of one and the same type at that name, in whichever grants. A
 * domain covers what is below it, so narrower grants are still enforced when changes are applied.
 */
export function managedOwners(rights: Rights, zoneId: number): readonly NameKey[] {
  if (rights.isFull) return [emptyName];
  const candidates = new Set<NameKey>();
  for (const names of rights.namesIn(zoneId)) {
    candidates.add(names.kind === 'subtree' ? names.name : emptyName);
  }
  return [...candidates].filter((owner) => isManageable(rights, zoneId, owner)).sort();
}

function isManageable(rights: Rights, zoneId: number, owner: NameKey): boolean {
  for (const type of externalTypes) {
    if (neededActions.every((action) => rights.onRecord(action, zoneId, owner, type))) return true;
  }
  return false;
}

/** Of domains in one zone those that no other covers. */
export function outermost(owners: readonly NameKey[]): readonly NameKey[] {
  return owners.filter((owner) =>
    owners.every((other) => other === owner || !isWithin(owner, other)),
  );
}
