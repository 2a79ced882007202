/**
 * DNSSEC policies: how zones are signed, and how long what is signed lasts (interface 2.10).
 *
 * Algorithm, way of denial and key layout are fixed when a policy is made, for zones hold keys and
 * chains made after them. The days can change: zones take them up when they are signed next.
 */
import { algorithms } from '../dnssec/algorithm.ts';
import type { DenialMode } from '../dnssec/denial.ts';
import type { SignatureLifetime } from '../dnssec/rrsig.ts';

export interface DnssecPolicy {
  readonly id: number;
  readonly name: string;
  /** True for `default`, which can not be deleted. */
  readonly builtin: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** By name, such as `ecdsap256sha256` (dnssec/algorithm.ts). */
  readonly algorithm: string;
  readonly denial: DenialMode;
  /** True for a KSK and a ZSK, false for one CSK. */
  readonly splitKeys: boolean;
  readonly signatureValidityDays: number;
  /**
   * Days before expiration at which signatures are made again; below the validity. 0 for a third of
   * the validity.
   */
  readonly signatureRefreshDays: number;
  /** 0 when ZSKs are not rolled by themselves. */
  readonly zskLifetimeDays: number;
}

/** The name of the built-in policy, under which zones are signed when no other is named. */
export const defaultPolicyName = 'default';

export const denialModes = ['nsec3', 'nsec'] as const satisfies readonly DenialMode[];

/** What a policy is made with where its maker leaves it out. */
export const policyDefaults = {
  algorithm: 'ecdsap256sha256',
  denial: 'nsec3',
  splitKeys: false,
  signatureValidityDays: 14,
  signatureRefreshDays: 5,
  zskLifetimeDays: 0,
} as const;

/** How long signatures under a policy are valid, and used. */
export function signatureLifetimeOf(
  policy: Pick<DnssecPolicy, 'signatureValidityDays' | 'signatureRefreshDays'>,
): SignatureLifetime {
  const validitySeconds = policy.signatureValidityDays * 86_400;
  const { signatureRefreshDays: days } = policy;
  const refreshSeconds = days === 0 ? Math.floor(validitySeconds / 3) : days * 86_400;
  return { validitySeconds, refreshSeconds };
}

/** The number of a policy's algorithm in DNSKEY, RRSIG and DS. */
export function algorithmNumberOf({ algorithm }: Pick<DnssecPolicy, 'algorithm'>): number {
  return algorithms.find(({ name }) => name === algorithm)!.number;
}

export type PolicyEvent =
  | { readonly kind: 'policy.created'; readonly policy: DnssecPolicy }
  | {
      readonly kind: 'policy.updated';
      readonly before: DnssecPolicy;
      readonly policy: DnssecPolicy;
    }
  | { readonly kind: 'policy.deleted'; readonly policy: DnssecPolicy };
