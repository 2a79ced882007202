/** The guard of a zone as a caller sets it, and as it is stored (guard.ts says what it holds back). */
import { parseTime } from '../base/clock.ts';
import { readFields } from '../base/item-errors.ts';
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import type { GivenGuard } from '../base/zone-settings.ts';
import { emptyName, keyFromLabels, type NameKey, splitNameText } from '../dns/name.ts';
import { mayBeStored, parseType, printType } from '../dns/rrtype.ts';
import { matchesName, matchesType } from './access/pattern.ts';
import type { RecordScope, Rights } from './access/rights.ts';
import { parseNote } from './identifier.ts';

/** What is stored of a guard. What is left out is as the configuration says. */
export interface StoredGuard {
  readonly maxDeletePercent?: number;
  readonly maxDeletes?: number;
  readonly protect?: readonly { readonly name: string; readonly type: string | null }[];
  /** RFC 3339. */
  readonly lockedUntil?: string;
  readonly lockReason?: string | null;
}

/** The zone of which records go. */
export interface Guarded {
  readonly guard: string | null;
}

function invalid(message: string): Problem {
  return new Problem('INVALID_ZONE_FIELD', `guard.${message}`);
}

/** What is stored of a guard as a caller gives it, all of it anew; INVALID_ZONE_FIELD. */
export function parseGuard(given: GivenGuard): string | null {
  const number = (field: 'max_delete_percent' | 'max_deletes', max: number) => {
    const value = given[field];
    if (value === null || value === undefined) return undefined;
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    throw invalid(`${field}: ${value} is outside 0..${max}`);
  };
  const guard = readFields({
    maxDeletePercent: () => number('max_delete_percent', 100),
    maxDeletes: () => number('max_deletes', limits.id),
    protect: () => parseProtect(given),
    lockedUntil: () => parseLock(given),
    lockReason: () => parseLockReason(given),
  });
  const text = JSON.stringify(guard);
  return text === '{}' ? null : text;
}

function parseLock({ locked_until: until }: GivenGuard): string | undefined {
  if (until === null || until === undefined || parseTime(until) !== undefined) {
    return until ?? undefined;
  }
  throw invalid(`locked_until: must be a time like 2026-01-31T12:00:00Z`);
}

function parseLockReason({ lock_reason: reason }: GivenGuard): string | null | undefined {
  if (!reason) return undefined;
  return parseNote(reason, 'INVALID_ZONE_FIELD', 'guard.lock_reason');
}

function parseProtect({ protect }: GivenGuard): StoredGuard['protect'] {
  if ((protect?.length ?? 0) > limits.protectedRrsets) {
    throw invalid(`protect: ${protect!.length} entries (at most ${limits.protectedRrsets})`);
  }
  return protect?.map(parseProtected);
}

function parseProtected({ name, type }: NonNullable<GivenGuard['protect']>[number]) {
  protectedOwner(name);
  if (type === null || type === undefined) return { name, type: null };
  const parsed = parseType(type.trim());
  if (parsed === undefined || !mayBeStored(parsed)) {
    throw invalid(`protect: '${excerpt(type)}' is no type of records`);
  }
  return { name, type: printType(parsed) };
}

/** An owner relative to the apex, which `@` stands for. */
export function protectedOwner(name: string): NameKey {
  if (name === '@') return emptyName;
  try {
    const { labels, absolute } = splitNameText(name);
    if (!absolute) return keyFromLabels(labels);
  } catch (error) {
    throw invalid(`protect: '${excerpt(name)}' ${error instanceof Error ? error.message : ''}`);
  }
  throw invalid(`protect: '${excerpt(name)}' has to be relative to the zone`);
}

/** A guard as a caller sees it: of what it protects what they may read, and all of it who may set it. */
export function visibleGuard(zone: Guarded & { readonly id: number }, rights: Rights) {
  if (zone.guard === null) return null;
  const guard = storedGuard(zone);
  if (guard.protect === undefined || rights.inZone('zone:update', zone.id)) return guard;
  const scopes = rights.scopesIn('record:read', zone.id);
  const isReadable = ({ name, type }: { name: string; type: string | null }) => {
    const owner = protectedOwner(name);
    const only = type === null ? undefined : parseType(type);
    const reaching = ({ names, types }: RecordScope) =>
      matchesName(names, owner) && (only === undefined || matchesType(types, only));
    return scopes.findIndex(reaching) >= 0;
  };
  return { ...guard, protect: guard.protect.filter(isReadable) };
}

/** A guard as it is stored; empty where a zone has none of its own. */
export function storedGuard({ guard }: Guarded): StoredGuard {
  return guard === null ? {} : (JSON.parse(guard) as StoredGuard);
}
