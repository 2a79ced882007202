/** `token delete`: DELETE /tokens/{name}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const tokenDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Delete a token: who has its secret is refused at once',
  examples: [['zonebook token delete ci', 'delete it']],
  positionals: { name: required('name of the token') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.delete<Message>(`/tokens/${segment(name)}`);
    await context.output.show(answer, () => answer.message);
  },
});
