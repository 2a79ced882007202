/** `record bulk`: POST /records/bulk with records from a file. */
import type { RecordBulk } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { withDiff } from '../../diff-lines.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { readAll } from '../../input.ts';
import { counted, done, dryRunOption } from '../change.ts';

export const recordBulk = defineCommand({
  usage: 'bulk <zone> <file>',
  summary: 'Create many records at once, all or none',
  notes:
    'The file is a JSON array of records, or one record a line, each like\n' +
    '{"name": "www", "type": "A", "value": "192.0.2.1", "ttl": 300}',
  examples: [
    ['zonebook record bulk example.com records.json', 'from a file'],
    ['generate | zonebook record bulk example.com - --dry-run', 'check what another program made'],
  ],
  positionals: {
    zone: domainName(required('name of the zone')),
    file: required('file with the records, or - for standard input'),
  },
  options: { dryRun: dryRunOption },
  async run({ zone, file, dryRun }, context) {
    const records = parseRecords(await readAll(file, context.services), file);
    const client = await context.client();
    const answer = await client.post<RecordBulk>('/records/bulk', {
      zone_name: zone,
      records,
      dry_run: dryRun,
    });
    await context.output.show(answer, () => {
      const headline = `${done(answer, 'create')} ${counted(answer.added, 'record')}`;
      return withDiff(headline, answer.diff, context.output.paint);
    });
  },
});

/** An array, or one object on each line that is not empty. What a record needs the API judges. */
function parseRecords(text: string, file: string): unknown[] {
  if (text.trimStart().startsWith('[')) {
    const records = parseJson(text, file, '');
    return Array.isArray(records) ? records : [records];
  }
  return text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => parseJson(line, file, `line ${number}: `));
}

function parseJson(text: string, file: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(file, `${place}${error instanceof Error ? error.message : 'broken JSON'}`);
  }
}

function unusable(file: string, reason: string): CliFailure {
  const name = file === '-' ? 'standard input' : file;
  const hint = 'it takes a JSON array of records, or one record a line';
  return new CliFailure(exitCode.failure, `${name}: ${reason}`, hint);
}
