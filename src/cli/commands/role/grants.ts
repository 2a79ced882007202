/** `role grants`: GET /roles/{name}/grants. */
import type { Grant } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { grantTable } from './shared.ts';

export const roleGrants = defineCommand({
  usage: 'grants <role>',
  summary: 'List what a role may do',
  examples: [['zonebook role grants dns-ops', 'its grants with their ids, for role revoke']],
  positionals: { role: required('name of the role') },
  options: pageOptions,
  async run({ role, ...page }, context) {
    const client = await context.client();
    const path = `/roles/${segment(role)}/grants`;
    const grants = await fetchPages<Grant>(client, path, {}, page);
    await context.output.show(grants, () => {
      if (grants.items.length === 0) return 'no grants';
      return `${grantTable(grants.items, context.output)}${moreLine(grants)}`;
    });
  },
});
