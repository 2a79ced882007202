/** `zone version rollback`: POST /zones/{name}/versions/{serial}/rollback. */
import type { Rollback, VersionDiff } from '../../../answers.ts';
import { type Client, segment } from '../../../client.ts';
import { defineCommand } from '../../../command.ts';
import { withDiff } from '../../../diff-lines.ts';
import { CliFailure } from '../../../exit-code.ts';
import { required } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { dryRunOption } from '../../change.ts';
import { parseSerial } from './shared.ts';

export const versionRollback = defineCommand({
  usage: 'rollback <name> <serial>',
  summary: 'Take a zone back to what it was at a serial, under a new one',
  notes: 'Name, description and enabled stay. A rollback can be rolled back too.',
  examples: [
    ['zonebook zone version rollback example.com 7 --dry-run', 'what would change?'],
    ['zonebook zone version rollback example.com 7', 'do it'],
  ],
  positionals: {
    name: domainName(required('name of the zone')),
    serial: required('serial of the version to go back to'),
  },
  options: { dryRun: dryRunOption },
  async run({ name, serial, dryRun }, context) {
    const number = parseSerial(serial);
    const client = await context.client();
    const zone = `/zones/${segment(name)}`;
    const path = `${zone}/versions/${number}/rollback`;
    const answer = await client.post<Rollback>(path, undefined, { dry_run: dryRun });
    const isShown = context.output.format === 'table';
    const change = isShown ? await changeOf(answer, client, zone) : undefined;
    await context.output.show(answer, () => {
      const { added, deleted, unchanged, soa_changed: soaChanged } = answer.summary;
      const verb = answer.dry_run ? 'would roll back' : 'rolled back';
      const counts = `${added} added, ${deleted} deleted, ${unchanged} unchanged`;
      const soa = soaChanged ? ', SOA changed' : '';
      const headline = `${verb} ${name} to serial ${number} as serial ${answer.new_serial}`;
      return change === undefined
        ? `${headline}: ${counts}${soa}`
        : withDiff(`${headline}: ${counts}${soa}`, change.diff, context.output.paint);
    });
  },
});

/**
 * The difference that a rollback makes, or made as the last step before `new_serial`. It is shown besides:
 * when it can not be had the rollback is done all the same.
 */
async function changeOf(
  { summary, ...answer }: Rollback,
  client: Client,
  zone: string,
): Promise<VersionDiff | undefined> {
  if (summary.added + summary.deleted === 0) return undefined;
  const before = answer.new_serial - 1;
  const to = answer.dry_run ? answer.target_serial : answer.new_serial;
  try {
    return await client.get(`${zone}/versions/diff`, { from: before, to });
  } catch (error) {
    if (error instanceof CliFailure) return undefined;
    throw error;
  }
}
