/** `zone delete`: DELETE /zones/{name}. */
import type { ZoneDeletion } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { counted, done, dryRunOption } from '../change.ts';

export const zoneDelete = defineCommand({
  usage: 'delete <name>',
  aliases: ['rm'],
  summary: 'Delete a zone with its records and versions',
  examples: [
    ['zonebook zone delete example.com --dry-run', 'how much would go'],
    ['zonebook zone rm example.com', 'delete it'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: { dryRun: dryRunOption },
  async run({ name, dryRun }, context) {
    const client = await context.client();
    const path = `/zones/${segment(name)}`;
    const answer = await client.delete<ZoneDeletion>(path, { dry_run: dryRun });
    await context.output.show(answer, () => {
      const { zone, records_deleted: records, versions_deleted: versions } = answer;
      const verb = done(answer, 'delete');
      return `${verb} zone ${zone.name}: ${counted(records, 'record')}, ${counted(versions, 'version')}`;
    });
  },
});
