/** `secondary delete`: DELETE /secondaries/{name}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const secondaryDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Forget a secondary',
  examples: [['zonebook secondary delete ns2', 'no NOTIFY and no unsigned transfer from now on']],
  positionals: { name: required('name of the secondary') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.delete<Message>(`/secondaries/${segment(name)}`);
    await context.output.show(answer, () => answer.message);
  },
});
