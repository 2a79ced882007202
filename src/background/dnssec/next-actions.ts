/** What comes next for the keys and signatures of a zone, as its status and the scheduler see it. */
import type { KeyAction, ScheduleTerms } from '../../dnssec/key-roll.ts';
import { lateSecondaries } from '../../dnssec/secondary-serials.ts';
import { refreshAt } from '../../dnssec/rrsig.ts';
import {
  type DnssecPolicy,
  defaultPolicyName,
  signatureLifetimeOf,
} from '../../domain/dnssec-policy.ts';
import type { Secondary } from '../../domain/secondary.ts';
import { letGoUntil, type ZoneSigning } from '../../domain/signing.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SignatureFacts } from '../../query/signature-scan.ts';

/** The policy a zone is signed under: the built-in one when its own no longer exists. */
export function policyOfZone(
  { policyId }: ZoneSigning,
  policies: {
    byId(id: number): DnssecPolicy | undefined;
    byName(name: string): DnssecPolicy | undefined;
  },
): DnssecPolicy | undefined {
  return policies.byId(policyId ?? 0) ?? policies.byName(defaultPolicyName);
}

/** What the schedule of a zone's keys is made of. */
export function scheduleTermsOf(
  zone: Zone,
  signing: ZoneSigning,
  policy: DnssecPolicy,
  now: number,
): ScheduleTerms {
  const { signedAt, withdrawing } = signing;
  const { zskLifetimeDays } = policy;
  return { zskLifetimeDays, signedAt, withdrawing, letGoUntil: letGoUntil(signing, zone, now) };
}

/** When the next signature is made anew: one before its time is due at once. */
export function nextResignAt(
  { earliestExpiration, future }: SignatureFacts,
  policy: DnssecPolicy,
  now: number,
): number | null {
  if (earliestExpiration === null) return null;
  const at = refreshAt(earliestExpiration, signatureLifetimeOf(policy)) * 1000;
  return future > 0 ? Math.min(at, now) : at;
}

/** Names of the secondaries that were last seen to be too old for a step. */
export function secondariesBehind(
  enabled: readonly Secondary[],
  { secondaries }: ZoneSigning,
  { keys }: KeyAction,
  now: number,
): string[] {
  const unasked = enabled.map(({ name, address }) => ({ name, address, failure: 'not asked' }));
  return lateSecondaries(keys, secondaries, unasked, now).map(({ name }) => name);
}
