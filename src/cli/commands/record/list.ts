/** `record list`: GET /records. */
import type { DnsRecord } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, flag, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';
import { recordTable } from './shared.ts';

export const recordList = defineCommand({
  usage: 'list [zone]',
  aliases: ['ls'],
  summary: 'List records of a zone, or of all zones',
  examples: [
    ['zonebook record list example.com', 'the first thousand records by name'],
    ['zonebook record list example.com --name www --type A', 'one RRset'],
    ['zonebook record list --search 192.0.2. --all', 'in every zone, every page'],
  ],
  positionals: { zone: domainName(text('name of the zone; all zones when left out')) },
  options: {
    name: domainName(text('exact owner: relative to the zone, or absolute')),
    type: text('type, like A'),
    value: text('part of the value'),
    search: text('part of the name or value'),
    ttl: whole('TTL'),
    minTtl: whole('least TTL'),
    maxTtl: whole('greatest TTL'),
    priority: whole('priority'),
    minPriority: whole('least priority'),
    maxPriority: whole('greatest priority'),
    signed: flag('append the derived DNSSEC records of the zone'),
    sort: choice(['name', 'type', 'ttl', 'priority', 'created_at'], 'order by'),
    order: choice(['asc', 'desc'], 'direction'),
    ...pageOptions,
  },
  async run(values, context) {
    const client = await context.client();
    const query = {
      zone_name: values.zone,
      name: values.name,
      type: values.type,
      value: values.value,
      search: values.search,
      ttl: values.ttl,
      min_ttl: values.minTtl,
      max_ttl: values.maxTtl,
      priority: values.priority,
      min_priority: values.minPriority,
      max_priority: values.maxPriority,
      signed: values.signed,
      sort: values.sort,
      order: values.order,
    };
    const records = await fetchPages<DnsRecord>(client, '/records', query, values);
    await context.output.show(records, () => {
      if (records.items.length === 0) return 'no records';
      return `${recordTable(records.items, context.output)}${moreLine(records)}`;
    });
  },
});
