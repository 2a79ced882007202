/** `role list`: GET /roles. */
import type { Role } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { roleTable } from './shared.ts';

export const roleList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List roles, with how many grants, tokens and TSIG keys each has',
  examples: [['zonebook role list', 'every role']],
  options: pageOptions,
  async run(page, context) {
    const client = await context.client();
    const roles = await fetchPages<Role>(client, '/roles', {}, page);
    await context.output.show(roles, () => {
      if (roles.items.length === 0) return 'no roles';
      return `${roleTable(roles.items, context.output)}${moreLine(roles)}`;
    });
  },
});
