/** `token self`: GET /tokens/self, or the grants of its role from GET /tokens/self/grants. */
import type { Grant, Token } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { flag } from '../../field.ts';
import { fetchPages, moreLine } from '../../page.ts';
import { grantTable } from '../role/shared.ts';
import { tokenFields } from './shared.ts';

const everyPage = { all: true, limit: undefined, offset: undefined };

export const tokenSelf = defineCommand({
  usage: 'self',
  summary: 'Show the token of this command, from --token or ZONEBOOK_TOKEN',
  examples: [
    ['zonebook token self --url https://dns.example.net', 'its name, role and expiry'],
    ['zonebook token self --grants --url https://dns.example.net', 'what it may do'],
  ],
  options: { grants: flag('show the grants of its role instead') },
  async run({ grants: wantsGrants }, context) {
    if (!context.isRemote) {
      throw usageFailure('the local socket has no token: give --url and --token');
    }
    const client = await context.client();
    if (wantsGrants !== true) {
      const answer = await client.get<{ token: Token }>('/tokens/self');
      await context.output.show(answer, () => tokenFields(answer.token, context.output));
      return;
    }
    const grants = await fetchPages<Grant>(client, '/tokens/self/grants', {}, everyPage);
    await context.output.show(grants, () => {
      if (grants.items.length === 0) return 'no grants';
      return `${grantTable(grants.items, context.output)}${moreLine(grants)}`;
    });
  },
});
