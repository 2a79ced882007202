/** `dnssec-policy`: how zones are signed, and how long signatures and ZSKs last. */
import type { DnssecPolicy } from '../answers.ts';
import type { Group } from '../command.ts';
import { listed, passOn } from '../from-contract.ts';
import { type Columns, presentation } from '../output.ts';

type Answer = { readonly dnssec_policy: DnssecPolicy };

/** `none` is what no days stand for. */
const days = (count: number, none: string) => (count === 0 ? none : `${count} d`);

const columns: Columns<DnssecPolicy> = [
  'name',
  'algorithm',
  'denial',
  ['keys', (policy) => (policy.split_keys ? 'ksk and zsk' : 'csk')],
  ['validity', (policy) => days(policy.signature_validity_days, '0 d')],
  ['refresh', (policy) => days(policy.signature_refresh_days, 'a third')],
  ['zsk_lifetime', (policy) => days(policy.zsk_lifetime_days, 'for ever')],
];
const policy = presentation<DnssecPolicy>('dnssec_policy', columns, undefined, 'DNSSEC policy');

const dayFields = {
  validityDays: 'days a signature is valid',
  refreshDays: 'days left at which a signature is renewed, below the validity; 0 for a third of it',
  zskLifetimeDays: 'days after which a ZSK is rolled, 0 for never',
};

export const dnssecPolicies: Group = {
  name: 'dnssec-policy',
  summary: 'How zones are signed, and how long signatures last',
  commands: [
    passOn<Answer>({
      usage: 'create <name>',
      route: 'createPolicy',
      summary: 'Make a DNSSEC policy; algorithm, denial and key layout stay as they are then',
      notes:
        'What is left out is as in the built-in policy: ecdsap256sha256, nsec3, one CSK, signatures\n' +
        'valid for 14 days and renewed when 5 of them remain, ZSKs not rolled automatically.',
      examples: [
        [
          'zonebook dnssec-policy create split --split-keys --zsk-lifetime-days 90',
          'a KSK and a ZSK',
        ],
        ['zonebook dnssec-policy create small --algorithm ed25519 --denial nsec', 'short answers'],
      ],
      fields: { algorithm: 'how keys sign', denial: 'how names are denied', ...dayFields },
      show: policy.after('create'),
    }),
    listed<DnssecPolicy>({
      usage: 'list',
      route: 'listPolicies',
      examples: [['zonebook dnssec-policy list', 'every policy with its algorithm and days']],
      none: 'no DNSSEC policies',
      show: policy.rows,
    }),
    passOn<Answer>({
      usage: 'get <name>',
      route: 'getPolicy',
      summary: 'Show a DNSSEC policy',
      examples: [['zonebook dnssec-policy get default', 'the built-in policy']],
      show: policy.one,
    }),
    passOn<Answer>({
      usage: 'update <name>',
      route: 'updatePolicy',
      summary: 'Change the days of a DNSSEC policy; what is not named stays',
      notes: 'Zones under the policy take the new days up when they are signed next.',
      examples: [
        [
          'zonebook dnssec-policy update default --validity-days 21',
          'signatures valid for three weeks',
        ],
      ],
      fields: dayFields,
      show: policy.after('update'),
    }),
    passOn({
      usage: 'delete <name>',
      route: 'deletePolicy',
      summary: 'Delete a DNSSEC policy that no zone is signed under',
      examples: [['zonebook dnssec-policy delete split', 'zones have moved to another one']],
    }),
  ],
};
