/** `role get`: GET /roles/{name}. */
import type { Role } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';

export const roleGet = defineCommand({
  usage: 'get <name>',
  summary: 'Show a role; what it may do is in role grants',
  examples: [['zonebook role get dns-ops', 'who uses it, and how much it is granted']],
  positionals: { name: required('name of the role') },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.get<{ role: Role }>(`/roles/${segment(name)}`);
    const { role } = answer;
    await context.output.show(answer, () =>
      context.output.fields([
        ['name', role.name],
        ['id', role.id],
        ['builtin', role.builtin],
        ['grants', role.grant_count],
        ['tokens', role.token_count],
        ['tsig_keys', role.tsig_key_count],
        ['created_at', role.created_at],
        ['description', role.description],
      ]),
    );
  },
});
