/**
 * The keys of a zone as facts with a life of their own.
 *
 * ```
 *            same-algorithm roll,                     promote                     caches drained
 *  (none) ── algorithm roll ──► published ─────────────────────► active ──► retired ──► (removed)
 *    │ ▲                         │                                 ▲   replaced by
 *    │ └───────── abort ─────────┘                                 │   another's promotion
 *    └──────────────────────── enable ─────────────────────────────┘
 * ```
 *
 * All times are milliseconds since 1970 by the clock, and are fixed when the state begins: what TTLs do
 * later moves none of them. Others do: a parent that is seen to rely on a retired key again puts its end off
 * (`relied`), as does a secondary that is late (`putOff`); a clock that is set takes what it dated along
 * (`redated`).
 */

export type KeyRole = 'csk' | 'ksk' | 'zsk';
export type KeyState = 'published' | 'active' | 'retired';

/** A state, and when it may end: by promotion, or by removal. An active key has no such time. */
type StateFacts =
  | { readonly state: 'published'; readonly eligibleAt: number }
  | { readonly state: 'active'; readonly eligibleAt: null }
  | { readonly state: 'retired'; readonly eligibleAt: number };

/** What is decided about a key before it is made. */
export type KeyTerms = StateFacts & {
  readonly algorithm: number;
  readonly role: KeyRole;
  readonly createdAt: number;
  readonly stateChangedAt: number;
  /** From when its CDS and CDNSKEY may be in the zone; null for a key that no DS names. */
  readonly cdsFrom: number | null;
  /** From when a parent may be given its DS; null for a key that no DS names. */
  readonly dsFrom: number | null;
};

export type ZoneKey = KeyTerms & {
  readonly id: number;
  readonly keyTag: number;
  /** DNSKEY RDATA. */
  readonly dnskey: Buffer;
  /** When a parent was first seen to serve its DS; null when that was never seen. */
  readonly dsSeenAt: number | null;
  /**
   * Serial of the zone in which the state began: secondaries that serve an older one hold the key's next
   * state back (secondary-serials.ts). Left out where none is waited for.
   */
  readonly stateSerial?: number | undefined;
  /** True while a secondary was last seen to be late; caches get their time from when it has caught up. */
  readonly isHeldBack?: boolean | undefined;
  /**
   * Published or retired, after the zone was taken back: it signs data beside the active key, because caches may hold
   * DNSKEYs without that one.
   */
  readonly signsBeside?: boolean | undefined;
  /** Published: when a parent was last seen to rely on it, so that caches may (parent-ds.ts, abortBlock). */
  readonly reliedOnAt?: number | undefined;
};

export type PublishedKey = Extract<ZoneKey, { readonly state: 'published' }>;
export type RetiredKey = Extract<ZoneKey, { readonly state: 'retired' }>;

/** True for the roles whose key a DS names: the secure entry points. */
export function bearsDs(role: KeyRole): boolean {
  return role !== 'zsk';
}

/** True for the roles whose key signs the data of the zone. */
export function signsData(role: KeyRole): boolean {
  return role !== 'ksk';
}

/** Keys that a parent may rely on though they are retired. */
export function retiredEntryPoints(keys: readonly ZoneKey[]): RetiredKey[] {
  return keys.filter((key) => key.state === 'retired').filter(({ role }) => bearsDs(role));
}

/** A retired key that parents relied on until now: caches may hold their DS for its TTL. */
export function relied(key: RetiredKey, dsTtlSeconds: number, now: number): RetiredKey {
  return { ...key, eligibleAt: Math.max(key.eligibleAt, now + dsTtlSeconds * 1000) };
}

/**
 * The key with its end put off until then, where that is later. Parents hear of a key with which an algorithm enters
 * when caches have its signatures, and no earlier; one that has the DS is not asked to take it away.
 */
export function putOff(
  key: PublishedKey | RetiredKey,
  until: number,
  enters: boolean,
): PublishedKey | RetiredKey {
  const eligibleAt = Math.max(key.eligibleAt, until);
  if (!enters || key.dsSeenAt !== null) return { ...key, eligibleAt };
  const fromThen = (time: number | null) => (time === null ? null : Math.max(time, eligibleAt));
  return { ...key, eligibleAt, cdsFrom: fromThen(key.cdsFrom), dsFrom: fromThen(key.dsFrom) };
}

/**
 * The key with its times as `date` gives them. Its waits are as long as they were: they begin again where the time
 * that they began at is another. Its DS was seen no later than it was: the TTLs that it had since then count.
 */
export function redated(key: ZoneKey, date: (time: number) => number): ZoneKey {
  const made = date(key.createdAt) - key.createdAt;
  const changed = date(key.stateChangedAt) - key.stateChangedAt;
  const { dsSeenAt, reliedOnAt } = key;
  const plus = (time: number | null, by: number) => (time === null ? null : time + by);
  const times = {
    createdAt: key.createdAt + made,
    stateChangedAt: key.stateChangedAt + changed,
    cdsFrom: plus(key.cdsFrom, made),
    dsFrom: plus(key.dsFrom, made),
    dsSeenAt: dsSeenAt === null ? null : Math.min(dsSeenAt, date(dsSeenAt)),
    ...(reliedOnAt !== undefined && { reliedOnAt: date(reliedOnAt) }),
  };
  if (key.state === 'active') return { ...key, ...times };
  return { ...key, ...times, eligibleAt: key.eligibleAt + changed };
}
