/** `token list`: GET /tokens. */
import type { Token } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../field.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { tokenTable } from './shared.ts';

export const tokenList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List tokens, expired ones included; never their secrets',
  examples: [
    ['zonebook token list', 'every token with its role and last use'],
    ['zonebook token list --role admin', 'those with full access'],
  ],
  options: { role: text('tokens of this role only'), ...pageOptions },
  async run({ role, ...page }, context) {
    const client = await context.client();
    const tokens = await fetchPages<Token>(client, '/tokens', { role_name: role }, page);
    await context.output.show(tokens, () => {
      if (tokens.items.length === 0) return 'no tokens';
      return `${tokenTable(tokens.items, context.output)}${moreLine(tokens)}`;
    });
  },
});
