/** Keys of a zone as an operator handles them: which may be rolled, and which take over together. */
import type { DnssecStatus } from './api.ts';

export type Key = DnssecStatus['keys'][number];
export type KeyRole = Key['role'];

/** Published keys that take over together, and the active ones that they replace. */
export interface Successors {
  readonly keys: readonly Key[];
  readonly replaced: readonly Key[];
}

/** A ZSK has no DS at the parent. */
export function bearsDs({ role }: Pick<Key, 'role'>): boolean {
  return role !== 'zsk';
}

export function bearsAnyDs(keys: readonly Pick<Key, 'role'>[]): boolean {
  return keys.find(bearsDs) !== undefined;
}

/** Keys of a new algorithm take over together, others role by role; what waits for the parent comes first. */
export function successorsOf({ keys }: Pick<DnssecStatus, 'keys'>): readonly Successors[] {
  const published = keys.filter(({ state }) => state === 'published');
  const active = keys.filter(({ state }) => state === 'active');
  const used = new Set(active.map(({ algorithm }) => algorithm));
  const groups = Map.groupBy(published, ({ algorithm, role }) =>
    used.has(algorithm) ? role : algorithm,
  );
  return [...groups.values()]
    .map((group) => ({
      keys: group,
      replaced: active.filter(({ role }) => group.find((key) => key.role === role) !== undefined),
    }))
    .toSorted((one, other) => Number(bearsAnyDs(other.keys)) - Number(bearsAnyDs(one.keys)));
}

/** Roles whose key can be replaced now: nothing of the role, and no algorithm, is being replaced. */
export function rollableRoles({ keys }: Pick<DnssecStatus, 'keys'>): readonly KeyRole[] {
  if (new Set(keys.map(({ algorithm }) => algorithm)).size > 1) return [];
  const roles = [...new Set(keys.map(({ role }) => role))];
  return roles.filter((role) => keys.every((key) => key.role !== role || key.state === 'active'));
}

/** `key 31415`, `keys 31415 and 27182`. */
export function keysText(keys: readonly Pick<Key, 'key_tag'>[]): string {
  return tagsText(keys.map(({ key_tag: tag }) => tag));
}

export function tagsText(tags: readonly number[]): string {
  return `${tags.length === 1 ? 'key' : 'keys'} ${tags.join(' and ')}`;
}
