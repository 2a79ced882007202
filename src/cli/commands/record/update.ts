/** `record update`: PUT /records/{id}. */
import type { RecordChange } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { withDiff } from '../../diff-lines.ts';
import { list, required, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { valueFromWords } from '../../value.ts';
import { done, dryRunOption } from '../change.ts';
import { parseId, segmentOption } from './shared.ts';

export const recordUpdate = defineCommand({
  usage: 'update <id>',
  summary: 'Change a record; what is not named stays',
  examples: [
    ['zonebook record update 7 --value 192.0.2.2', 'another address'],
    ['zonebook record update 7 --ttl 600 --dry-run', 'what another TTL of its RRset would change'],
  ],
  positionals: { id: required('id of the record') },
  options: {
    name: domainName(text('another owner, relative to the zone')),
    type: text('another type; needs a value too'),
    value: list('another value; several of a TXT are its segments'),
    segment: segmentOption,
    ttl: whole('another TTL for the whole RRset, in seconds'),
    priority: whole('another priority of an MX or SRV'),
    dryRun: dryRunOption,
  },
  async run({ id, name, type, value, segment, ttl, priority, dryRun }, context) {
    const number = parseId(id);
    // Repeated values without a type can only be segments: no other value is said in pieces here.
    const given = valueFromWords(type ?? 'TXT', value, segment);
    const client = await context.client();
    const answer = await client.put<RecordChange>(`/records/${number}`, {
      name,
      type,
      value: given,
      ttl,
      priority,
      dry_run: dryRun,
    });
    await context.output.show(answer, () => {
      const headline = `${done(answer, 'update')} record ${answer.record.id ?? number}`;
      const unchanged = answer.diff.entries.length === 0 ? ': nothing changes' : '';
      return withDiff(`${headline}${unchanged}`, answer.diff, context.output.paint);
    });
  },
});
