/** `tsig-key list`: GET /tsig-keys. */
import type { TsigKey } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../field.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { tsigKeyTable } from './shared.ts';

export const tsigKeyList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List TSIG keys without their secrets',
  examples: [
    ['zonebook tsig-key list', 'every key with its role'],
    ['zonebook tsig-key list --role dhcp', 'those of one role'],
  ],
  options: { role: text('keys of this role only'), ...pageOptions },
  async run({ role, ...page }, context) {
    const client = await context.client();
    const keys = await fetchPages<TsigKey>(client, '/tsig-keys', { role_name: role }, page);
    await context.output.show(keys, () => {
      if (keys.items.length === 0) return 'no TSIG keys';
      return `${tsigKeyTable(keys.items, context.output)}${moreLine(keys)}`;
    });
  },
});
