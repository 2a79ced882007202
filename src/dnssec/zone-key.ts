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
 * All times are milliseconds since 1970 and are fixed when the state begins: what TTLs do later
 * moves none of them.
 */

export type KeyRole = 'csk' | 'ksk' | 'zsk';
export type KeyState = 'published' | 'active' | 'retired';

/** What is decided about a key before it is made. */
export interface KeyTerms {
  readonly algorithm: number;
  readonly role: KeyRole;
  readonly state: KeyState;
  readonly createdAt: number;
  readonly stateChangedAt: number;
  /** Published: when it may be promoted. Retired: when it may be removed. Active: null. */
  readonly eligibleAt: number | null;
  /** From when its CDS and CDNSKEY may stand in the zone; null for a key that no DS names. */
  readonly cdsFrom: number | null;
  /** From when a parent may be given its DS; null for a key that no DS names. */
  readonly dsFrom: number | null;
}

export interface ZoneKey extends KeyTerms {
  readonly id: number;
  readonly keyTag: number;
  /** DNSKEY RDATA. */
  readonly dnskey: Buffer;
  /**
   * Serial of the zone in which the state began: secondaries that serve an older one hold the key's next
   * step back (secondary-serials.ts). Left out where none is waited for.
   */
  readonly stateSerial?: number | undefined;
  /** True once a secondary was seen to be late; caches then get their time from when it has caught up. */
  readonly isHeldBack?: boolean | undefined;
  /** Published: when a parent was last seen to rely on it, so that caches may (parent-ds.ts, abortBlock). */
  readonly reliedOnAt?: number | undefined;
}

/** True for the roles whose key a DS names: the secure entry points. */
export function bearsDs(role: KeyRole): boolean {
  return role !== 'zsk';
}

/** True for the roles whose key signs the data of the zone. */
export function signsData(role: KeyRole): boolean {
  return role !== 'ksk';
}
