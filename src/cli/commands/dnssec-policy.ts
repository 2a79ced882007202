/** `dnssec-policy`: how zones are signed, and how long signatures and ZSKs last. */
import type { DnssecPolicy } from '../answers.ts';
import type { Group } from '../command.ts';
import { listed, passOn } from '../from-contract.ts';
import type { Columns } from '../table.ts';

interface Answer {
  readonly dnssec_policy: DnssecPolicy;
}

const days = (count: number) => `${count} d`;

const columns: Columns<DnssecPolicy> = {
  name: 'name',
  algorithm: 'algorithm',
  denial: 'denial',
  keys: (policy) => (policy.split_keys ? 'ksk and zsk' : 'csk'),
  validity: (policy) => days(policy.signature_validity_days),
  refresh: ({ signature_refresh_days: left }) => (left === 0 ? 'a third' : days(left)),
  zsk_lifetime: ({ zsk_lifetime_days: life }) => (life === 0 ? 'for ever' : days(life)),
};

const dayFields = {
  validityDays: 'days a signature is valid',
  refreshDays: 'days left at which a signature is renewed, below the validity; 0 for a third of it',
  zskLifetimeDays: 'days after which a ZSK is rolled, 0 for never',
};

const create = passOn<Answer>({
  usage: 'create <name>',
  route: 'createPolicy',
  summary: 'Make a DNSSEC policy; algorithm, denial and key layout stay as they are then',
  notes:
    'What is left out is as in the built-in policy: ecdsap256sha256, nsec3, one CSK, signatures\n' +
    'valid for 14 days and renewed when 5 of them remain, ZSKs not rolled automatically.',
  examples: [
    ['zonebook dnssec-policy create split --split-keys --zsk-lifetime-days 90', 'KSK and ZSK'],
    ['zonebook dnssec-policy create small --algorithm ed25519 --denial nsec', 'short answers'],
  ],
  fields: {
    name: 'name of the policy: letters, digits, dot, hyphen, underscore',
    algorithm: 'how keys sign',
    denial: 'how names are denied',
    splitKeys: 'a KSK and a ZSK instead of one CSK',
    ...dayFields,
  },
  show: ({ dnssec_policy: policy }, output) =>
    `created DNSSEC policy ${policy.name}\n${output.rows(columns, [policy])}`,
});

const list = listed<DnssecPolicy>({
  usage: 'list',
  route: 'listPolicies',
  summary: 'List DNSSEC policies',
  examples: [['zonebook dnssec-policy list', 'every policy with its algorithm and days']],
  none: 'no DNSSEC policies',
  show: (policies, output) => output.rows(columns, policies),
});

const get = passOn<Answer>({
  usage: 'get <name>',
  route: 'getPolicy',
  summary: 'Show a DNSSEC policy',
  examples: [['zonebook dnssec-policy get default', 'the built-in policy']],
  fields: { name: 'name of the policy' },
  show: ({ dnssec_policy: policy }, output) => output.rows(columns, [policy]),
});

const update = passOn<Answer>({
  usage: 'update <name>',
  route: 'updatePolicy',
  summary: 'Change the days of a DNSSEC policy; what is not named stays',
  notes: 'Zones under the policy take the new days up when they are signed next.',
  examples: [
    ['zonebook dnssec-policy update default --validity-days 21', 'signatures live for three weeks'],
  ],
  fields: { name: 'name of the policy', ...dayFields },
  show: ({ dnssec_policy: policy }, output) =>
    `updated DNSSEC policy ${policy.name}\n${output.rows(columns, [policy])}`,
});

const remove = passOn({
  usage: 'delete <name>',
  route: 'deletePolicy',
  summary: 'Delete a DNSSEC policy that no zone is signed under',
  examples: [['zonebook dnssec-policy delete split', 'zones have moved to another one']],
  fields: { name: 'name of the policy' },
});

export const dnssecPolicies: Group = {
  name: 'dnssec-policy',
  summary: 'How zones are signed, and how long signatures last',
  commands: [create, list, get, update, remove],
};
