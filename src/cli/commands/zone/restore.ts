/** `zone restore`: POST /zones/{name}/restore. */
import type { ZoneRestoration } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { zoneFields } from './settings.ts';

export const zoneRestore = defineCommand({
  usage: 'restore <name>',
  summary: 'Bring a deleted zone back with its records and history',
  notes: 'Grants do not come back. zone list --deleted shows what can be restored.',
  examples: [['zonebook zone restore example.com', 'the zone of that name that was deleted last']],
  positionals: { name: domainName(required('name of the zone')) },
  options: { id: whole('id of one of several deleted zones of that name') },
  async run({ name, id }, context) {
    const client = await context.client();
    const path = `/zones/${segment(name)}/restore`;
    const answer = await client.post<ZoneRestoration>(path, undefined, { id });
    await context.output.show(answer, () => {
      const fields = zoneFields(answer.zone, context.output);
      return `restored zone ${answer.zone.name}\n${fields}`;
    });
  },
});
