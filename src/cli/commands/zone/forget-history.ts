/** `zone forget-history`: POST /zones/{name}/forget-history. */
import type { ForgottenHistory } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { required, text } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { counted, done, dryRunOption } from '../change.ts';

export const zoneForgetHistory = defineCommand({
  usage: 'forget-history <name>',
  summary: 'Let go of old versions of a zone; they can not be brought back',
  notes:
    'The version in force at that time stays. The journal goes on saying who changed the zone when,\n' +
    'but not what. dns.zone_history_retention_days does the same by itself.',
  examples: [
    [
      'zonebook zone forget-history example.com --before 2026-01-31T12:00:00Z --dry-run',
      'how many',
    ],
    ['zonebook zone forget-history example.com --before 2026-01-31T12:00:00Z', 'for good'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    before: text('versions replaced before this time go, like 2026-01-31T12:00:00Z'),
    dryRun: dryRunOption,
  },
  async run({ name, before, dryRun }, context) {
    if (before === undefined) throw usageFailure('--before is required');
    const client = await context.client();
    const path = `/zones/${segment(name)}/forget-history`;
    const answer = await client.post<ForgottenHistory>(path, { before, dry_run: dryRun });
    await context.output.show(answer, () => {
      const { zone, versions_forgotten: versions, oldest_serial: oldest } = answer;
      const verb = done(answer, 'forget').replace('forgeted', 'forgot');
      return `${verb} ${counted(versions, 'version')} of zone ${zone.name}; the oldest is ${oldest}`;
    });
  },
});
