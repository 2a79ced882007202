/** `zone history`: GET /zones/{name}/history. */
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required, text } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { pageOptions } from '../../page.ts';
import { showHistory } from '../history.ts';

export const zoneHistory = defineCommand({
  usage: 'history <zone>',
  summary: 'Show who changed what in a zone and when, newest first',
  examples: [
    ['zonebook zone history example.com --limit 10', 'the last ten changes'],
    ['zonebook zone history example.com --name www --type A', 'of one RRset, deleted or not'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    name: domainName(text('only changes at this owner, relative to the zone')),
    type: text('only changes of records of this type'),
    ...pageOptions,
  },
  run: ({ zone, name, type, ...page }, context) =>
    showHistory(`/zones/${segment(zone)}/history`, { name, type }, page, context),
});
