/** `zone purge`: POST /zones/{name}/purge. */
import type { ZoneDeletion } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { counted, done, dryRunOption } from '../change.ts';

export const zonePurge = defineCommand({
  usage: 'purge <name>',
  summary: 'Let go of a deleted zone for good; it can not be restored any more',
  notes:
    'zone list --deleted shows what can be purged. The journal goes on saying that the zone was there,\n' +
    'and who changed it when, but not what was in it.',
  examples: [
    ['zonebook zone purge example.com --dry-run', 'how much would go'],
    ['zonebook zone purge example.com', 'the zone of that name that was deleted last'],
  ],
  positionals: { name: domainName(required('name of the deleted zone')) },
  options: { id: whole('id of one of several deleted zones of that name'), dryRun: dryRunOption },
  async run({ name, id, dryRun }, context) {
    const client = await context.client();
    const path = `/zones/${segment(name)}/purge`;
    const answer = await client.post<ZoneDeletion>(path, undefined, { id, dry_run: dryRun });
    await context.output.show(answer, () => {
      const { zone, records_deleted: records, versions_deleted: versions } = answer;
      const what = `${counted(records, 'record')}, ${counted(versions, 'version')}`;
      return `${done(answer, 'purge')} zone ${zone.name}: ${what}`;
    });
  },
});
