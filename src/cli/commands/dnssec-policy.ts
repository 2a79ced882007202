/** `dnssec-policy`: how zones are signed, and how long signatures and ZSKs last. */
import type { DnssecPolicy } from '../answers.ts';
import type { Group } from '../command.ts';
import { resource } from '../resource.ts';

/** `none` is what no days stand for. */
const days = (count: number, none: string) => (count === 0 ? none : `${count} d`);

const policy = resource<DnssecPolicy>({
  path: '/dnssec-policies',
  key: 'dnssec_policy',
  noun: 'DNSSEC policy',
  none: 'no DNSSEC policies',
  columns: [
    'name',
    'algorithm',
    'denial',
    ['keys', ({ split_keys: isSplit }) => (isSplit ? 'ksk and zsk' : 'csk')],
    ['validity', ({ signature_validity_days: count }) => days(count, '0 d')],
    ['refresh', ({ signature_refresh_days: count }) => days(count, 'a third')],
    ['zsk_lifetime', ({ zsk_lifetime_days: count }) => days(count, 'for ever')],
  ],
});

const dayFields = {
  validityDays: 'days a signature is valid',
  refreshDays: 'days left at which a signature is renewed, below the validity; 0 for a third of it',
  zskLifetimeDays: 'days after which a ZSK is rolled, 0 for never',
};

export const dnssecPolicies: Group = {
  name: 'dnssec-policy',
  summary: 'How zones are signed, and how long signatures last',
  commands: [
    policy.create({
      summary: 'Make a DNSSEC policy; algorithm, denial and key layout stay as they are then',
      notes:
        'What is left out is as in the built-in policy: ecdsap256sha256, nsec3, one CSK, signatures\n' +
        'valid for 14 days and renewed when 5 of them remain, ZSKs not rolled automatically.',
      examples: [
        ['$0 split --split-keys --zsk-lifetime-days 90', 'a KSK and a ZSK'],
        ['$0 small --algorithm ed25519 --denial nsec', 'short answers'],
      ],
      fields: { algorithm: 'how keys sign', denial: 'how names are denied', ...dayFields },
    }),
    policy.list({
      examples: [['$0', 'every policy with its algorithm and days']],
    }),
    policy.get({
      summary: 'Show a DNSSEC policy',
      examples: [['$0 default', 'the built-in policy']],
    }),
    policy.update({
      summary: 'Change the days of a DNSSEC policy; what is not named stays',
      notes: 'Zones under the policy take the new days up when they are signed next.',
      examples: [['$0 default --validity-days 21', 'signatures valid for three weeks']],
      fields: dayFields,
    }),
    policy.delete({
      summary: 'Delete a DNSSEC policy that no zone is signed under',
      examples: [['$0 split', 'zones have moved to another one']],
    }),
  ],
};
