/** `record create`: POST /records. */
import type { RecordChange } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { withDiff } from '../../diff-lines.ts';
import { usageFailure } from '../../exit-code.ts';
import { list, required, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { valueFromWords } from '../../value.ts';
import { done, dryRunOption } from '../change.ts';
import { segmentOption } from './shared.ts';

export const recordCreate = defineCommand({
  usage: 'create <zone> <name> <type> [value..]',
  summary: 'Create a record',
  notes: 'Several values of a TXT are its segments. Words behind -- may start with a hyphen.',
  examples: [
    ['zonebook record create example.com www A 192.0.2.1 --ttl 300', 'an address'],
    ['zonebook record create example.com @ MX mail.example.com. --priority 20', 'mail'],
    ['zonebook record create example.com @ TXT "v=spf1 mx -all"', 'a text'],
  ],
  positionals: {
    zone: domainName(required('name of the zone')),
    name: domainName(required('owner, relative to the zone; @ for the zone itself')),
    type: required('type, like A or TXT'),
    value: list('value in master-file form, without the priority of MX and SRV'),
  },
  rest: 'value',
  options: {
    segment: segmentOption,
    ttl: whole("TTL in seconds; the zone's default when left out"),
    priority: whole('priority of an MX or SRV; 10 when left out'),
    dryRun: dryRunOption,
  },
  async run({ zone, name, type, value, segment, ttl, priority, dryRun }, context) {
    const given = valueFromWords(type, value, segment);
    if (given === undefined) {
      throw usageFailure('the value is missing', "see 'zonebook record create --help'");
    }
    const client = await context.client();
    const answer = await client.post<RecordChange>('/records', {
      zone_name: zone,
      name,
      type,
      value: given,
      ttl,
      priority,
      dry_run: dryRun,
    });
    const { record } = answer;
    await context.output.show(answer, () => {
      const which = answer.dry_run ? 'the record' : `record ${record.id}`;
      return withDiff(`${done(answer, 'create')} ${which}`, answer.diff, context.output.paint);
    });
  },
});
