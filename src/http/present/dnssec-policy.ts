/** DNSSEC policies as JSON (interface 2.10). */
import { formatTime } from '../../base/clock.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';

export function presentPolicy(policy: DnssecPolicy) {
  return {
    id: policy.id,
    name: policy.name,
    builtin: policy.builtin,
    created_at: formatTime(policy.createdAt),
    algorithm: policy.algorithm,
    denial: policy.denial,
    split_keys: policy.splitKeys,
    signature_validity_days: policy.signatureValidityDays,
    signature_refresh_days: policy.signatureRefreshDays,
    zsk_lifetime_days: policy.zskLifetimeDays,
  };
}
