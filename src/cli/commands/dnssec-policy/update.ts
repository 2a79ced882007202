/** `dnssec-policy update`: PUT /dnssec-policies/{name}. */
import type { DnssecPolicy } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { daysBody, daysOptions, policyTable } from './shared.ts';

export const policyUpdate = defineCommand({
  usage: 'update <name>',
  summary: 'Change the days of a DNSSEC policy; what is not named stays',
  notes: 'Zones under the policy take the new days up when they are signed next.',
  examples: [
    ['zonebook dnssec-policy update default --validity-days 21', 'signatures live for three weeks'],
  ],
  positionals: { name: required('name of the policy') },
  options: daysOptions,
  async run({ name, ...days }, context) {
    const client = await context.client();
    const path = `/dnssec-policies/${segment(name)}`;
    const answer = await client.put<{ dnssec_policy: DnssecPolicy }>(path, daysBody(days));
    await context.output.show(answer, () => {
      const table = policyTable([answer.dnssec_policy], context.output);
      return `updated DNSSEC policy ${answer.dnssec_policy.name}\n${table}`;
    });
  },
});
