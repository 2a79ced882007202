/** `secondary transfers`: GET /secondaries/{name}/transfers. */
import type { SecondaryTransfers } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { summaryLine } from './shared.ts';

const headings = ['zone', 'address', 'at', 'kind', 'result', 'serial', 'error'];

export const secondaryTransfers = defineCommand({
  usage: 'transfers <name>',
  summary: 'Show what a secondary transferred last of each zone, newest first',
  examples: [
    ['zonebook secondary transfers ns2 --limit 20', 'the last twenty'],
    ['zonebook secondary transfers ns2 --zone example.com', 'of one zone'],
  ],
  positionals: { name: required('name of the secondary') },
  options: {
    zone: domainName(text('only transfers of this zone')),
    limit: whole('rows at most, 1000 when left out'),
  },
  async run({ name, zone, limit }, context) {
    const client = await context.client();
    const path = `/secondaries/${segment(name)}/transfers`;
    const answer = await client.get<SecondaryTransfers>(path, { zone_name: zone, limit });
    await context.output.show(answer, () => {
      const rows = answer.transfers.map((entry) => [
        entry.zone_name,
        entry.address,
        entry.at,
        entry.incremental ? `${entry.kind} delta` : entry.kind,
        entry.result,
        entry.serial,
        entry.error,
      ]);
      const table = rows.length === 0 ? 'no transfers' : context.output.table(headings, rows);
      return `${table}\n${summaryLine(answer.summary)}`;
    });
  },
});
