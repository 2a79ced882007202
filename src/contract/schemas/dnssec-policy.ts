/** DNSSEC policies as the interface shows and takes them (interface 2.10 and 4.7). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { count, flag, int32, integer, listOf, optional, time } from './common.ts';
import { pageParameters } from './query.ts';
import { denialMode, plainName, signingAlgorithm } from './shapes.ts';

export const dnssecPolicy = v.object({
  id: int32,
  name: v.string(),
  builtin: v.boolean(),
  created_at: time,
  algorithm: v.string(),
  denial: v.picklist(['nsec3', 'nsec']),
  split_keys: v.pipe(v.boolean(), v.description('A KSK and a ZSK instead of one CSK.')),
  signature_validity_days: count,
  signature_refresh_days: v.pipe(count, v.description('0 for a third of the validity.')),
  zsk_lifetime_days: count,
});

export const policyList = listOf(dnssecPolicy);
export const policyAnswer = v.object({ dnssec_policy: dnssecPolicy });

export const listPoliciesQuery = v.strictObject({ ...pageParameters });

const days = {
  signature_validity_days: v.pipe(
    optional(integer(1, limits.signatureValidityDays)),
    v.description('How long a signature is valid; 14 when left out.'),
  ),
  signature_refresh_days: v.pipe(
    optional(integer(0, limits.signatureValidityDays - 1)),
    v.description(
      'A signature is made anew when so many days of it remain: below the validity, 5 when left out. 0 for a third of the validity.',
    ),
  ),
  zsk_lifetime_days: v.pipe(
    optional(integer(0, limits.zskLifetimeDays)),
    v.description('After how many days a ZSK is rolled; 0, which is the default, for never.'),
  ),
};

export const createPolicyBody = v.strictObject({
  name: plainName,
  algorithm: optional(signingAlgorithm),
  denial: optional(denialMode),
  split_keys: v.pipe(
    optional(flag),
    v.description('A KSK and a ZSK instead of one CSK; false when left out.'),
  ),
  ...days,
});

export const updatePolicyBody = v.strictObject(days);
