/** `zone get`: GET /zones/{name}. */
import type { Zone } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { zoneFields } from './settings.ts';

export const zoneGet = defineCommand({
  usage: 'get <name>',
  summary: 'Show a zone; its records are in record list',
  examples: [['zonebook zone get example.com', 'its SOA and settings']],
  positionals: { name: domainName(required('name of the zone')) },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.get<{ zone: Zone }>(`/zones/${segment(name)}`);
    await context.output.show(answer, () => zoneFields(answer.zone, context.output));
  },
});
