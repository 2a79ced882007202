/** `secondary get`: GET /secondaries/{name}. */
import type { Secondary } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { secondaryTable } from './shared.ts';

export const secondaryGet = defineCommand({
  usage: 'get <name>',
  summary: 'Show a secondary',
  examples: [['zonebook secondary get ns2', 'its address and whether it is enabled']],
  positionals: { name: required('name of the secondary') },
  async run({ name }, context) {
    const client = await context.client();
    const path = `/secondaries/${segment(name)}`;
    const answer = await client.get<{ secondary: Secondary }>(path);
    await context.output.show(answer, () => secondaryTable([answer.secondary], context.output));
  },
});
