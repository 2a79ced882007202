/** `dnssec-policy delete`: DELETE /dnssec-policies/{name}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const policyDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Delete a DNSSEC policy that no zone is signed under',
  examples: [['zonebook dnssec-policy delete split', 'zones have moved to another one']],
  positionals: { name: required('name of the policy') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.delete<Message>(`/dnssec-policies/${segment(name)}`);
    await context.output.show(answer, () => answer.message);
  },
});
