/** `record get`: GET /records/{id}. */
import type { DnsRecord } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { parseId, recordTable } from './shared.ts';

export const recordGet = defineCommand({
  usage: 'get <id>',
  summary: 'Show a record',
  examples: [['zonebook record get 7', 'the record with id 7']],
  positionals: { id: required('id of the record') },
  async run({ id }, context) {
    const number = parseId(id);
    const client = await context.client();
    const answer = await client.get<{ record: DnsRecord }>(`/records/${number}`);
    await context.output.show(answer, () => recordTable([answer.record], context.output));
  },
});
