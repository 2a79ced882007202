/** `zone version diff`: GET /zones/{name}/versions/diff. */
import type { VersionDiff } from '../../../answers.ts';
import { segment } from '../../../client.ts';
import { defineCommand } from '../../../command.ts';
import { withDiff } from '../../../diff-lines.ts';
import { usageFailure } from '../../../exit-code.ts';
import { required, text } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { parseSerial } from './shared.ts';

export const versionDiff = defineCommand({
  usage: 'diff <name> [from] [to]',
  summary: 'Show what changed between two versions',
  notes: 'The second one is the current one when it is left out. The way may lead back.',
  examples: [
    ['zonebook zone version diff example.com 7', 'what changed since serial 7'],
    ['zonebook zone version diff example.com 7 5', 'what a way back from 7 to 5 would change'],
    ['zonebook zone version diff example.com --at 2026-01-31T12:00:00Z', 'what changed since noon'],
  ],
  positionals: {
    name: domainName(required('name of the zone')),
    from: text('serial to start from'),
    to: text('serial to end at'),
  },
  options: {
    at: text('time to start from, instead of a serial'),
    toAt: text('time to end at, instead of a serial'),
  },
  async run({ name, from, to, at, toAt }, context) {
    if ((from === undefined) === (at === undefined)) {
      throw usageFailure('name a serial, or give --at', "see 'zonebook zone version diff --help'");
    }
    if (to !== undefined && toAt !== undefined) {
      throw usageFailure('a second serial and --to-at exclude each other');
    }
    const query = {
      from: from === undefined ? undefined : parseSerial(from),
      to: to === undefined ? undefined : parseSerial(to),
      at,
      to_at: toAt,
    };
    const client = await context.client();
    const path = `/zones/${segment(name)}/versions/diff`;
    const answer = await client.get<VersionDiff>(path, query);
    await context.output.show(answer, () => {
      const { from_serial: first, to_serial: last, diff } = answer;
      const { added, changed, removed } = diff.summary;
      const counts = `${added} added, ${changed} changed, ${removed} removed`;
      const headline = `from serial ${first} to ${last}: ${counts} (RRsets)`;
      return withDiff(headline, diff, context.output.paint);
    });
  },
});
