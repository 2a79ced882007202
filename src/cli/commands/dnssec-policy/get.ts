/** `dnssec-policy get`: GET /dnssec-policies/{name}. */
import type { DnssecPolicy } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { policyTable } from './shared.ts';

export const policyGet = defineCommand({
  usage: 'get <name>',
  summary: 'Show a DNSSEC policy',
  examples: [['zonebook dnssec-policy get default', 'the built-in policy']],
  positionals: { name: required('name of the policy') },
  async run({ name }, context) {
    const client = await context.client();
    const path = `/dnssec-policies/${segment(name)}`;
    const answer = await client.get<{ dnssec_policy: DnssecPolicy }>(path);
    await context.output.show(answer, () => policyTable([answer.dnssec_policy], context.output));
  },
});
