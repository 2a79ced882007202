/** How DNSSEC policies are shown, and the options that say how long signatures and ZSKs last. */
import type { DnssecPolicy } from '../../answers.ts';
import { whole } from '../../field.ts';
import type { Output } from '../../output.ts';

const headings = ['name', 'algorithm', 'denial', 'keys', 'validity', 'refresh', 'zsk_lifetime'];

export function policyTable(policies: readonly DnssecPolicy[], output: Output): string {
  const days = (count: number) => `${count} d`;
  const rows = policies.map((policy) => [
    policy.name,
    policy.algorithm,
    policy.denial,
    policy.split_keys ? 'ksk and zsk' : 'csk',
    days(policy.signature_validity_days),
    policy.signature_refresh_days === 0 ? 'a third' : days(policy.signature_refresh_days),
    policy.zsk_lifetime_days === 0 ? 'for ever' : days(policy.zsk_lifetime_days),
  ]);
  return output.table(headings, rows);
}

export const daysOptions = {
  validityDays: whole('days a signature is valid'),
  refreshDays: whole(
    'days left at which a signature is made anew, below the validity; 0 for a third of it',
  ),
  zskLifetimeDays: whole('days after which a ZSK is rolled, 0 for never'),
};

export function daysBody(values: {
  readonly validityDays: number | undefined;
  readonly refreshDays: number | undefined;
  readonly zskLifetimeDays: number | undefined;
}) {
  return {
    signature_validity_days: values.validityDays,
    signature_refresh_days: values.refreshDays,
    zsk_lifetime_days: values.zskLifetimeDays,
  };
}
