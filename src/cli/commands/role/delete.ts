/** `role delete`: DELETE /roles/{name}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const roleDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Delete a role with its grants; refused while a token or TSIG key uses it',
  examples: [['zonebook role delete dns-ops', 'delete it']],
  positionals: { name: required('name of the role') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.delete<Message>(`/roles/${segment(name)}`);
    await context.output.show(answer, () => answer.message);
  },
});
