/** `record delete`: DELETE /records/{id}, or DELETE /records with a filter. */
import type { RecordDeletion } from '../../answers.ts';
import type { Client } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { withDiff } from '../../diff-lines.ts';
import { usageFailure } from '../../exit-code.ts';
import { list, required, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { showValue, valueFromWords } from '../../value.ts';
import { counted, done, dryRunOption } from '../change.ts';
import { parseId } from './shared.ts';

export const recordDelete = defineCommand({
  usage: 'delete <target> [name] [type] [value..]',
  aliases: ['rm'],
  summary: 'Delete a record by id, or records by zone, name, type and value',
  notes: 'A name alone takes every type at it. Matching nothing is no error.',
  examples: [
    ['zonebook record delete 7', 'the record with id 7'],
    ['zonebook record delete example.com www A', 'every address of www'],
    ['zonebook record rm example.com www A 192.0.2.1 --dry-run', 'would one be deleted?'],
  ],
  positionals: {
    target: domainName(required('id of the record, or name of the zone when more follows')),
    name: domainName(text('owner, relative to the zone; @ for the zone itself')),
    type: text('type; every type when left out'),
    value: list('value; every value when left out'),
  },
  rest: 'value',
  options: {
    priority: whole('priority of an MX or SRV'),
    dryRun: dryRunOption,
  },
  async run({ target, name, type, value, priority, dryRun }, context) {
    const remove = async (client: Client): Promise<RecordDeletion> => {
      if (name !== undefined) {
        const given = valueFromWords(type, value, []);
        const text = given === undefined ? undefined : showValue(given);
        const filter = { zone_name: target, name, type, value: text, priority, dry_run: dryRun };
        return client.delete('/records', filter);
      }
      return client.delete(`/records/${parseId(target)}`, { dry_run: dryRun });
    };
    if (name === undefined) {
      parseId(target);
      if (priority !== undefined) throw usageFailure('--priority goes with a zone and a name');
    }
    const answer = await remove(await context.client());
    await context.output.show(answer, () => {
      if (answer.deleted === 0) return 'nothing matches: no record is deleted';
      const headline = `${done(answer, 'delete')} ${counted(answer.deleted, 'record')}`;
      return withDiff(headline, answer.diff, context.output.paint);
    });
  },
});
