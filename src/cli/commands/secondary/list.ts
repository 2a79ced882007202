/** `secondary list`: GET /secondaries. */
import type { Secondary } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { secondaryTable } from './shared.ts';

export const secondaryList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List secondaries, disabled ones included',
  examples: [['zonebook secondary list', 'every secondary with its address']],
  options: pageOptions,
  async run(page, context) {
    const client = await context.client();
    const secondaries = await fetchPages<Secondary>(client, '/secondaries', {}, page);
    await context.output.show(secondaries, () => {
      if (secondaries.items.length === 0) return 'no secondaries';
      const table = secondaryTable(secondaries.items, context.output);
      return `${table}${moreLine(secondaries)}`;
    });
  },
});
