/** `role revoke`: DELETE /roles/{name}/grants/{id}. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { required } from '../../field.ts';

export const roleRevoke = defineCommand({
  usage: 'revoke <role> <grant-id>',
  summary: 'Take a grant from a role, at once',
  examples: [['zonebook role revoke dns-ops 7', 'the grant with id 7']],
  positionals: {
    role: required('name of the role'),
    grantId: required('id of the grant: see role grants'),
  },
  async run({ role, grantId }, context) {
    if (!/^\d{1,10}$/.test(grantId)) {
      throw usageFailure(
        `'${grantId}' is no id of a grant`,
        'ids are whole numbers: see role grants',
      );
    }
    const client = await context.client();
    const path = `/roles/${segment(role)}/grants/${Number(grantId)}`;
    const answer = await client.delete<Message>(path);
    await context.output.show(answer, () => answer.message);
  },
});
