/** `tsig-key delete`: DELETE /tsig-keys/{name}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const tsigKeyDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Delete a TSIG key; refused while it signs the NOTIFY to a secondary',
  examples: [['zonebook tsig-key delete ns2', 'what it signs is refused at once']],
  positionals: { name: required('name of the key') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.delete<Message>(`/tsig-keys/${segment(name)}`);
    await context.output.show(answer, () => answer.message);
  },
});
