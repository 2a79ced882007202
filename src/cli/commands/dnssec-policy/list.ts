/** `dnssec-policy list`: GET /dnssec-policies. */
import type { DnssecPolicy } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { policyTable } from './shared.ts';

export const policyList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List DNSSEC policies',
  examples: [['zonebook dnssec-policy list', 'every policy with its algorithm and days']],
  options: pageOptions,
  async run(page, context) {
    const client = await context.client();
    const policies = await fetchPages<DnssecPolicy>(client, '/dnssec-policies', {}, page);
    await context.output.show(policies, () => {
      if (policies.items.length === 0) return 'no DNSSEC policies';
      return `${policyTable(policies.items, context.output)}${moreLine(policies)}`;
    });
  },
});
