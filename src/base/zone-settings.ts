/**
 * Everything that a caller can set of a zone, in one table. The interface makes its fields of it, and the domain rules
 * what is stored.
 */
import { limits } from './limits.ts';

/** How a caller writes the value of a setting, and what is stored of it. */
export interface SettingKinds {
  /** The name of a zone or of a host: stored lower-case, without closing dot. */
  readonly 'zone-name': { given: string; stored: string };
  readonly 'host-name': { given: string; stored: string };
  /** E-mail form, one `@`. */
  readonly mailbox: { given: string; stored: string };
  readonly seconds: { given: number; stored: number };
  readonly serial: { given: number; stored: number };
  /** Text no longer than its range allows; the empty string clears it. */
  readonly note: { given: string; stored: string | null };
  readonly switch: { given: boolean; stored: boolean };
  /** What its writes are held to; stored as JSON, and null where it has nothing of its own. */
  readonly guard: { given: GivenGuard; stored: string | null };
}

/** A guard as a caller gives it, of the right types, not yet judged. */
export interface GivenGuard {
  readonly max_delete_percent?: number | null | undefined;
  readonly max_deletes?: number | null | undefined;
  readonly protect?:
    | readonly { readonly name: string; readonly type?: string | null | undefined }[]
    | null
    | undefined;
  /** RFC 3339. */
  readonly locked_until?: string | null | undefined;
  readonly lock_reason?: string | null | undefined;
}

export interface Setting {
  /** Its name in the HTTP interface. */
  readonly field: string;
  readonly kind: keyof SettingKinds;
  /** Least and greatest value of a number, in seconds where it is a time; fewest and most characters of a note. */
  readonly range?: readonly [min: number, max: number];
  /**
   * Whether the SOA shows it: as a field of its RDATA, or as its TTL. A change of another one
   * leaves all answers alone.
   */
  readonly soa?: 'field' | 'ttl';
}

/** In the order in which they are listed and judged. */
export const zoneSettings = {
  name: { field: 'name', kind: 'zone-name' },
  /** The primary. */
  mname: { field: 'mname', kind: 'host-name', soa: 'field' },
  /** The responsible party. */
  rname: { field: 'rname', kind: 'mailbox', soa: 'field' },
  /** Of records without one of their own. */
  defaultTtl: { field: 'default_ttl', kind: 'seconds', range: [60, 604_800], soa: 'ttl' },
  /** Negative caching (RFC 2308 4). */
  minimumTtl: { field: 'minimum_ttl', kind: 'seconds', range: [1, limits.ttl], soa: 'field' },
  refresh: { field: 'refresh', kind: 'seconds', range: [1, limits.ttl], soa: 'field' },
  retry: { field: 'retry', kind: 'seconds', range: [1, limits.ttl], soa: 'field' },
  expire: { field: 'expire', kind: 'seconds', range: [1, limits.ttl], soa: 'field' },
  /** Set when a zone is made; counted up by every change. */
  serial: { field: 'serial', kind: 'serial', range: [1, limits.startingSerial], soa: 'field' },
  description: { field: 'description', kind: 'note', range: [0, limits.descriptionCharacters] },
  /** Whether it is served. */
  enabled: { field: 'enabled', kind: 'switch' },
  /** What changes are held back (domain/guard.ts). */
  guard: { field: 'guard', kind: 'guard' },
} as const satisfies Record<string, Setting>;
