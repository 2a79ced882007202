/** `dnssec-policy create`: POST /dnssec-policies. */
import type { DnssecPolicy } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, flag, required } from '../../field.ts';
import { daysBody, daysOptions, policyTable } from './shared.ts';

const algorithms = [
  'ecdsap256sha256',
  'ecdsap384sha384',
  'ed25519',
  'ed448',
  'rsasha256',
  'rsasha512',
] as const;

export const policyCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Make a DNSSEC policy; algorithm, denial and key layout stay as they are then',
  notes:
    'What is left out is as in the built-in policy: ecdsap256sha256, nsec3, one CSK, signatures\n' +
    'valid for 14 days and made anew when 5 of them remain, ZSKs not rolled by themselves.',
  examples: [
    ['zonebook dnssec-policy create split --split-keys --zsk-lifetime-days 90', 'KSK and ZSK'],
    ['zonebook dnssec-policy create small --algorithm ed25519 --denial nsec', 'short answers'],
  ],
  positionals: { name: required('name of the policy: letters, digits, dot, hyphen, underscore') },
  options: {
    algorithm: choice(algorithms, 'how keys sign'),
    denial: choice(['nsec3', 'nsec'], 'how names are denied'),
    splitKeys: flag('a KSK and a ZSK instead of one CSK'),
    ...daysOptions,
  },
  async run({ name, algorithm, denial, splitKeys, ...days }, context) {
    const client = await context.client();
    const body = { name, algorithm, denial, split_keys: splitKeys, ...daysBody(days) };
    const answer = await client.post<{ dnssec_policy: DnssecPolicy }>('/dnssec-policies', body);
    await context.output.show(answer, () => {
      const table = policyTable([answer.dnssec_policy], context.output);
      return `created DNSSEC policy ${answer.dnssec_policy.name}\n${table}`;
    });
  },
});
