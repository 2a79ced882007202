/** `zone version list`: GET /zones/{name}/versions. */
import type { ZoneVersion } from '../../../answers.ts';
import { segment } from '../../../client.ts';
import { defineCommand } from '../../../command.ts';
import { flag, required, text } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { fetchPages, moreLine, pageOptions } from '../../../page.ts';
import { changedBy } from '../../history.ts';

export const versionList = defineCommand({
  usage: 'list <name>',
  aliases: ['ls'],
  summary: 'List the versions of a zone, newest first',
  examples: [
    ['zonebook zone version list example.com', 'the last thousand'],
    ['zonebook zone version ls example.com --at 2026-01-31T12:00:00Z', 'the one of then'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    at: text('only the version that was current at this time'),
    includeSignerSerials: flag('also serials at which only derived DNSSEC records changed'),
    ...pageOptions,
  },
  async run({ name, at, includeSignerSerials, ...page }, context) {
    const client = await context.client();
    const query = { at, include_signer_serials: includeSignerSerials };
    const path = `/zones/${segment(name)}/versions`;
    const versions = await fetchPages<ZoneVersion>(client, path, query, page);
    await context.output.show(versions, () => {
      if (versions.items.length === 0) return 'no versions';
      const headings = ['serial', 'created_at', 'changed_by'];
      const rows = versions.items.map((version) => [
        version.serial,
        version.created_at,
        changedBy(version),
      ]);
      return `${context.output.table(headings, rows)}${moreLine(versions)}`;
    });
  },
});
